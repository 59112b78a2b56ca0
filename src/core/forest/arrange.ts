import { refusal, type Refusal } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
import { normalizeForComparison } from "../message/normalize.ts";
import { unnamedTool } from "../message/read-legacy.ts";
import { openCallsAfter, type OpenCall } from "../message/transcript.ts";
import type { Message, ToolMessage } from "../message/types.ts";
import type { PortableTreeNode } from "./portable.ts";

/** Why one node of a foreign tree cannot be taken. */
export interface NodeProblem {
  readonly id: string;
  readonly refusal: Refusal;
}

/** A foreign tree made fit to be stored. */
export interface ArrangedTree<Node extends PortableTreeNode> {
  /** Parents before children, siblings in the order given. */
  readonly nodes: readonly Node[];
  /** Nodes that cannot be taken, and those below them. */
  readonly problems: readonly NodeProblem[];
  /** Ids of the results that were put in for calls that had none. */
  readonly mended: readonly string[];
}

/** How a call without a result is answered when its tree is taken over: `make` gives the node for it. */
export type Mending<Node> = (at: { readonly id: string; readonly parent: Node; readonly message: ToolMessage }) => Node;

/**
 * Puts the nodes of a foreign tree in order and looks at each once. What cannot be taken is told by node, and the rest
 * is kept: an id that stands twice, a parent that is not there, parents in a circle, a message that says nothing, a
 * result that answers no call. A call that was never answered refuses what follows it, or with `mend` gets a fixed
 * result, because older stores lost results that were empty.
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
  /** Every id that is given, and those of what was put in. */
  readonly #ids = new Set<string>();
  readonly #newIds = new Set<string>();
  /** The results put in below a node, so that its children share them. */
  readonly #mendedById = new Map<string, Place<Node>>();

  constructor(given: readonly Node[], mend: Mending<Node> | null) {
    this.#given = given;
    this.#mend = mend;
  }

  run(): void {
    const ids = this.#ids;
    const childrenById = new Map<string | null, Node[]>();
    for (const node of this.#given) {
      if (ids.has(node.id)) this.#refuse(node.id, "The id stands twice.");
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
      if (above === null) this.#refuse(node.id, "What stands above it cannot be taken.");
      visit(node.id, above === null ? null : this.#take(node, above));
    }
    for (const { id, parentId } of this.#given) {
      if (reached.has(id)) continue;
      reached.add(id);
      const missing = parentId !== null && !ids.has(parentId);
      this.#refuse(id, missing ? `Its parent ${parentId} is not there.` : "Its parents cannot be reached.");
    }
  }

  /** Takes a node below a place, and gives the place that it makes; null when it cannot be taken. */
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
    const taken = unchanged ? node : { ...node, parentId, message };
    this.nodes.push(taken);
    return { node: taken, open: open.value, depth: place.depth + 1 };
  }

  /** The place below the results that are put in for the open calls; the same one without them, or unasked. */
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

  /** That id, or one like it that no node has. */
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

/** Where a node can hang: what stands there, the calls that wait, and how many messages are above. */
interface Place<Node> {
  readonly node: Node | null;
  readonly open: readonly OpenCall[];
  readonly depth: number;
}

const ground = { node: null, open: [], depth: 0 } as const;

/** A result that does not say its tool is named after the call that it answers. */
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

/** The nodes in order, or the first thing that is wrong: for a file that is to be taken whole or not at all. */
export function arrangeAll<Node extends PortableTreeNode>(
  given: readonly Node[],
): Result<readonly Node[], NodeProblem> {
  const { nodes, problems } = arrange(given);
  const [first] = problems;
  return first === undefined ? ok(nodes) : err(first);
}
