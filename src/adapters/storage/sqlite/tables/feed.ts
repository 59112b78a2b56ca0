import type { StoredFeedRecord } from "../../../../core/turn/state/stored-feed.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isFeedBody } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, Statements } from "../../row/sql.ts";

/** The newest feed entries of a conversation, numbered from 1 without gaps. */

const lastSeq = "SELECT coalesce(max(seq), 0) FROM feed WHERE conversation_id = ?1";

export const feedQueries = {
  feed: `SELECT conversation_id, seq, at, body FROM feed WHERE conversation_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3`,
  feedSeq: lastSeq,
} as const;

const append = `INSERT INTO feed (conversation_id, seq, at, body)
  SELECT ?1, ?2, ?3, ?4 WHERE ?2 = (${lastSeq}) + 1`;

// By its key, because an entry that is the last must stay whatever the caller asks for.
const trim = `DELETE FROM feed WHERE conversation_id = ?1 AND seq < min(?2, (${lastSeq}))`;

export type FeedRow = readonly [conversationId: string, seq: number, at: number, body: string];

export function encodeFeed(record: StoredFeedRecord): FeedRow {
  return [
    record.rootId,
    encodeInteger(record.seq, "seq"),
    encodeInteger(record.at, "at"),
    encodeJson(record.body, isFeedBody, "feed entry"),
  ];
}

export function decodeFeed(row: Row): StoredFeedRecord {
  const read = new RowReader("feed", row);
  return { rootId: read.text(), seq: read.integer(), at: read.integer(), body: read.json(isFeedBody, "a feed entry") };
}

export function applyTrimFeed(statements: Statements, rootId: string, beforeSeq: number): null {
  statements.run(trim, [rootId, beforeSeq]);
  return null;
}

export function applyAppendFeed(statements: Statements, row: FeedRow): RowRefusal | null {
  if (statements.run(append, row) === 1) return null;
  return { code: "CONFLICT", stored: statements.number(lastSeq, [row[0]]) };
}
