import { sha256Hex } from "../base/hash.ts";
import type { NodeId } from "../base/ids.ts";
import { PrefixFold } from "../base/prefix-fold.ts";
import { textOf } from "../message/content.ts";
import type { Message } from "../message/types.ts";
import { withoutBinding } from "../message/without-binding.ts";
import type { ForestNode } from "./types.ts";

/** Why a message of a path is not sent. */
type LeftOut =
  /** A person left it out, or a call or result that belongs to it. */
  | { readonly reason: "excluded"; readonly with: NodeId }
  /** The text of this compaction node replaces it. */
  | { readonly reason: "summed-up"; readonly by: NodeId }
  /** It is a compaction node that is switched off, or that a later one replaces. */
  | { readonly reason: "unused-summary" };

/** A message as it is sent: of a reply made in another view, without what bound it to that view. */
export interface SentNode {
  readonly node: ForestNode;
  readonly message: Message;
}

/** What a model receives of a path. */
export interface SentPath {
  /** In the order in which they are sent: the compaction node in use first. */
  readonly sent: readonly SentNode[];
  /** The other nodes of the path. */
  readonly leftOut: ReadonlyMap<NodeId, LeftOut>;
  /** The compaction node in use. */
  readonly summary: ForestNode | null;
  /**
   * Names what is left out and summed up before the end of the path; null for nothing. A reply is stored with the mark of
   * the view that its model had.
   */
  readonly view: string | null;
}

/**
 * Returns what a model receives of a path: the text of the last compaction node in use, then the nodes after the stretch
 * that it replaces, without the messages that people left out. A call and its results are left out together. Providers
 * bind thinking to everything before it, so a reply keeps its thinking only in the view in which it was made.
 */
export function sentPath(path: readonly ForestNode[]): SentPath {
  const { summaryAt, leavesOut } = marksOf(path);
  if (summaryAt === -1 && !leavesOut) return { ...whole.of(path), summary: null, view: null };
  const leftOut = new Map<NodeId, LeftOut>();
  const sent: SentNode[] = [];
  const end = walk(path, {
    sent: (node, view) => void sent.push({ node, message: inView(node, view) }),
    leftOut: (node, why) => void leftOut.set(node.id, why),
  });
  return { sent, leftOut, ...end };
}

/** What is sent of paths on which nothing is summed up or left out by a person. */
const whole = new PrefixFold<ForestNode, Pick<SentPath, "sent" | "leftOut">>(
  { sent: [], leftOut: new Map() },
  (before, rest) => {
    const isUnused = ({ compacts }: ForestNode): boolean => compacts !== undefined;
    const unused = rest.filter(isUnused).map(({ id }): [NodeId, LeftOut] => [id, { reason: "unused-summary" }]);
    const used = unused.length === 0 ? rest : rest.filter((node) => !isUnused(node));
    return {
      sent: before.sent.concat(used.map((node) => ({ node, message: inView(node, null) }))),
      leftOut: unused.length === 0 ? before.leftOut : new Map([...before.leftOut, ...unused]),
    };
  },
);

/** Returns the mark of what is left out and summed up before the end of a path, as in `sentPath`. */
export function viewOf(path: readonly ForestNode[]): string | null {
  const { summaryAt, leavesOut } = marksOf(path);
  return summaryAt === -1 && !leavesOut ? null : walk(path, { sent: () => {}, leftOut: () => {} }).view;
}

/** What a path holds besides messages. */
interface PathMarks {
  /** The index of the compaction node in use; -1 for none. */
  readonly summaryAt: number;
  /** Whether a person left out a message. */
  readonly leavesOut: boolean;
}

const marks = new PrefixFold<ForestNode, PathMarks>({ summaryAt: -1, leavesOut: false }, (before, rest, at) => {
  const last = rest.findLastIndex(isSummaryInUse);
  return {
    summaryAt: last === -1 ? before.summaryAt : at + last,
    leavesOut: before.leavesOut || rest.some(({ excluded }) => excluded === true),
  };
});

/** Returns what a path holds besides messages. */
export function marksOf(path: readonly ForestNode[]): PathMarks {
  return marks.of(path);
}

interface Visitor {
  /** Called for each message that is sent, in order, with the view before it. */
  readonly sent: (node: ForestNode, view: string | null) => void;
  readonly leftOut: (node: ForestNode, why: LeftOut) => void;
}

function walk(path: readonly ForestNode[], visitor: Visitor): Pick<SentPath, "summary" | "view"> {
  const { summaryAt: at } = marksOf(path);
  const summary = path[at] ?? null;
  const first = summary === null ? 0 : firstAfter(path, summary, at);
  let view: string | null = null;
  if (summary !== null) {
    for (const node of path.slice(0, first)) visitor.leftOut(node, { reason: "summed-up", by: summary.id });
    visitor.sent(summary, null);
    view = mark(null, `${summary.id}\n${textOf(summary.message)}`);
  }
  for (let index = first; index < path.length;) {
    const end = endOfRound(path, index);
    const excluded = excludedIn(path, index, end);
    if (excluded !== null) view = mark(view, excluded);
    for (; index < end; index += 1) {
      const node = path[index];
      if (node === undefined) break;
      if (excluded !== null) visitor.leftOut(node, { reason: "excluded", with: excluded });
      else if (node.compacts === undefined) visitor.sent(node, view);
      else if (node !== summary) visitor.leftOut(node, { reason: "unused-summary" });
    }
  }
  return { summary, view };
}

/** Returns the messages that a model receives of a path. */
export function sentMessages(path: readonly ForestNode[]): readonly Message[] {
  return messages.of(sentPath(path).sent);
}

const messages = new PrefixFold<SentNode, readonly Message[]>([], (before, rest) =>
  before.concat(rest.map(({ message }) => message)),
);

/** Returns the end of the round that begins at an index: after the results of a reply, or after the one message. */
export function endOfRound(path: readonly ForestNode[], index: number): number {
  let end = index + 1;
  if (path[index]?.message.role !== "assistant") return end;
  while (path[end]?.message.role === "tool") end += 1;
  return end;
}

/** Returns the index of the reply whose results a result belongs to, or the index itself. */
export function beginningOfRound(path: readonly ForestNode[], index: number): number {
  let at = index;
  while (at > 0 && path[at]?.message.role === "tool") at -= 1;
  return at;
}

/** The first message of a round that a person left out; null for none. */
function excludedIn(path: readonly ForestNode[], from: number, to: number): NodeId | null {
  for (let index = from; index < to; index += 1) {
    const node = path[index];
    if (node?.excluded === true) return node.id;
  }
  return null;
}

function isSummaryInUse({ compacts }: ForestNode): boolean {
  return compacts !== undefined && compacts.off !== true;
}

/** The index of the first node that the summary does not replace: all, when what it replaced was deleted. */
function firstAfter(path: readonly ForestNode[], summary: ForestNode, at: number): number {
  const through = summary.compacts?.through ?? null;
  return through === null ? 0 : path.slice(0, at).findLastIndex(({ id }) => id === through) + 1;
}

function inView({ message, request }: ForestNode, view: string | null): Message {
  return message.role !== "assistant" || (request?.view ?? null) === view ? message : withoutBinding(message);
}

/** Joins a place to the mark of what is left out before it: equal marks mean an equal view. */
function mark(before: string | null, place: string): string {
  return sha256Hex(`${before ?? ""}\n${place}`).slice(0, 16);
}
