import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import type { ConversationView } from "../../../client/base/types.ts";
import { clipped } from "./cell-width.ts";
import { safeLine } from "../base/safe-text.ts";

/** A conversation as lines, and the messages by their numbers in it. */
export interface DrawnTree {
  readonly lines: readonly string[];
  /** Number 1 is first. */
  readonly nodes: readonly ForestNode[];
}

/** Draws the messages of people and models, branch by branch; only branching indents. */
export function drawTree(
  view: Pick<ConversationView, "childrenByParent" | "nodesById">,
  head: NodeId | null,
  columns: number,
): DrawnTree {
  const lines: string[] = [];
  const nodes: ForestNode[] = [];
  const here = pathTo(view, head);
  // Not recursive: a conversation may be longer than a stack.
  const open: { readonly id: NodeId; readonly indent: string; readonly fork: string }[] = below(view, null, "");
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = view.nodesById.get(next.id);
    if (node === undefined) continue;
    const indent = next.fork === "" ? next.indent : next.indent + (next.fork === "└ " ? "  " : "│ ");
    const shows = isShown(node);
    if (shows) {
      nodes.push(node);
      const place = `${next.indent}${next.fork}${nodes.length} `;
      const mark = node.id !== head ? "" : columns < 50 ? " ◂" : "  ◂ you are here";
      const on = here.has(node.id) ? "" : " ";
      const who = node.message.role === "assistant" ? modelName(node) : safeLine(node.actor.name);
      const out = node.excluded === true ? "(left out) " : "";
      const text = `${place}${on}${who}: ${out}${excerpt(node)}`;
      lines.push(clipped(text, columns - mark.length - 1) + mark);
    }
    // A hidden node passes its place in the drawing on to its children.
    const children = shows || next.fork === "" ? below(view, next.id, indent) : below(view, next.id, next.indent);
    const [only] = children;
    if (!shows && only !== undefined && children.length === 1)
      open.push({ ...only, indent: next.indent, fork: next.fork });
    else open.push(...children);
  }
  return { lines, nodes };
}

/** Returns the children of a node, last first, with their prefixes. */
function below(
  { childrenByParent }: Pick<ConversationView, "childrenByParent">,
  parent: NodeId | null,
  indent: string,
): { readonly id: NodeId; readonly indent: string; readonly fork: string }[] {
  const children = childrenByParent.get(parent) ?? [];
  return children
    .map((id, index) => {
      const fork = children.length === 1 ? "" : index === children.length - 1 ? "└ " : "├ ";
      return { id, indent, fork };
    })
    .toReversed();
}

function pathTo({ nodesById }: Pick<ConversationView, "nodesById">, head: NodeId | null): ReadonlySet<NodeId> {
  const ids = new Set<NodeId>();
  for (let id = head; id !== null && !ids.has(id); id = nodesById.get(id)?.parentId ?? null) ids.add(id);
  return ids;
}

/** Whether a node is a message of a person or a model; tool results and Heddle's own messages are hidden. */
export function isShown({ message }: ForestNode): boolean {
  if (message.role === "user") return message.update === undefined && message.instruction === undefined;
  return message.role === "assistant";
}

function modelName({ actor }: ForestNode): string {
  return safeLine(actor.name);
}

/** Returns a message on one line. */
export function excerpt({ message }: ForestNode): string {
  const text = message.content
    .map((block) => {
      if (isTextBlock(block)) return block.text.slice(0, 400);
      return block.type === "tool-use" ? `⚙ ${block.name}` : block.type === "thinking" ? "" : `[${block.type}]`;
    })
    .join(" ");
  return safeLine(text);
}
