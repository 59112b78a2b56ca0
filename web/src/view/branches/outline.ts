import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { isHidden, lastSaid } from "./hidden.ts";
import type { Branches } from "./path.ts";
import { callsOf, type Step, sumOfSteps } from "../calls/steps.ts";
import { excerpt, withoutMarks, wordsOf } from "../words/words.ts";

/** One row of the outline: a chain of messages between two forks, folded. */
export interface OutlineRow {
  /** The chain's first message; the row's identity. */
  readonly id: NodeId;
  /** The chain's last message: a fork or a leaf. */
  readonly endId: NodeId;
  readonly depth: number;
  readonly title: string;
  /** Which of how many branches beside each other, from 1; 1 of 1 where there is no fork. */
  readonly place: number;
  readonly of: number;
  /** How many questions the chain holds. */
  readonly turns: number;
  readonly newestAt: number;
  readonly interrupted: boolean;
  readonly forks: boolean;
}

/** The branches of a conversation as rows, deepest detail last; chains without a fork are one row each. */
export function outlineOf(branches: Branches): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const waiting: { readonly id: NodeId; readonly depth: number; readonly place: number; readonly of: number }[] = [];
  const push = (ids: readonly NodeId[], depth: number): void => {
    for (let index = ids.length - 1; index >= 0; index -= 1) {
      const id = ids[index];
      if (id !== undefined) waiting.push({ id, depth, place: index + 1, of: ids.length });
    }
  };
  push(branches.childrenByParent.get(null) ?? [], 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const chain = chainFrom(branches, next.id);
    const last = chain.at(-1);
    if (last === undefined) continue;
    const children = branches.childrenByParent.get(last.id) ?? [];
    rows.push({
      ...next,
      endId: last.id,
      title: titleOf(chain),
      turns: chain.filter((node) => node.message.role === "user" && !isHidden(node)).length,
      newestAt: chain.reduce((newest, node) => Math.max(newest, node.createdAt), 0),
      interrupted: isInterrupted(lastSaid(chain)),
      forks: children.length > 1,
    });
    push(children, next.depth + 1);
  }
  return rows;
}

/** The rows left when the children of collapsed rows are hidden. */
export function unfolded(rows: readonly OutlineRow[], collapsed: ReadonlySet<NodeId>): readonly OutlineRow[] {
  const shown: OutlineRow[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.depth > hiddenBelow) continue;
    hiddenBelow = row.forks && collapsed.has(row.id) ? row.depth : Number.POSITIVE_INFINITY;
    shown.push(row);
  }
  return shown;
}

/** "v2 · 4 turns": what a row says beside its title. */
export function rowNote(row: OutlineRow): string {
  const version = row.of > 1 ? `v${row.place}` : "";
  const turns = row.turns > 1 ? `${row.turns} turns` : "";
  return [version, turns].filter((part) => part !== "").join(" · ");
}

/** What the outline calls a branch that begins with this message. */
export function branchTitle(branches: Branches, first: NodeId): string {
  return titleOf(chainFrom(branches, first));
}

function chainFrom(branches: Branches, first: NodeId): readonly ForestNode[] {
  const chain: ForestNode[] = [];
  let id: NodeId | undefined = first;
  while (id !== undefined) {
    const node: ForestNode | undefined = branches.nodesById.get(id);
    if (node === undefined) break;
    chain.push(node);
    const children: readonly NodeId[] = branches.childrenByParent.get(id) ?? [];
    id = children.length === 1 ? children[0] : undefined;
  }
  return chain;
}

function isInterrupted(node: ForestNode | undefined): boolean {
  return node?.message.role === "assistant" && node.message.interrupted === true;
}

function titleOf(whole: readonly ForestNode[]): string {
  const chain = whole.filter((node) => !isHidden(node));
  if (chain.length === 0) return "Canvas change";
  const first = chain[0];
  if (first?.message.role === "user") return titleIn(first) ?? "Message";
  // On its way to an answer an agent says what it is about to do; the answer is what people look for.
  const answering = chain.slice(0, endOfTurn(chain));
  const answer = answering.findLast((node) => callsOf(node).length === 0 && titleIn(node) !== null);
  if (answer !== undefined) return titleIn(answer) ?? "Reply";
  const { added, removed } = sumOfSteps(stepsIn(answering));
  if (added + removed > 0) return `Changed +${added} −${removed} lines`;
  return answering.map(titleIn).find((title) => title !== null) ?? "Reply";
}

function titleIn({ message }: ForestNode): string | null {
  const words = message.role === "tool" ? "" : excerpt(withoutMarks(wordsOf(message)), 60);
  return words === "" ? null : words;
}

function endOfTurn(chain: readonly ForestNode[]): number {
  const next = chain.findIndex((node) => node.message.role === "user");
  return next === -1 ? chain.length : next;
}

function stepsIn(nodes: readonly ForestNode[]): readonly Step[] {
  const results = new Map(
    nodes.flatMap(({ message }) => (message.role === "tool" ? [[message.tool_call_id, message] as const] : [])),
  );
  return nodes.map((node) => ({ node, results }));
}
