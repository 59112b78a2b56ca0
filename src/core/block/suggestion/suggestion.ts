import type { Actor, ModelActor } from "../../base/actor.ts";
import type { BlockId, HunkId, SuggestionId } from "../../base/ids.ts";
import type { AgentId, OpId, OpSpan } from "../../text/types.ts";

/** Why an edit waits for a person: the canvas's policy says so, or a person had taken the canvas while it was on its way. */
export const suggestionReasons = ["policy", "late-write"] as const;
export type SuggestionReason = (typeof suggestionReasons)[number];

/** `replaced`: the agent itself wrote something else there since, or took it back; such a hunk has no text any more. */
export const hunkStates = ["open", "kept", "rejected", "replaced"] as const;
export type HunkState = (typeof hunkStates)[number];

/** What one tool call would change in a canvas. A record of its own: it outlives the lease, the turn and the server. */
export interface Suggestion {
  readonly id: SuggestionId;
  readonly canvasId: BlockId;
  /** Counts its changes; 1 when it was made. Fences its writer. */
  readonly version: number;
  /** The version of the canvas that it was made against. */
  readonly canvasVersion: number;
  /** The model, with its run, its turn and its tool call. */
  readonly author: ModelActor;
  /** The number under which its text is written when it is kept, so that blame leads to the author. */
  readonly agent: AgentId;
  readonly reason: SuggestionReason;
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** In the order of the text; at least one. */
  readonly hunks: readonly SuggestedHunk[];
}

/** Whole lines that would give way to other whole lines: what a person decides about at once. */
export interface SuggestedHunk {
  readonly id: HunkId;
  readonly state: HunkState;
  /** Lines [startLine, endLine) of the canvas at `canvasVersion`, from 0; none of them for an insertion before startLine. */
  readonly startLine: number;
  readonly endLine: number;
  /** Those lines with their terminators, and what would stand there. */
  readonly oldText: string;
  readonly newText: string;
  /** Up to three lines around them at `canvasVersion`, with their terminators. */
  readonly contextBefore: string;
  readonly contextAfter: string;
  readonly anchor: HunkAnchor;
  /** The last decision; it stands while the state is its outcome, and was undone when the hunk is open again. */
  readonly decision?: HunkDecision;
}

/**
 * Where a hunk belongs, by the units of the text themselves: they are the same in every replica, whatever is written
 * around them, after a restart and after old history was let go.
 */
export interface HunkAnchor {
  /** The units of the old text, in order. */
  readonly own: readonly OpSpan[];
  /** The units right before and right after; null at the beginning and the end of the text. */
  readonly before: OpId | null;
  readonly after: OpId | null;
}

/** What somebody decided about a hunk, and when. */
export interface HunkDecision {
  /** The undo unit of the act; all hunks that were decided at once share it. */
  readonly unitId: string;
  readonly outcome: "kept" | "rejected";
  readonly by: Actor;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Whether a person has something to decide about it. */
export function isOpen(suggestion: Suggestion): boolean {
  return suggestion.hunks.some(({ state }) => state === "open");
}

/** When it was made, or when somebody last decided about a hunk of it; UTC milliseconds. */
export function touchedAt({ createdAt, hunks }: Suggestion): number {
  return hunks.reduce((last, { decision }) => Math.max(last, decision?.at ?? 0), createdAt);
}

/** The hunks of several suggestions that wait for a decision, in the order of the suggestions. */
export function openHunks(suggestions: readonly Suggestion[]): readonly SuggestedHunk[] {
  return suggestions.flatMap(({ hunks }) => hunks.filter(({ state }) => state === "open"));
}

/** The suggestions of a canvas after news of them: `whole` are all that are open, else those that changed. */
export function takeSuggestions(
  known: readonly Suggestion[],
  news: { readonly whole: boolean; readonly suggestions: readonly Suggestion[] },
): readonly Suggestion[] {
  if (news.whole) return news.suggestions;
  const changedById = new Map(news.suggestions.map((suggestion) => [suggestion.id, suggestion]));
  const kept = known.map((suggestion) => {
    const changed = changedById.get(suggestion.id);
    changedById.delete(suggestion.id);
    return changed !== undefined && changed.version >= suggestion.version ? changed : suggestion;
  });
  const all = [...kept, ...changedById.values()].filter(isOpen);
  // One that is open again takes its place among the others.
  return all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
