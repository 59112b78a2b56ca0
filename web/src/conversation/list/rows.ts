import type { NodeId, ToolCallId } from "../../../../src/core/base/ids.ts";
import { isNonEmpty, type NonEmptyArray } from "../../../../src/core/base/non-empty.ts";
import type { Compacts, ForestNode } from "../../../../src/core/forest/types.ts";
import type { ToolMessage } from "../../../../src/core/message/types.ts";
import { isHidden } from "../../view/branches/hidden.ts";
import { type Branches, type Siblings, siblingsOf } from "../../view/branches/path.ts";
import { callsOf, isDone } from "../../view/calls/steps.ts";
import { wordsOf } from "../../view/words/words.ts";

/** One row of a conversation. Tool results are in the rows of their calls. */
export type ConversationRow =
  | MessageRow
  /** Replies that only called tools, all done: one line until it is opened. */
  | { readonly type: "steps"; readonly node: ForestNode; readonly rows: NonEmptyArray<ReplyRowData> }
  /** Changes of canvases that follow each other: one line until it is opened. */
  | { readonly type: "changes"; readonly node: ForestNode; readonly nodes: NonEmptyArray<ForestNode> };

/** A reply with the results of its calls. */
export type ReplyRowData = Extract<MessageRow, { type: "reply" }>;

type MessageRow =
  | { readonly type: "question"; readonly node: ForestNode; readonly siblings: Siblings }
  | {
      readonly type: "reply";
      readonly node: ForestNode;
      readonly siblings: Siblings;
      /** The results of its calls. Some servers give calls of several replies one id, so each reply has its own. */
      readonly results: ReadonlyMap<ToolCallId, ToolMessage>;
      /** Whether the previous message has another author. */
      readonly begins: boolean;
      /** Whether the next message has another author or does not exist. */
      readonly ends: boolean;
    }
  /** A compaction node. */
  | { readonly type: "summary"; readonly node: ForestNode; readonly compacts: Compacts }
  /** Text that Heddle sent to the model: a thin line. */
  | { readonly type: "hidden"; readonly node: ForestNode }
  /** A result whose call is not on the path. */
  | { readonly type: "result"; readonly node: ForestNode; readonly result: ToolMessage };

const noResults: ReadonlyMap<ToolCallId, ToolMessage> = new Map();

/** Returns the rows of a path. */
export function rowsOf(branches: Branches, path: readonly ForestNode[]): readonly ConversationRow[] {
  return folded(messageRows(branches, path));
}

/** Whether a row shows a message. */
export function holdsNode(row: ConversationRow, nodeId: NodeId): boolean {
  if (row.type === "steps") return row.rows.some(({ node }) => node.id === nodeId);
  return row.type === "changes" ? row.nodes.some(({ id }) => id === nodeId) : row.node.id === nodeId;
}

/** Folds finished steps, and canvas changes that follow each other. */
function folded(rows: readonly MessageRow[]): readonly ConversationRow[] {
  const result: ConversationRow[] = [];
  for (let at = 0; at < rows.length;) {
    const steps = runFrom(rows, at, isStep);
    const changes = runFrom(rows, at, isChange);
    if (isNonEmpty(steps) && steps.reduce((sum, { node }) => sum + callsOf(node).length, 0) > 1) {
      result.push({ type: "steps", node: steps[0].node, rows: steps });
      at += steps.length;
    } else if (isNonEmpty(changes) && changes.length > 1) {
      const [first, ...rest] = changes;
      result.push({ type: "changes", node: first.node, nodes: [first.node, ...rest.map(({ node }) => node)] });
      at += changes.length;
    } else {
      const row = rows[at];
      if (row !== undefined) result.push(row);
      at += 1;
    }
  }
  return result;
}

/** The rows from a place on that are of one sort; a reply that begins a turn ends the run before it. */
function runFrom<Row extends MessageRow>(
  rows: readonly MessageRow[],
  from: number,
  is: (row: MessageRow) => row is Row,
): readonly Row[] {
  const run: Row[] = [];
  for (let at = from; at < rows.length; at += 1) {
    const row = rows[at];
    if (row === undefined || (run.length > 0 && row.type === "reply" && row.begins) || !is(row)) break;
    run.push(row);
  }
  return run;
}

/** How much a step may say and still be folded away. UTF-16 units. */
const stepWordsMax = 240;

/** Whether a reply is on the way to another one of its turn, and needs nobody: each of its calls succeeded and wrote what it would. */
function isStep(row: MessageRow): row is ReplyRowData {
  if (row.type !== "reply" || row.ends || row.siblings.ids.length > 1) return false;
  const { node } = row;
  const isPlain = node.edited === undefined && node.excluded !== true && (node.tags ?? []).length === 0;
  return isPlain && callsOf(node).length > 0 && wordsOf(node.message).length <= stepWordsMax && isDone(row);
}

function isChange(row: MessageRow): row is Extract<MessageRow, { type: "hidden" }> {
  return row.type === "hidden" && row.node.message.role === "user" && row.node.message.update !== undefined;
}

function messageRows(branches: Branches, path: readonly ForestNode[]): readonly MessageRow[] {
  const rows: MessageRow[] = [];
  path.forEach((node, index) => {
    const { message } = node;
    switch (message.role) {
      case "user":
        if (node.compacts !== undefined) {
          rows.push({ type: "summary", node, compacts: node.compacts });
          break;
        }
        rows.push(
          isHidden(node) ? { type: "hidden", node } : { type: "question", node, siblings: siblingsOf(branches, node) },
        );
        break;
      case "assistant":
        rows.push({
          type: "reply",
          node,
          siblings: siblingsOf(branches, node),
          results: resultsAfter(path, index),
          begins: !continues(path[index - 1]),
          ends: !continues(path[index + 1]),
        });
        break;
      case "tool":
        if (!isCalledBefore(path, index, message.tool_call_id)) rows.push({ type: "result", node, result: message });
        break;
      case "system":
        rows.push({ type: "hidden", node });
        break;
    }
  });
  return rows;
}

/** The results that directly follow a reply. */
function resultsAfter(path: readonly ForestNode[], index: number): ReadonlyMap<ToolCallId, ToolMessage> {
  if (path[index + 1]?.message.role !== "tool") return noResults;
  const results = new Map<ToolCallId, ToolMessage>();
  for (let at = index + 1; at < path.length; at += 1) {
    const message = path[at]?.message;
    if (message?.role !== "tool") break;
    results.set(message.tool_call_id, message);
  }
  return results;
}

/** Whether the reply of the round that a result is in made its call. */
function isCalledBefore(path: readonly ForestNode[], index: number, callId: ToolCallId): boolean {
  let at = index;
  while (path[at]?.message.role === "tool") at -= 1;
  const message = path[at]?.message;
  return (
    message?.role === "assistant" && message.content.some((block) => block.type === "tool-use" && block.id === callId)
  );
}

function continues(node: ForestNode | undefined): boolean {
  return node !== undefined && (node.message.role === "assistant" || node.message.role === "tool");
}
