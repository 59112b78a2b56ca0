import type { Bookmark } from "../../../../core/forest/types.ts";
import { encodeBookmark } from "../../sqlite/tables/bookmarks.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** Bookmarks in the forest, keyed by title. */

const columns = "title, conversation_id, message_id, created_at, updated_at";

export const bookmarkQueries = {
  bookmarks: `SELECT ${columns} FROM bookmarks ORDER BY title`,
  bookmarksOfRoot: `SELECT ${columns} FROM bookmarks WHERE conversation_id = $1 ORDER BY title`,
} as const;

const put = `INSERT INTO bookmarks (${columns})
  SELECT $1, $2, $3, $4, $5
  WHERE $3::text IS NULL OR EXISTS (SELECT 1 FROM messages WHERE id = $3 AND conversation_id = $2)
  ON CONFLICT (title) DO UPDATE SET conversation_id = $2, message_id = $3, created_at = $4, updated_at = $5`;
const remove = "DELETE FROM bookmarks WHERE title = $1";

export function planPutBookmark(bookmark: Bookmark): PlannedWrite {
  return {
    type: "put-bookmark",
    steps: [one(put, encodeBookmark(bookmark))],
    rule: "the message of a bookmark is stored, in its conversation",
  };
}

export function planDeleteBookmark(title: string): PlannedWrite {
  return { type: "delete-bookmark", steps: [any(remove, [title])] };
}
