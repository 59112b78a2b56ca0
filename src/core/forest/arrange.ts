import { refusal, type Refusal } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
import { normalizeForComparison } from "../message/normalize.ts";
import { unnamedTool } from "../message/read-legacy.ts";
import { openCallsAfter, type OpenCall } from "../message/transcript.ts";
import type { Message, ToolMessage } from "../message/types.ts";
import type { PortableTreeNode } from "./portable.ts";

/** Why one node of a foreign tree cannot be imported. */
export interface NodeProblem {
  readonly id: string;
  readonly refusal: Refusal;
}

/** A foreign tree, validated and ready to be stored. */
export interface ArrangedTree<Node extends PortableTreeNode> {
  /** Parents before children, siblings in the order given. */
  readonly nodes: readonly Node[];
  /** Nodes that cannot be imported, and those below them. */
  readonly problems: readonly NodeProblem[];
  /** Ids of the results inserted for calls without one. */
  readonly mended: readonly string[];
}

/** Answers a call without a result during an import: `make` returns the node of the result. */
export type Mending<Node> = (at: { readonly id: string; readonly parent: Node; readonly message: ToolMessage }) => Node;

/**
 * Orders the nodes of a foreign tree and validates each. Invalid nodes are reported and the rest
 * is kept. Invalid are: a duplicate id, a missing parent, parents in a cycle, an empty message, a
 * result that answers no call. An unanswered call invalidates what follows it, or with `mend` gets a fixed
 * result, because older stores lost empty results.
 */
export function arrange<Node extends PortableTreeNode>(
  given: readonly Node[],
  mend: Mending<Node> | null = null,
): ArrangedTree<Node> {
  const work = new Arrangement(given, mend);
  work.run();
  return { nodes: work.nodes, problems: work.problems, mended: work.mended };
}

class Arrangement<Node extends PortableTreeNode> {
  readonly nodes: Node[] = [];
  readonly problems: NodeProblem[] = [];
  readonly mended: string[] = [];
  readonly #given: readonly Node[];
  readonly #mend: Mending<Node> | null;
  /** Every given id, and those of inserted results. */
  readonly #ids = new Set<string>();
  readonly #newIds = new Set<string>();
  /** The results inserted below a node, so that its children share them. */
  readonly #mendedById = new Map<string, Place<Node>>();

  constructor(given: readonly Node[], mend: Mending<Node> | null) {
    this.#given = given;
    this.#mend = mend;
  }

  run(): void {
    const ids = this.#ids;
    const childrenById = new Map<string | null, Node[]>();
    for (const node of this.#given) {
      if (ids.has(node.id)) this.#refuse(node.id, "The id occurs twice.");
      else {
        const siblings = childrenById.get(node.parentId);
        if (siblings === undefined) childrenById.set(node.parentId, [node]);
        else siblings.push(node);
      }
      ids.add(node.id);
    }
    const reached = new Set<string>();
    const waiting: { readonly node: Node; readonly above: Place<Node> | null }[] = [];
    const visit = (parentId: string | null, above: Place<Node> | null): void => {
      for (const node of (childrenById.get(parentId) ?? []).toReversed()) waiting.push({ node, above });
    };
    visit(null, ground);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { node, above } = next;
      reached.add(node.id);
      if (above === null) this.#refuse(node.id, "The node above it cannot be imported.");
      visit(node.id, above === null ? null : this.#take(node, above));
    }
    for (const { id, parentId } of this.#given) {
      if (reached.has(id)) continue;
      reached.add(id);
      const missing = parentId !== null && !ids.has(parentId);
      this.#refuse(id, missing ? `Its parent ${parentId} is missing.` : "Its parents cannot be reached.");
    }
  }

  /** Adds a node below a place and returns its own place; null when it cannot be imported. */
  #take(node: Node, above: Place<Node>): Place<Node> | null {
    if (normalizeForComparison(node.message) === null) return this.#refuse(node.id, "The message is empty.");
    const place = node.message.role === "tool" ? above : this.#answered(above);
    const message = named(node.message, place.open);
    const open = openCallsAfter(place.open, message, place.depth);
    if (!open.ok) {
      this.problems.push({ id: node.id, refusal: open.error });
      return null;
    }
    const parentId = place.node?.id ?? null;
    const unchanged = parentId === node.parentId && message === node.message;
    const added = unchanged ? node : { ...node, parentId, message };
    this.nodes.push(added);
    return { node: added, open: open.value, depth: place.depth + 1 };
  }

  /**
   * Returns the place below the results inserted for the open calls; the same place when there are none, or without
   * `mend`.
   */
  #answered(above: Place<Node>): Place<Node> {
    const mend = this.#mend;
    const from = above.node;
    if (above.open.length === 0 || mend === null || from === null) return above;
    const before = this.#mendedById.get(from.id);
    if (before !== undefined) return before;
    let place = above;
    let parent = from;
    for (const call of above.open) {
      parent = mend({ id: this.#newId(`${from.id}/${call.id}`), parent, message: lostResult(call) });
      this.nodes.push(parent);
      this.mended.push(parent.id);
      place = { node: parent, open: place.open.slice(1), depth: place.depth + 1 };
    }
    this.#mendedById.set(from.id, place);
    return place;
  }

  /** Returns the wanted id, or a similar one that no node has. */
  #newId(wanted: string): string {
    let id = wanted;
    while (this.#ids.has(id) || this.#newIds.has(id)) id = `${id}~`;
    this.#newIds.add(id);
    return id;
  }

  #refuse(id: string, problem: string): null {
    this.problems.push({ id, refusal: refusal("MESSAGE_INVALID", { at: id, problem }, problem) });
    return null;
  }
}

/** A place in the tree: its node, the calls that wait there, and the number of messages above. */
interface Place<Node> {
  readonly node: Node | null;
  readonly open: readonly OpenCall[];
  readonly depth: number;
}

const ground = { node: null, open: [], depth: 0 } as const;

/** Names a result without a tool's name after the call that it answers. */
function named(message: Message, open: readonly OpenCall[]): Message {
  const call = open[0];
  const nameless = message.role === "tool" && message.tool_name === unnamedTool && call?.id === message.tool_call_id;
  return nameless ? { ...message, tool_name: call.name } : message;
}

function lostResult(call: OpenCall): ToolMessage {
  return {
    role: "tool",
    tool_call_id: call.id,
    tool_name: call.name,
    content: [{ type: "text", text: "The result of this call was not kept." }],
    outcome: "unknown",
    synthetic: true,
  };
}

/** Returns the nodes in order, or the first problem: for a file that is imported whole or not at all. */
export function arrangeAll<Node extends PortableTreeNode>(
  given: readonly Node[],
): Result<readonly Node[], NodeProblem> {
  const { nodes, problems } = arrange(given);
  const [first] = problems;
  return first === undefined ? ok(nodes) : err(first);
}
