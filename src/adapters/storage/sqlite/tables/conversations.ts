import type { ForestRoot } from "../../../../core/forest/types.ts";
import { encodeInteger } from "../encode-json.ts";
import { RowReader } from "../row-reader.ts";
import type { Row, RowRefusal, Statements } from "../sql.ts";

/** Roots of the forest: one row a conversation. */

const columns = "id, slug, title, system_prompt, model, canvas_id, cwd, archived, created_at, updated_at";

export const conversationQueries = {
  roots: `SELECT ${columns} FROM conversations ORDER BY place`,
  root: `SELECT ${columns} FROM conversations WHERE id = ?1`,
} as const;

const slugTaken = "SELECT 1 FROM conversations WHERE slug = ?1 AND id <> ?2";

const putRoot = `INSERT INTO conversations (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
  ON CONFLICT (id) DO UPDATE SET slug = ?2, title = ?3, system_prompt = ?4, model = ?5, canvas_id = ?6, cwd = ?7,
    archived = ?8, created_at = ?9, updated_at = ?10`;

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
  ];
}

export function decodeRoot(row: Row): ForestRoot {
  const read = new RowReader("conversations", row);
  return {
    id: read.text(),
    slug: read.text(),
    title: read.text(),
    systemPrompt: read.text(),
    model: read.text(),
    canvasId: read.textOrNull(),
    cwd: read.text(),
    archived: read.flag(),
    createdAt: read.integer(),
    updatedAt: read.integer(),
  };
}

export function applyPutRoot(statements: Statements, row: ConversationRow): RowRefusal | null {
  const [id, slug] = row;
  if (statements.number(slugTaken, [slug, id]) !== null) return { code: "CONFLICT", stored: null };
  statements.run(putRoot, row);
  return null;
}
