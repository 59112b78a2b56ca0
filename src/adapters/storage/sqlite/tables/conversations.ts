import type { FolderId, RootId, RunId } from "../../../../core/base/ids.ts";
import { approvalTiers, callPolicies } from "../../../../core/forest/run-rules.ts";
import type { ForestRoot } from "../../../../core/forest/types.ts";
import type { LastMessage } from "../../../../core/port/store.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isBudget, isCompactionSettings, isModelUsages, isReplySettings, isTags } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** Roots of the forest: one row per conversation. */

const columns = `id, slug, title, system_prompt, model, canvas_id, cwd, archived, created_at, updated_at, config_hash, tool_syntax,
  parent_conversation_id, parent_run_id, approvals, call_policy, budget, deleted_usage, user_initiated, folder_id, replies,
  compaction, pinned, tags`;

export const conversationQueries = {
  roots: `SELECT ${columns} FROM conversations WHERE trashed_at IS NULL ORDER BY place`,
  root: `SELECT ${columns} FROM conversations WHERE id = ?1 AND trashed_at IS NULL`,
  rootByConfigHash: `SELECT ${columns} FROM conversations WHERE config_hash = ?1 AND trashed_at IS NULL`,
  lastMessages: `SELECT c.id, (SELECT created_at FROM messages WHERE conversation_id = c.id ORDER BY sequence_id DESC LIMIT 1)
    FROM conversations AS c WHERE trashed_at IS NULL ORDER BY place`,
  trashedRoots: `SELECT ${columns} FROM conversations WHERE trashed_at IS NOT NULL ORDER BY place`,
} as const;

const lastMessage = `SELECT c.id,
    (SELECT created_at FROM messages WHERE conversation_id = c.id ORDER BY sequence_id DESC LIMIT 1)
  FROM conversations AS c WHERE id = ?1 AND trashed_at IS NULL`;
const everyId = "SELECT id FROM conversations INDEXED BY sqlite_autoindex_conversations_1 ORDER BY place";

/** The lists, row by row where a page is damaged: the keys come from an index. */
export const conversationsOneByOne = {
  roots: { keys: everyId, one: conversationQueries.root },
  lastMessages: { keys: everyId, one: lastMessage },
  trashedRoots: { keys: everyId, one: `SELECT ${columns} FROM conversations WHERE id = ?1 AND trashed_at IS NOT NULL` },
} as const;

const taken = `SELECT 1 FROM conversations WHERE (slug = ?1 OR config_hash = ?3) AND id <> ?2
  UNION ALL SELECT 1 FROM deleted_conversations WHERE id = ?2`;

const putRoot = `INSERT INTO conversations (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
    ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)
  ON CONFLICT (id) DO UPDATE SET slug = ?2, title = ?3, system_prompt = ?4, model = ?5, canvas_id = ?6, cwd = ?7,
    archived = ?8, created_at = ?9, updated_at = ?10, config_hash = ?11, tool_syntax = ?12,
    parent_conversation_id = ?13, parent_run_id = ?14, approvals = ?15, call_policy = ?16, budget = ?17, deleted_usage = ?18,
    user_initiated = ?19, folder_id = ?20, replies = ?21, compaction = ?22, pinned = ?23, tags = ?24`;

export type ConversationRow = readonly [
  id: string,
  slug: string,
  title: string,
  systemPrompt: string,
  model: string,
  canvasId: string | null,
  cwd: string,
  archived: number,
  createdAt: number,
  updatedAt: number,
  configHash: string | null,
  toolSyntax: string | null,
  parentRootId: string | null,
  parentRunId: string | null,
  approvals: string | null,
  callPolicy: string | null,
  budget: string | null,
  deletedUsage: string | null,
  userInitiated: number,
  folderId: string | null,
  replies: string | null,
  compaction: string | null,
  pinned: number,
  tags: string | null,
];

export function encodeRoot(root: ForestRoot): ConversationRow {
  return [
    root.id,
    root.slug,
    root.title,
    root.systemPrompt,
    root.model,
    root.canvasId,
    root.cwd,
    root.archived ? 1 : 0,
    encodeInteger(root.createdAt, "createdAt"),
    encodeInteger(root.updatedAt, "updatedAt"),
    root.configHash ?? null,
    root.toolSyntax ?? null,
    root.parent?.rootId ?? null,
    root.parent?.runId ?? null,
    root.approvals ?? null,
    root.callPolicy ?? null,
    root.budget === undefined ? null : encodeJson(root.budget, isBudget, "budget"),
    root.deletedUsage === undefined ? null : encodeJson(root.deletedUsage, isModelUsages, "usage of deleted messages"),
    root.parent === undefined ? 1 : 0,
    root.folderId ?? null,
    root.replies === undefined ? null : encodeJson(root.replies, isReplySettings, "how models are asked"),
    root.compaction === undefined ? null : encodeJson(root.compaction, isCompactionSettings, "compaction"),
    root.pinned === true ? 1 : 0,
    root.tags === undefined ? null : encodeJson(root.tags, isTags, "tags"),
  ];
}

export function decodeRoot(row: Row): ForestRoot {
  const read = new RowReader("conversations", row);
  const root = {
    id: read.text<ForestRoot["id"]>(),
    slug: read.text(),
    title: read.text(),
    systemPrompt: read.text(),
    model: read.text(),
    canvasId: read.textOrNull<NonNullable<ForestRoot["canvasId"]>>(),
    cwd: read.text(),
    archived: read.flag(),
    createdAt: read.integer(),
    updatedAt: read.integer(),
  };
  const configHash = read.textOrNull();
  const toolSyntax = read.textOrNull();
  const parentRootId = read.textOrNull<RootId>();
  const parentRunId = read.textOrNull<RunId>();
  const approvals = read.oneOfOrNull(approvalTiers);
  const callPolicy = read.oneOfOrNull(callPolicies);
  const budget = read.jsonOrNull(isBudget, "a budget");
  const deletedUsage = read.jsonOrNull(isModelUsages, "usage of deleted messages");
  // Derived from the parent.
  read.flag();
  const folderId = read.textOrNull<FolderId>();
  const replies = read.jsonOrNull(isReplySettings, "how models are asked");
  const compaction = read.jsonOrNull(isCompactionSettings, "settings of compaction");
  const pinned = read.flag();
  const tags = read.jsonOrNull(isTags, "tags");
  return {
    ...root,
    ...(configHash === null ? {} : { configHash }),
    ...(toolSyntax === null ? {} : { toolSyntax }),
    ...(parentRootId === null || parentRunId === null ? {} : { parent: { rootId: parentRootId, runId: parentRunId } }),
    ...(approvals === null ? {} : { approvals }),
    ...(callPolicy === null ? {} : { callPolicy }),
    ...(budget === null ? {} : { budget }),
    ...(deletedUsage === null ? {} : { deletedUsage }),
    ...(folderId === null ? {} : { folderId }),
    ...(replies === null ? {} : { replies }),
    ...(compaction === null ? {} : { compaction }),
    ...(pinned ? { pinned } : {}),
    ...(tags === null ? {} : { tags }),
  };
}

export function decodeLastMessage(row: Row): LastMessage {
  const read = new RowReader("the last messages", row);
  return { rootId: read.text<RootId>(), at: read.integerOrNull() };
}

export function applyPutRoot(statements: Statements, row: ConversationRow): RowRefusal | null {
  const [id, slug] = row;
  if (statements.number(taken, [slug, id, row[10]]) !== null) return { code: "CONFLICT", stored: null };
  statements.run(putRoot, row);
  return null;
}
