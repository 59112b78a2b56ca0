import { assert, must, unreachable } from "../../../../core/base/assert.ts";
import type { Actor } from "../../../../core/base/actor.ts";
import type { NodeId, RootId } from "../../../../core/base/ids.ts";
import type { ForestNode, NodeOutline } from "../../../../core/forest/types.ts";
import type { PaidNode } from "../../../../core/model/paid-requests.ts";
import { paidNode } from "../../shared/paid-node.ts";
import { isWrittenByHeddle } from "../../../../core/message/canvas-update.ts";
import { textOf } from "../../../../core/message/content.ts";
import type { Message, MessageRole } from "../../../../core/message/types.ts";
import { messageHash, prefixHashBelow } from "../../shared/message-hash.ts";
import { encodeInteger, encodeJson } from "../../row/encode-json.ts";
import { isActor, isMessage, isNodeDetails, isUsage } from "../../row/json-guards.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row, RowRefusal, SqlValue, Statements } from "../../row/sql.ts";

/** Nodes of the forest: one row per message, numbered within their conversation in order of arrival. */

const columns = `id, conversation_id, parent_id, prefix_hash, content, display_data, run_id, turn_id, usage_data, created_at,
  details`;
const ofNode = columns.replaceAll(/\w+/g, "m.$&");
/** What shows the costs of a node. */
export const paidColumns = "id, created_at, usage_data, display_data, turn_id, details";
const outlineColumns = "id, conversation_id, parent_id, message_type, created_at";

/** Separates the values of a packed column; no id contains it. */
const unitSeparator = "\u001f";
const packed = (column: string): string => `group_concat(${column}, char(${unitSeparator.charCodeAt(0)}))`;
// Packs a hundred thousand rows into five texts: five values are transferred to the other thread, not five hundred
// thousand.
const packedOutline = (conversationId: string): string => `SELECT count(*), ${packed("id")}, ${conversationId},
    ${packed("coalesce(parent_id, '')")}, ${packed("message_type")}, ${packed("created_at")}`;

/** The condition that a conversation is not in the trash. */
export const isShown = (conversationId: string): string =>
  `EXISTS (SELECT 1 FROM conversations AS c WHERE c.id = ${conversationId} AND c.trashed_at IS NULL)`;

// CROSS JOIN keeps SQLite from starting with a scan of the table.
export const messageQueries = {
  nodes: `SELECT ${columns} FROM messages WHERE conversation_id = ?1 ORDER BY sequence_id`,
  paidNodes: `SELECT ${paidColumns} FROM messages
    WHERE conversation_id = ?1 AND (usage_data IS NOT NULL OR instr(details, '"variants"') > 0) ORDER BY sequence_id`,
  node: `SELECT ${columns} FROM messages WHERE id = ?1 AND ${isShown("conversation_id")}`,
  nodesOf: `SELECT ${ofNode} FROM json_each(?1) CROSS JOIN messages AS m ON m.id = json_each.value
    WHERE ${isShown("m.conversation_id")} ORDER BY json_each.key`,
  path: `WITH RECURSIVE up (place, parent_id, depth) AS (
      SELECT place, parent_id, 0 FROM messages WHERE id = ?1
      UNION ALL
      SELECT m.place, m.parent_id, up.depth + 1 FROM up CROSS JOIN messages AS m ON m.id = up.parent_id)
    SELECT ${ofNode} FROM up CROSS JOIN messages AS m ON m.place = up.place ORDER BY up.depth DESC`,
  pathEnd: `WITH RECURSIVE up (place, parent_id, depth) AS (
      SELECT place, parent_id, 1 FROM messages WHERE id = ?1
      UNION ALL
      SELECT m.place, m.parent_id, up.depth + 1 FROM up CROSS JOIN messages AS m ON m.id = up.parent_id
        WHERE up.depth < ?2)
    SELECT ${ofNode} FROM up CROSS JOIN messages AS m ON m.place = up.place ORDER BY up.depth DESC`,
  children: `SELECT ${columns} FROM messages WHERE conversation_id = ?1 AND parent_id IS ?2 ORDER BY sequence_id`,
  childrenBefore: `SELECT ${columns} FROM messages
    WHERE conversation_id = ?1 AND parent_id IS ?2
      AND sequence_id < coalesce((SELECT sequence_id FROM messages WHERE id = ?3), 9e15)
    ORDER BY sequence_id DESC LIMIT ?4`,
  childCounts: `SELECT (SELECT count(*) FROM messages WHERE parent_id IS json_each.value AND conversation_id = ?1)
    FROM json_each(?2) ORDER BY json_each.key`,
  newestNode: "SELECT id FROM messages WHERE conversation_id = ?1 ORDER BY sequence_id DESC LIMIT 1",
  // The other index has the order too, but each step would read all messages of the conversation.
  leafBelow: `WITH RECURSIVE down (id, depth) AS (
      SELECT ?2, 0
      UNION ALL
      SELECT (SELECT m.id FROM messages AS m INDEXED BY messages_by_parent
          WHERE m.parent_id = down.id AND m.conversation_id = ?1
          ORDER BY m.sequence_id DESC LIMIT 1), down.depth + 1
        FROM down WHERE down.id IS NOT NULL)
    SELECT id FROM down WHERE id IS NOT NULL ORDER BY depth DESC LIMIT 1`,
  depth: "SELECT depth FROM messages WHERE id = ?1",
  nodeCount: "SELECT count(*) FROM (SELECT 1 FROM messages WHERE conversation_id = ?1 LIMIT ?2)",
  childByHash: `SELECT ${columns} FROM messages WHERE conversation_id = ?1 AND prefix_hash = ?3 AND parent_id IS ?2
    ORDER BY sequence_id LIMIT 1`,
  subtree: `WITH RECURSIVE down (place, id, depth) AS (
      SELECT place, id, 0 FROM messages WHERE id = ?1 AND ${isShown("conversation_id")}
      UNION ALL
      SELECT m.place, m.id, down.depth + 1 FROM down CROSS JOIN messages AS m ON m.parent_id = down.id)
    SELECT ${ofNode} FROM down CROSS JOIN messages AS m ON m.place = down.place ORDER BY down.depth, down.place`,
  nodeByPrefixHash: `SELECT ${columns} FROM messages WHERE conversation_id = ?1 AND prefix_hash = ?2
    ORDER BY sequence_id LIMIT 1`,
  placeByPrefixHash: `SELECT place FROM messages WHERE conversation_id = ?1 AND prefix_hash = ?2
    ORDER BY sequence_id LIMIT 1`,
  nodeAtPlace: `SELECT ${columns} FROM messages WHERE place = ?1`,
  outline: `${packedOutline("NULL")}
    FROM (SELECT ${outlineColumns} FROM messages WHERE conversation_id = ?1 ORDER BY sequence_id)`,
  // The index covers every selected column; ordering by place would read every content.
  outlineOfAll: `${packedOutline(packed("conversation_id"))}
    FROM (SELECT ${outlineColumns} FROM messages INDEXED BY messages_in_order
      WHERE conversation_id NOT IN (SELECT id FROM conversations WHERE trashed_at IS NOT NULL) ORDER BY place)`,
} as const;

const storedNode = `SELECT m.place, m.conversation_id, m.parent_id,
    (SELECT conversation_id FROM messages WHERE id = ?2), EXISTS (SELECT 1 FROM deleted_messages WHERE id = ?1),
    m.content
  FROM (SELECT 1) LEFT JOIN messages AS m ON m.id = ?1`;
const isAbove = `WITH RECURSIVE up (id) AS (
    SELECT ?2
    UNION ALL
    SELECT m.parent_id FROM up CROSS JOIN messages AS m ON m.id = up.id WHERE m.parent_id IS NOT NULL)
  SELECT 1 FROM up WHERE id = ?1`;
const depthBelow = "coalesce((SELECT depth + 1 FROM messages WHERE id = ?3), 0)";
const insertNode = `INSERT INTO messages (${columns}, message_type, actor_kind, message_hash, sequence_id, depth)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
    (SELECT coalesce(max(sequence_id), 0) + 1 FROM messages WHERE conversation_id = ?2), ${depthBelow})`;
const updateNode = `UPDATE messages SET parent_id = ?3, prefix_hash = ?4, content = ?5, display_data = ?6, run_id = ?7,
    turn_id = ?8, usage_data = ?9, created_at = ?10, details = ?11, message_type = ?12, actor_kind = ?13,
    message_hash = ?14, depth = ${depthBelow}
  WHERE id = ?1 AND conversation_id = ?2`;
const depthsBelow = `WITH RECURSIVE down (place, id, before, depth) AS (
    SELECT place, id, depth, depth FROM messages WHERE id = ?1
    UNION ALL
    SELECT m.place, m.id, m.depth, down.depth + 1 FROM down CROSS JOIN messages AS m ON m.parent_id = down.id)
  SELECT place, depth FROM down WHERE depth <> before`;
const updateDepth = "UPDATE messages SET depth = ?2 WHERE place = ?1";
// Returns parents before children and reads no content.
const hashesFrom = `WITH RECURSIVE down (place, id, above, depth) AS (
    SELECT place, id, NULL, 0 FROM messages WHERE id = ?1
    UNION ALL
    SELECT m.place, m.id, down.place, down.depth + 1 FROM down CROSS JOIN messages AS m ON m.parent_id = down.id)
  SELECT down.place, down.above, m.prefix_hash, m.message_hash
  FROM down CROSS JOIN messages AS m ON m.place = down.place ORDER BY down.depth`;
const updateHash = "UPDATE messages SET prefix_hash = ?2 WHERE place = ?1";
const indexWords = "INSERT INTO message_index (rowid, words) VALUES ((SELECT place FROM messages WHERE id = ?1), ?2)";
const dropWords = "DELETE FROM message_index WHERE rowid = ?1";

export type MessageRow = readonly [
  id: string,
  conversationId: string,
  parentId: string | null,
  prefixHash: string,
  content: string,
  displayData: string,
  runId: string | null,
  turnId: string | null,
  usageData: string | null,
  createdAt: number,
  details: string | null,
  messageType: string,
  actorKind: string,
  messageHash: string,
];

export function encodeNode(node: ForestNode): MessageRow {
  return [
    node.id,
    node.rootId,
    node.parentId,
    node.prefixHash,
    encodeJson(node.message, isMessage, "message"),
    encodeJson(node.actor, isActor, "actor"),
    node.runId,
    node.turnId,
    node.usage === null ? null : encodeJson(node.usage, isUsage, "usage"),
    encodeInteger(node.createdAt, "createdAt"),
    encodeDetails(node),
    messageType(node.message),
    actorKind(node.actor.type),
    messageHash(node.message),
  ];
}

/** The searchable text of a node: what was said, not what Heddle tells a model. */
export function wordsOf({ message }: ForestNode): string {
  return isWrittenByHeddle(message) ? "" : textOf(message);
}

export function decodeNode(row: Row): ForestNode {
  const read = new RowReader("messages", row);
  const node = {
    id: read.text<ForestNode["id"]>(),
    rootId: read.text<ForestNode["rootId"]>(),
    parentId: read.textOrNull<ForestNode["id"]>(),
    prefixHash: read.text(),
    message: read.json(isMessage, "a message"),
    actor: read.json(isActor, "an actor"),
    runId: read.textOrNull<NonNullable<ForestNode["runId"]>>(),
    turnId: read.textOrNull<NonNullable<ForestNode["turnId"]>>(),
    usage: read.jsonOrNull(isUsage, "usage"),
    createdAt: read.integer(),
  };
  const details = read.jsonOrNull(isNodeDetails, "details of a message");
  return details === null ? node : { ...node, ...details };
}

export function decodePaidNode(row: Row): PaidNode {
  const read = new RowReader("messages", row);
  return paidNode({
    id: read.text<ForestNode["id"]>(),
    createdAt: read.integer(),
    usage: read.jsonOrNull(isUsage, "usage"),
    actor: read.json(isActor, "an actor"),
    turnId: read.textOrNull<NonNullable<ForestNode["turnId"]>>(),
    ...read.jsonOrNull(isNodeDetails, "details of a message"),
  });
}

/** Nodes of an outline decoded before the event loop gets a turn. */
const outlineStep = 5_000;

/**
 * Decodes a packed outline step by step; `rootId` is set for the outline of one root. A hundred thousand nodes at once
 * would delay everything else noticeably.
 */
export function* outlineSteps(row: Row, rootId: RootId | null): Generator<readonly NodeOutline[], void, undefined> {
  const read = new RowReader("an outline", row);
  const count = read.integer();
  if (count === 0) return;
  const ids = read.texts<NodeId>(unitSeparator, count);
  yield [];
  const rootIds = read.textsOrNull<RootId>(unitSeparator, count);
  yield [];
  const parentIds = read.texts<NodeId>(unitSeparator, count);
  yield [];
  const types = read.texts(unitSeparator, count);
  yield [];
  const times = read.texts(unitSeparator, count);
  for (let from = 0; from < count; from += outlineStep) {
    yield ids.slice(from, from + outlineStep).map((id, index) => {
      const at = from + index;
      return {
        id,
        rootId: must(rootId ?? rootIds?.[at], "a message has a conversation"),
        parentId: parentIds[at] || null,
        role: roleOf(types[at]),
        createdAt: Number(times[at]),
      };
    });
  }
}

export function applyPutNode(statements: Statements, row: MessageRow, words: string): RowRefusal | null {
  const [id, conversationId, parentId, , content] = row;
  const [place = null, storedIn, storedParent, parentIn, isDeleted, storedContent] = must(
    statements.all(storedNode, [id, parentId])[0],
    "the question has one answer",
  );
  if (isDeleted === 1) return { code: "CONFLICT", stored: null };
  assert(parentId === null || parentIn === conversationId, "the parent of a message is stored, in its conversation");
  if (place === null) {
    statements.run(insertNode, row);
  } else {
    assert(storedIn === conversationId, "a message keeps its conversation");
    const moves = storedParent !== parentId;
    const isBelowItself = moves && parentId !== null && statements.number(isAbove, [id, parentId]) !== null;
    assert(!isBelowItself, "a message is not below itself");
    statements.run(updateNode, row);
    if (moves)
      for (const placeAndDepth of statements.all(depthsBelow, [id])) statements.run(updateDepth, placeAndDepth);
    // The words come from the content: a change above, which changes only the hash, leaves them.
    if (storedContent === content) return null;
    statements.run(dropWords, [place]);
  }
  if (words !== "") statements.run(indexWords, [id, words]);
  return null;
}

export function applyRehashBelow(statements: Statements, nodeId: string): null {
  const hashesByPlace = new Map<SqlValue, string>();
  for (const row of statements.all(hashesFrom, [nodeId])) {
    const read = new RowReader("messages", row);
    const place = read.integer();
    const abovePlace = read.integerOrNull();
    const before = read.text();
    const ownHash = read.text();
    const above = abovePlace === null ? null : must(hashesByPlace.get(abovePlace), "parents come before children");
    const after = above === null ? before : prefixHashBelow(above, ownHash);
    hashesByPlace.set(place, after);
    if (after !== before) statements.run(updateHash, [place, after]);
  }
  return null;
}

function encodeDetails({
  tags,
  customData,
  splitFrom,
  continues,
  request,
  canvas,
  taint,
  variants,
  authors,
  edited,
  excluded,
  collapsed,
  draft,
  compacts,
}: ForestNode): string | null {
  const details = {
    ...(tags === undefined ? {} : { tags }),
    ...(customData === undefined ? {} : { customData }),
    ...(splitFrom === undefined ? {} : { splitFrom }),
    ...(continues === undefined ? {} : { continues }),
    ...(request === undefined ? {} : { request }),
    ...(canvas === undefined ? {} : { canvas }),
    ...(taint === undefined ? {} : { taint }),
    ...(variants === undefined ? {} : { variants }),
    ...(authors === undefined ? {} : { authors }),
    ...(edited === undefined ? {} : { edited }),
    ...(excluded === undefined ? {} : { excluded }),
    ...(collapsed === undefined ? {} : { collapsed }),
    ...(draft === undefined ? {} : { draft }),
    ...(compacts === undefined ? {} : { compacts }),
  };
  return Object.keys(details).length === 0 ? null : encodeJson(details, isNodeDetails, "details of a message");
}

/** The value of the message_type column: `agent` for the role assistant, `error` for a reply that ended before it was whole. */
function messageType(message: Message): string {
  if (message.role !== "assistant") return message.role;
  return message.interrupted === true ? "error" : "agent";
}

const rolesByMessageType: ReadonlyMap<string | undefined, MessageRole> = new Map<string, MessageRole>([
  ["user", "user"],
  ["agent", "assistant"],
  ["error", "assistant"],
  ["tool", "tool"],
  ["system", "system"],
]);

function roleOf(type: string | undefined): MessageRole {
  return must(rolesByMessageType.get(type), "a stored message has a known role");
}

function actorKind(type: Actor["type"]): string {
  switch (type) {
    case "person":
      return "human";
    case "model":
      return "llm_agent";
    case "system":
      return "system";
    default:
      return unreachable(type);
  }
}
