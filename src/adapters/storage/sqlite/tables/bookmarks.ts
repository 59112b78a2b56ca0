import { assert } from "../../../../core/base/assert.ts";
import type { Bookmark } from "../../../../core/forest/types.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, Statements } from "../../row/sql.ts";

/** Bookmarks in the forest, keyed by title. */

const columns = "title, conversation_id, message_id, created_at, updated_at";

export const bookmarkQueries = {
  bookmarks: `SELECT ${columns} FROM bookmarks ORDER BY title`,
  bookmarksOfRoot: `SELECT ${columns} FROM bookmarks WHERE conversation_id = ?1 ORDER BY title`,
} as const;

const put = `INSERT INTO bookmarks (${columns})
  SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?3 IS NULL OR EXISTS (SELECT 1 FROM messages WHERE id = ?3 AND conversation_id = ?2)
  ON CONFLICT (title) DO UPDATE SET conversation_id = ?2, message_id = ?3, created_at = ?4, updated_at = ?5`;
const remove = "DELETE FROM bookmarks WHERE title = ?1";

export type BookmarkRow = readonly [
  title: string,
  conversationId: string,
  messageId: string | null,
  createdAt: number,
  updatedAt: number,
];

export function encodeBookmark(bookmark: Bookmark): BookmarkRow {
  return [
    bookmark.title,
    bookmark.rootId,
    bookmark.nodeId,
    encodeInteger(bookmark.createdAt, "createdAt"),
    encodeInteger(bookmark.updatedAt, "updatedAt"),
  ];
}

export function decodeBookmark(row: Row): Bookmark {
  const read = new RowReader("bookmarks", row);
  return {
    title: read.text(),
    rootId: read.text(),
    nodeId: read.textOrNull(),
    createdAt: read.integer(),
    updatedAt: read.integer(),
  };
}

export function applyPutBookmark(statements: Statements, row: BookmarkRow): null {
  assert(statements.run(put, row) === 1, "the message of a bookmark is stored, in its conversation");
  return null;
}

export function applyDeleteBookmark(statements: Statements, title: string): null {
  statements.run(remove, [title]);
  return null;
}
