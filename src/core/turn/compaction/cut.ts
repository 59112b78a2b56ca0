import type { NodeId, TurnId } from "../../base/ids.ts";
import { beginningOfRound, endOfRound, marksOf, type SentNode } from "../../forest/sent-path.ts";
import type { ForestNode } from "../../forest/types.ts";
import { isWrittenByHeddle } from "../../message/canvas-update.ts";
import { roughTokensOf } from "../../message/rough-message-tokens.ts";

/** How a compaction cuts a branch: what the summary replaces. */
export interface Cut {
  /** The index on the path, and the id, of the last message that the summary replaces. */
  readonly at: number;
  readonly through: NodeId;
  /** How many messages of people, models and tools it replaces. */
  readonly messages: number;
  /** Whether the turn under way has a reply already: the summary then reaches to the head. */
  readonly midTurn: boolean;
}

/** What a cut depends on besides the path. */
export interface CutWish {
  /** The turn under way; null for none. */
  readonly turnId: TurnId | null;
  /** The most tokens of the newest whole turns that are kept as they are. */
  readonly keptMax: number;
  /** The last message to replace, as a person chose it. */
  readonly through?: NodeId;
}

/**
 * Returns the cut of a compaction; null when it would replace nothing that is still sent. At a turn's start the newest whole
 * turns are kept, the one that begins always. In the midst of a turn nothing is kept as messages, so that no call is parted
 * from its result and no thinking from what it is bound to. A cut is never inside a round.
 */
export function compactionCut(path: readonly ForestNode[], { turnId, keptMax, through }: CutWish): Cut | null {
  const midTurn = turnId !== null && isAnswered(path, turnId);
  const at = midTurn
    ? path.length - 1
    : through === undefined
      ? beforeKept(path, turnId !== null, keptMax)
      : endOfChosen(path, through);
  const node = path[at];
  if (node === undefined || at <= lastReplaced(path)) return null;
  const messages = countMessages(path, at);
  return messages === 0 ? null : { at, through: node.id, messages, midTurn };
}

/** Returns the tokens of what a summary replaces: an earlier summary, and the messages through the last one. */
export function replacedTokens(path: readonly ForestNode[], sent: readonly SentNode[], { at }: Cut): number {
  const replaced = new Set(path.slice(0, at + 1));
  return sent.reduce(
    (sum, { node, message }) =>
      replaced.has(node) || node.compacts !== undefined ? sum + roughTokensOf(message) : sum,
    0,
  );
}

/** Counts the messages of people, models and tools up to an index. */
function countMessages(path: readonly ForestNode[], at: number): number {
  let messages = 0;
  for (let index = 0; index <= at; index += 1) {
    const message = path[index]?.message;
    if (message !== undefined && !isWrittenByHeddle(message)) messages += 1;
  }
  return messages;
}

/** Returns the messages of the turn under way: from its first message on, at the end of the path. */
export function turnUnderWay(path: readonly ForestNode[], turnId: TurnId): readonly ForestNode[] {
  return path.slice(path.findLastIndex((node) => node.turnId !== turnId && node.compacts === undefined) + 1);
}

function isAnswered(path: readonly ForestNode[], turnId: TurnId): boolean {
  return turnUnderWay(path, turnId).some(({ message }) => message.role === "assistant" || message.role === "tool");
}

/** The end of the round of the message that a person chose; -1 when it is not on the path. */
function endOfChosen(path: readonly ForestNode[], through: NodeId): number {
  const index = path.findIndex(({ id }) => id === through);
  return index === -1 ? -1 : endOfRound(path, beginningOfRound(path, index)) - 1;
}

/** The index of the last message before the turns that are kept. */
function beforeKept(path: readonly ForestNode[], aTurnBegins: boolean, keptMax: number): number {
  let first = path.length;
  let mustKeep = aTurnBegins;
  let tokens = 0;
  for (let index = path.length - 1; index >= 0; index -= 1) {
    const node = path[index];
    if (node === undefined) break;
    if (node.excluded !== true && node.compacts === undefined) tokens += roughTokensOf(node.message);
    if (tokens > keptMax && !mustKeep) break;
    if (!beginsTurn(path, index)) continue;
    first = index;
    mustKeep = false;
  }
  return first - 1;
}

/** Whether a turn begins at a message: a person's, or what Heddle says before it. */
function beginsTurn(path: readonly ForestNode[], index: number): boolean {
  const node = path[index];
  if (node === undefined || node.message.role !== "user" || node.compacts !== undefined) return false;
  const before = path[index - 1];
  if (before === undefined) return true;
  if (node.turnId !== null && node.turnId === before.turnId) return false;
  // Messages that no run made, such as imported ones, have no turn.
  return node.turnId !== null || !isWrittenByHeddle(node.message);
}

/** The index of the last message that the summary in use replaces; -1 for none. */
function lastReplaced(path: readonly ForestNode[]): number {
  const through = path[marksOf(path).summaryAt]?.compacts?.through ?? null;
  return through === null ? -1 : path.findLastIndex(({ id }) => id === through);
}
