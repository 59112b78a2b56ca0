import { assert, unreachable } from "../../../../core/base/assert.ts";
import type { Actor } from "../../../../core/base/actor.ts";
import type { ForestNode } from "../../../../core/forest/types.ts";
import type { MessageRole } from "../../../../core/message/types.ts";
import { encodeInteger, encodeJson } from "../encode-json.ts";
import { isActor, isMessage, isUsage } from "../json-guards.ts";
import { RowReader } from "../row-reader.ts";
import type { Row, Statements } from "../sql.ts";

/** Nodes of the forest: one row a message, numbered in their conversation in the order in which they came. */

const columns =
  "id, conversation_id, parent_id, prefix_hash, content, display_data, run_id, turn_id, usage_data, created_at";
const ofNode = columns
  .split(", ")
  .map((column) => `m.${column}`)
  .join(", ");

export const messageQueries = {
  nodes: `SELECT ${columns} FROM messages WHERE conversation_id = ?1 ORDER BY sequence_id`,
  node: `SELECT ${columns} FROM messages WHERE id = ?1`,
  path: `WITH RECURSIVE up (id, depth) AS (
      SELECT ?1, 0
      UNION ALL
      SELECT m.parent_id, up.depth + 1 FROM up JOIN messages AS m ON m.id = up.id WHERE m.parent_id IS NOT NULL)
    SELECT ${ofNode} FROM up JOIN messages AS m ON m.id = up.id ORDER BY up.depth DESC`,
  children: `SELECT ${columns} FROM messages WHERE conversation_id = ?1 AND parent_id IS ?2 ORDER BY sequence_id`,
  nodeByPrefixHash: `SELECT ${columns} FROM messages WHERE conversation_id = ?1 AND prefix_hash = ?2
    ORDER BY sequence_id LIMIT 1`,
} as const;

const putNode = `INSERT INTO messages (${columns}, message_type, actor_kind, sequence_id)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
    (SELECT coalesce(max(sequence_id), 0) + 1 FROM messages WHERE conversation_id = ?2))
  ON CONFLICT (id) DO UPDATE SET parent_id = ?3, prefix_hash = ?4, content = ?5, display_data = ?6, run_id = ?7,
    turn_id = ?8, usage_data = ?9, created_at = ?10, message_type = ?11, actor_kind = ?12
  WHERE conversation_id = ?2`;
const storedParent = "SELECT parent_id FROM messages WHERE id = ?1";

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
  messageType: string,
  actorKind: string,
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
    messageType(node.message.role),
    actorKind(node.actor.type),
  ];
}

export function decodeNode(row: Row): ForestNode {
  const read = new RowReader("messages", row);
  return {
    id: read.text(),
    rootId: read.text(),
    parentId: read.textOrNull(),
    prefixHash: read.text(),
    message: read.json(isMessage, "a message"),
    actor: read.json(isActor, "an actor"),
    runId: read.textOrNull(),
    turnId: read.textOrNull(),
    usage: read.jsonOrNull(isUsage, "usage"),
    createdAt: read.integer(),
  };
}

export function applyPutNode(statements: Statements, row: MessageRow): null {
  const [id, , parentId] = row;
  const stored = statements.all(storedParent, [id])[0];
  if (stored !== undefined && parentId !== null && stored[0] !== parentId) {
    const above = statements.all(messageQueries.path, [parentId]);
    assert(!above.some(([other]) => other === id), "a message is not below itself");
  }
  assert(statements.run(putNode, row) === 1, "a message keeps its conversation");
  return null;
}

/** The word of the message_type column: `agent` where Heddle says assistant. */
function messageType(role: MessageRole): string {
  return role === "assistant" ? "agent" : role;
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
