import { marksOf, sentPath } from "../../forest/sent-path.ts";
import type { ForestNode } from "../../forest/types.ts";
import { roughTokensOf } from "../../message/rough-message-tokens.ts";
import type { CompactionWish, Overflow } from "../state/state.ts";
import type { TurnId } from "../../base/ids.ts";
import { compactionCut, type Cut } from "./cut.ts";
import { failedCompactionsMax, partSizes, replyTokensMin, saidBetween, windowAssumed } from "./limits.ts";

/** A branch before its next request. */
export interface BranchBefore {
  readonly path: readonly ForestNode[];
  /** The turn under way; null for none. */
  readonly turnId: TurnId | null;
  /** The window of the model in tokens; null when unknown. */
  readonly window: number | null;
  /** The estimated tokens of the next request; null when unknown. */
  readonly used: number | null;
  /** The share of the window from which on the branch is summed up; null for never. */
  readonly compactAt: number | null;
  /** How many compactions of the branch failed in a row. */
  readonly failed: number;
  /** What a person asked for. */
  readonly wish?: CompactionWish;
  /** Whether the model refused the request as too long, whatever its window and the estimate are. */
  readonly refused?: boolean;
}

/** A compaction that comes before the next request. */
export interface DueCompaction {
  readonly cut: Cut;
  readonly by: "share" | "person";
  readonly overflow: Overflow | null;
}

/** Returns the compaction that comes before the next request; null for none. */
export function dueCompaction(branch: BranchBefore): DueCompaction | null {
  const { path, turnId, used, wish, refused = false } = branch;
  if (wish === undefined && !refused && !(reaches(branch) && canHelp(branch))) return null;
  // What was refused is larger than the window, whatever is known of that.
  const window = refused && used !== null ? Math.min(branch.window ?? used, used) : branch.window;
  const cut = cutOf({ path, turnId, window, wish: wish ?? null });
  if (cut === null) return null;
  return { cut, by: wish === undefined ? "share" : "person", overflow: overflowOf(window, used) };
}

/** Returns where a compaction cuts a branch; `wish`: what a person asked for, null when nobody did. */
export function cutOf({
  path,
  turnId,
  window,
  wish,
}: Pick<BranchBefore, "path" | "turnId" | "window"> & { readonly wish: CompactionWish | null }): Cut | null {
  const { kept } = partSizes(window ?? windowAssumed);
  // A person who asks wants something summed up, however little the branch holds.
  const keptMax = wish === null ? kept : Math.min(kept, Math.floor(sentTokens(path) / 2));
  const { through } = wish ?? {};
  return compactionCut(path, { turnId, keptMax, ...(through === undefined ? {} : { through }) });
}

/** Whether a compaction may begin without a person: it is switched on, and did not fail twice. */
export function mayCompact({ compactAt, failed }: Pick<BranchBefore, "compactAt" | "failed">): boolean {
  return compactAt !== null && failed < failedCompactionsMax;
}

/** Whether a compaction may begin by itself as the window fills: enough was said since the last one, too. */
export function canHelp(branch: Pick<BranchBefore, "path" | "window" | "compactAt" | "failed">): boolean {
  const { path, window } = branch;
  if (!mayCompact(branch) || window === null) return false;
  const { summaryAt: last } = marksOf(path);
  if (last === -1) return true;
  let said = 0;
  for (let index = path.length - 1; index > last; index -= 1) {
    const node = path[index];
    if (node !== undefined && node.excluded !== true) said += roughTokensOf(node.message);
    if (said >= window * saidBetween) return true;
  }
  return false;
}

/** Returns by how much a request is too large for its model's window; null when it fits, or nobody knows. */
export function overflowOf(window: number | null, used: number | null): Overflow | null {
  return window === null || used === null || used + replyTokensMin <= window ? null : { tokens: used, window };
}

function reaches({ window, used, compactAt }: BranchBefore): boolean {
  return window !== null && used !== null && compactAt !== null && used >= window * compactAt;
}

function sentTokens(path: readonly ForestNode[]): number {
  return sentPath(path).sent.reduce((sum, { message }) => sum + roughTokensOf(message), 0);
}
