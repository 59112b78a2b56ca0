import type { ForestRoot } from "../../../../core/forest/types.ts";
import { encodeRoot } from "../../sqlite/tables/conversations.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** Roots of the forest: one row per conversation. */

const columns = `id, slug, title, system_prompt, model, canvas_id, cwd, archived, created_at, updated_at, config_hash, tool_syntax,
  parent_conversation_id, parent_run_id, approvals, call_policy, budget, deleted_usage, user_initiated, folder_id, replies,
  compaction, pinned, tags`;

export const conversationQueries = {
  roots: `SELECT ${columns} FROM conversations WHERE trashed_at IS NULL ORDER BY place`,
  root: `SELECT ${columns} FROM conversations WHERE id = $1 AND trashed_at IS NULL`,
  rootByConfigHash: `SELECT ${columns} FROM conversations WHERE config_hash = $1 AND trashed_at IS NULL`,
  lastMessages: `SELECT c.id, (SELECT created_at FROM messages WHERE conversation_id = c.id ORDER BY sequence_id DESC LIMIT 1)
    FROM conversations AS c WHERE trashed_at IS NULL ORDER BY place`,
  trashedRoots: `SELECT ${columns} FROM conversations WHERE trashed_at IS NOT NULL ORDER BY place`,
} as const;

const taken = `SELECT 1 FROM conversations WHERE (slug = $1 OR config_hash = $3) AND id <> $2
  UNION ALL SELECT 1 FROM deleted_conversations WHERE id = $2`;
const isNotDeleted = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM deleted_conversations WHERE id = $1)";
// Another root's slug or hash violates a constraint of the table; a second query finds which.
const putRoot = `INSERT INTO conversations (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
    $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
  ON CONFLICT (id) DO UPDATE SET slug = $2, title = $3, system_prompt = $4, model = $5, canvas_id = $6, cwd = $7,
    archived = $8, created_at = $9, updated_at = $10, config_hash = $11, tool_syntax = $12,
    parent_conversation_id = $13, parent_run_id = $14, approvals = $15, call_policy = $16, budget = $17, deleted_usage = $18,
    user_initiated = $19, folder_id = $20, replies = $21, compaction = $22, pinned = $23, tags = $24`;

export function planPutRoot(root: ForestRoot): PlannedWrite {
  return {
    type: "put-root",
    steps: [one(isNotDeleted, [root.id]), one(putRoot, encodeRoot(root))],
    refusal: async (sql) => {
      const other = await sql.first(taken, [root.slug, root.id, root.configHash ?? null]);
      return other === null ? null : { code: "CONFLICT", stored: null };
    },
  };
}
