import type { FeedRecord } from "../../../../core/turn/state/feed.ts";
import { encodeFeed } from "../../sqlite/tables/feed.ts";
import { one, type PlannedWrite } from "../plan/planned-write.ts";

/** The feed entries of a conversation, numbered from 1 without gaps. */

const lastSeq = "SELECT coalesce(max(seq), 0) FROM feed WHERE conversation_id = $1";

export const feedQueries = {
  feed: `SELECT conversation_id, seq, at, body FROM feed WHERE conversation_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
  feedSeq: lastSeq,
} as const;

const append = `INSERT INTO feed (conversation_id, seq, at, body)
  SELECT $1, $2, $3, $4 WHERE $2 = (${lastSeq}) + 1`;

export function planAppendFeed(record: FeedRecord): PlannedWrite {
  return {
    type: "append-feed",
    steps: [one(append, encodeFeed(record))],
    refusal: async (sql) => {
      const stored = await sql.number(lastSeq, [record.rootId]);
      return record.seq === (stored ?? 0) + 1 ? null : { code: "CONFLICT", stored };
    },
  };
}
