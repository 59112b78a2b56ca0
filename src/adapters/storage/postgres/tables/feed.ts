import type { StoredFeedRecord } from "../../../../core/turn/state/stored-feed.ts";
import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { encodeFeed } from "../../sqlite/tables/feed.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";

/** The newest feed entries of a conversation, numbered from 1 without gaps. */

const lastSeq = "SELECT coalesce(max(seq), 0) FROM feed WHERE conversation_id = $1";

export const feedQueries = {
  feed: `SELECT conversation_id, seq, at, body FROM feed WHERE conversation_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
  feedSeq: lastSeq,
} as const;

const append = `INSERT INTO feed (conversation_id, seq, at, body)
  SELECT $1, $2, $3, $4 WHERE $2 = (${lastSeq}) + 1`;

const trim = `DELETE FROM feed WHERE conversation_id = $1 AND seq < least($2, (${lastSeq}))`;

export function planTrimFeed(write: Extract<StoreWrite, { readonly type: "trim-feed" }>): PlannedWrite {
  return { type: "trim-feed", steps: [any(trim, [write.rootId, encodeInteger(write.beforeSeq, "beforeSeq")])] };
}

export function planAppendFeed(record: StoredFeedRecord): PlannedWrite {
  return {
    type: "append-feed",
    steps: [one(append, encodeFeed(record))],
    refusal: async (sql) => {
      const stored = await sql.number(lastSeq, [record.rootId]);
      return record.seq === (stored ?? 0) + 1 ? null : { code: "CONFLICT", stored };
    },
  };
}
