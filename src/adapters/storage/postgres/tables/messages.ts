import { assert } from "../../../../core/base/assert.ts";
import type { ForestNode } from "../../../../core/forest/types.ts";
import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeNode, isShown, paidColumns, wordsOf } from "../../sqlite/tables/messages.ts";
import { each } from "../plan/each.ts";
import { any, one, type PlannedWrite } from "../plan/planned-write.ts";
import { indexOfWords } from "../plan/words-index.ts";

/** Nodes of the forest: one row per message, numbered within their conversation in order of arrival. */

const columns = `id, conversation_id, parent_id, prefix_hash, content, display_data, run_id, turn_id, usage_data, created_at,
  details`;
const ofNode = columns.replaceAll(/\w+/g, "m.$&");

// Packs a hundred thousand rows into five texts, in the form that the SQLite store reads.
const packed = (column: string): string => `string_agg(${column}, chr(31))`;
const packedOutline = (conversationId: string): string => `SELECT count(*), ${packed("id")}, ${conversationId},
    ${packed("coalesce(parent_id, '')")}, ${packed("message_type")}, ${packed("created_at::text")}`;

export const messageQueries = {
  nodes: `SELECT ${columns} FROM messages WHERE conversation_id = $1 ORDER BY sequence_id`,
  paidNodes: `SELECT ${paidColumns} FROM messages
    WHERE conversation_id = $1 AND (usage_data IS NOT NULL OR position('"variants"' in details) > 0) ORDER BY sequence_id`,
  node: `SELECT ${columns} FROM messages WHERE id = $1 AND ${isShown("conversation_id")}`,
  nodesOf: `SELECT ${ofNode} FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place),
      ${each("messages", "id = asked.id")} AS m
    WHERE ${isShown("m.conversation_id")} ORDER BY asked.place`,
  path: `WITH RECURSIVE up (place, parent_id, depth) AS (
      SELECT place, parent_id, 0 FROM messages WHERE id = $1
      UNION ALL
      SELECT m.place, m.parent_id, up.depth + 1 FROM up, ${each("messages", "id = up.parent_id")} AS m)
    SELECT ${ofNode} FROM up, ${each("messages", "place = up.place")} AS m ORDER BY up.depth DESC`,
  pathEnd: `WITH RECURSIVE up (place, parent_id, depth) AS (
      SELECT place, parent_id, 1 FROM messages WHERE id = $1
      UNION ALL
      SELECT m.place, m.parent_id, up.depth + 1 FROM up, ${each("messages", "id = up.parent_id")} AS m
        WHERE up.depth < $2)
    SELECT ${ofNode} FROM up, ${each("messages", "place = up.place")} AS m ORDER BY up.depth DESC`,
  topNodes: `SELECT ${columns} FROM messages WHERE conversation_id = $1 AND parent_id IS NULL ORDER BY sequence_id`,
  children: `SELECT ${columns} FROM messages WHERE conversation_id = $1 AND parent_id = $2 ORDER BY sequence_id`,
  subtree: `WITH RECURSIVE down (place, id, depth) AS (
      SELECT place, id, 0 FROM messages WHERE id = $1 AND ${isShown("conversation_id")}
      UNION ALL
      SELECT m.place, m.id, down.depth + 1 FROM down, ${each("messages", "parent_id = down.id")} AS m)
    SELECT ${ofNode} FROM down, ${each("messages", "place = down.place")} AS m ORDER BY down.depth, down.place`,
  childrenBefore: `SELECT ${columns} FROM messages
    WHERE conversation_id = $1 AND parent_id = $2
      AND sequence_id < coalesce((SELECT sequence_id FROM messages WHERE id = $3), 9000000000000000)
    ORDER BY sequence_id DESC LIMIT $4`,
  topNodesBefore: `SELECT ${columns} FROM messages
    WHERE conversation_id = $1 AND parent_id IS NULL
      AND sequence_id < coalesce((SELECT sequence_id FROM messages WHERE id = $2), 9000000000000000)
    ORDER BY sequence_id DESC LIMIT $3`,
  childCounts: `SELECT CASE WHEN ids.id IS NULL
      THEN (SELECT count(*) FROM messages WHERE parent_id IS NULL AND conversation_id = $1)
      ELSE (SELECT count(*) FROM messages WHERE parent_id = ids.id AND conversation_id = $1) END
    FROM unnest($2::text[]) WITH ORDINALITY AS ids (id, place) ORDER BY ids.place`,
  newestNode: "SELECT id FROM messages WHERE conversation_id = $1 ORDER BY sequence_id DESC LIMIT 1",
  leafBelow: `WITH RECURSIVE down (id, depth) AS (
      SELECT $2::text COLLATE "C", 0
      UNION ALL
      SELECT (SELECT m.id FROM messages AS m WHERE m.parent_id = down.id AND m.conversation_id = $1
          ORDER BY m.sequence_id DESC LIMIT 1), down.depth + 1
        FROM down WHERE down.id IS NOT NULL)
    SELECT id FROM down WHERE id IS NOT NULL ORDER BY depth DESC LIMIT 1`,
  depth: "SELECT depth FROM messages WHERE id = $1",
  nodeCount: "SELECT count(*) FROM (SELECT 1 FROM messages WHERE conversation_id = $1 LIMIT $2) AS counted",
  childByHash: `SELECT ${columns} FROM messages
    WHERE conversation_id = $1 AND prefix_hash = $3 AND parent_id IS NOT DISTINCT FROM $2::text
    ORDER BY sequence_id LIMIT 1`,
  nodeByPrefixHash: `SELECT ${columns} FROM messages WHERE conversation_id = $1 AND prefix_hash = $2
    ORDER BY sequence_id LIMIT 1`,
  storedHashes: "SELECT prefix_hash FROM messages WHERE conversation_id = $1 AND prefix_hash = ANY($2::text[])",
  outline: `${packedOutline("NULL::text")}
    FROM (SELECT * FROM messages WHERE conversation_id = $1 ORDER BY sequence_id) AS nodes`,
  outlineOfAll: `${packedOutline(packed("conversation_id"))} FROM (SELECT * FROM messages
      WHERE conversation_id NOT IN (SELECT id FROM conversations WHERE trashed_at IS NOT NULL) ORDER BY place) AS nodes`,
} as const;

const isDeleted = "SELECT 1 FROM deleted_messages WHERE id = $1";
// Only a message that moves is searched for among the ancestors of its new place.
const putNode = `WITH put AS (
    INSERT INTO messages AS stored (${columns}, message_type, actor_kind, message_hash, sequence_id, depth)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
      (SELECT coalesce(max(sequence_id), 0) + 1 FROM messages WHERE conversation_id = $2),
      coalesce((SELECT depth + 1 FROM messages WHERE id = $3), 0)
    WHERE NOT EXISTS (${isDeleted})
      AND ($3::text IS NULL OR EXISTS (SELECT 1 FROM messages WHERE id = $3 AND conversation_id = $2))
    ON CONFLICT (id) DO UPDATE SET parent_id = $3, prefix_hash = $4, content = $5, display_data = $6, run_id = $7,
      turn_id = $8, usage_data = $9, created_at = $10, details = $11, message_type = $12, actor_kind = $13, message_hash = $14,
      depth = excluded.depth
    WHERE stored.conversation_id = $2 AND ($3 IS NULL OR stored.parent_id = $3 OR NOT EXISTS (
      WITH RECURSIVE up (id) AS (
        SELECT $3::text COLLATE "C"
        UNION ALL
        SELECT m.parent_id FROM up, ${each("messages", "id = up.id")} AS m WHERE m.parent_id IS NOT NULL)
      SELECT 1 FROM up WHERE up.id = $1))
    RETURNING place)
  INSERT INTO message_index (place, word_count, words) SELECT place, $15, $16::tsvector FROM put
  ON CONFLICT (place) DO UPDATE SET word_count = excluded.word_count, words = excluded.words`;

// Walks down only as far as depths differ. The first condition is judged once and before the others: without it a message that
// has not moved, as every new one, would have the whole table read for nothing.
const updateDepthsBelow = `WITH RECURSIVE down (place, id, depth) AS (
    SELECT place, id, depth FROM messages WHERE id = $1
    UNION ALL
    SELECT m.place, m.id, down.depth + 1
    FROM down, ${each("messages", "parent_id = down.id AND depth <> down.depth + 1")} AS m)
  UPDATE messages SET depth = down.depth FROM down
  WHERE (SELECT EXISTS (SELECT 1 FROM messages AS below
      WHERE below.parent_id = $1 AND below.depth <> (SELECT depth + 1 FROM messages WHERE id = $1)))
    AND messages.place = down.place AND messages.depth <> down.depth`;

// One statement that walks down by an index and reads no content. With the places as an array, nothing else is read of the table.
const rehashBelow = `WITH RECURSIVE down (place, id, hash) AS (
    SELECT place, id, prefix_hash FROM messages WHERE id = $1
    UNION ALL
    SELECT m.place, m.id, encode(sha256(convert_to(down.hash || chr(10) || m.message_hash, 'UTF8')), 'hex') COLLATE "C"
    FROM down, ${each("messages", "parent_id = down.id")} AS m)
  UPDATE messages SET prefix_hash = down.hash FROM down
  WHERE messages.place = ANY (ARRAY(SELECT place FROM down)) AND messages.place = down.place AND messages.prefix_hash <> down.hash`;

const going = "WITH going AS (SELECT DISTINCT unnest($1::text[]) AS id)";
const foreign = `${going} SELECT 1 FROM going JOIN messages AS m USING (id) WHERE m.conversation_id <> $2 LIMIT 1`;
const inTheWay = `${going}
  SELECT 1 FROM going JOIN messages AS m USING (id) JOIN messages AS below ON below.parent_id = m.id
  WHERE NOT EXISTS (SELECT 1 FROM going WHERE going.id = below.id)
  UNION ALL
  SELECT 1 FROM runs AS r JOIN messages AS m ON m.id = r.head_message_id
  WHERE r.conversation_id = $2 AND m.id IN (SELECT id FROM going) AND r.state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed')
  LIMIT 1`;
const mayDelete = `SELECT 1 WHERE NOT EXISTS (${foreign}) AND NOT EXISTS (${inTheWay})`;
const moveHeads = `UPDATE runs SET head_message_id = (
    WITH RECURSIVE up (id, depth) AS (
      SELECT runs.head_message_id, 0
      UNION ALL
      SELECT m.parent_id, up.depth + 1 FROM up, ${each("messages", "id = up.id")} AS m WHERE up.id = ANY($1::text[]))
    SELECT id FROM up ORDER BY depth DESC LIMIT 1)
  WHERE conversation_id = $2 AND head_message_id IN (SELECT id FROM messages WHERE id = ANY($1))`;
const remember = `INSERT INTO deleted_messages (id, conversation_id, deleted_at)
  SELECT id, $2, $3 FROM messages WHERE id = ANY($1::text[]) ON CONFLICT (id) DO NOTHING`;
// One statement, so that parents and children are deleted together; foreign keys delete words and bookmarks.
const remove = "DELETE FROM messages WHERE id = ANY($1::text[])";

export function planPutNode(node: ForestNode): PlannedWrite {
  const { count, words } = indexOfWords(wordsOf(node));
  return {
    type: "put-node",
    steps: [one(putNode, [...encodeNode(node), count, words]), any(updateDepthsBelow, [node.id])],
    refusal: async (sql) =>
      (await sql.first(isDeleted, [node.id])) === null ? null : { code: "CONFLICT", stored: null },
    rule: "a message keeps its conversation, its parent is stored in it, and it is not below itself",
  };
}

export function planRehashBelow({ nodeId }: Extract<StoreWrite, { readonly type: "rehash-below" }>): PlannedWrite {
  return { type: "rehash-below", steps: [any(rehashBelow, [nodeId])] };
}

export function planDeleteNodes(write: Extract<StoreWrite, { readonly type: "delete-nodes" }>): PlannedWrite {
  const { rootId, ids, at } = write;
  return {
    type: write.type,
    steps: [
      one(mayDelete, [ids, rootId]),
      any(moveHeads, [ids, rootId]),
      any(remember, [ids, rootId, at]),
      any(remove, [ids]),
    ],
    refusal: async (sql) => {
      const isForeign = (await sql.first(foreign, [ids, rootId])) !== null;
      assert(!isForeign, "deleted messages are of the conversation that is named");
      return (await sql.first(inTheWay, [ids, rootId])) === null ? null : { code: "CONFLICT", stored: null };
    },
  };
}
