import type { Actor, ModelActor, PersonActor } from "../../base/actor.ts";
import type { BlockId, DraftId, HunkId, RunId, SuggestionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ReplicaId, OpId, OpSpan } from "../../text/types.ts";

/**
 * Why an edit waits for a person: the canvas's policy requires it; a person took control while the edit was on its way; it
 * belongs to a draft; or a person brought an earlier text here.
 */
export const suggestionReasons = ["policy", "late-write", "draft", "brought"] as const;
export type SuggestionReason = (typeof suggestionReasons)[number];

/** `replaced`: the agent itself has since written something else there or withdrawn the hunk; such a hunk has no text. */
export const hunkStates = ["open", "kept", "rejected", "replaced"] as const;
export type HunkState = (typeof hunkStates)[number];

/**
 * What one tool call, or a person, would change in a canvas. Stored separately: it outlives the lease, the turn and the
 * server process.
 */
export interface Suggestion {
  readonly id: SuggestionId;
  readonly canvasId: BlockId;
  /** Number of changes; 1 when created. Fences its writer. */
  readonly version: number;
  /** The version of the canvas against which it was made. */
  readonly canvasVersion: number;
  /** The model, with its run, its turn and its tool call; a person who brought an earlier text here. */
  readonly author: SuggestionAuthor;
  /** The replica that writes its text when it is kept, so that blame leads to the author. */
  readonly replica: ReplicaId;
  readonly reason: SuggestionReason;
  /** The draft that it is a part of. Absent: it waits for a review of the shared text. */
  readonly draftId?: DraftId;
  /** Set while the last message that names its draft is in the trash: nobody sees the draft meanwhile. */
  readonly inTrash?: boolean;
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** In text order; at least one. */
  readonly hunks: readonly SuggestedHunk[];
}

export type SuggestionAuthor = ModelActor | PersonActor;

/** Whether a run made it. */
export function isByRun({ author }: Suggestion, runId: RunId): boolean {
  return author.type === "model" && author.runId === runId;
}

/** Whole lines that would be replaced by other whole lines: the unit of a person's decision. */
export interface SuggestedHunk {
  readonly id: HunkId;
  readonly state: HunkState;
  /** Lines [startLine, endLine) of the canvas at `canvasVersion`, from 0; empty for an insertion before startLine. */
  readonly startLine: number;
  readonly endLine: number;
  /** The old lines with their terminators, and the new lines. */
  readonly oldText: string;
  readonly newText: string;
  /** Up to three context lines at `canvasVersion`, with their terminators. */
  readonly contextBefore: string;
  readonly contextAfter: string;
  readonly anchor: HunkAnchor;
  /** Others who wrote in these lines of a draft before its author, each once. */
  readonly alsoBy?: readonly SuggestionAuthor[];
  /** Set for a hunk without lines, which would delete the canvas or change what it has beside its text. */
  readonly proposes?: HeaderProposal;
  /** The last decision; in effect while the state equals its outcome, and undone when the hunk is open again. */
  readonly decision?: HunkDecision;
}

/**
 * What an agent would change in a reviewed canvas beside its text: its deletion, or its flags and metadata. In a draft: what
 * becomes of the file.
 */
export type HeaderProposal =
  /** A file that only drafts have becomes one of its folder. */
  | { readonly type: "create"; readonly path: string }
  /** `of`: SHA-256 of the text that the deletion in a draft is about. */
  | { readonly type: "delete"; readonly of?: string }
  | {
      readonly type: "update";
      readonly collapsed?: boolean;
      readonly excluded?: boolean;
      /** Where the canvas's file would be moved, and in a draft from where. */
      readonly path?: string;
      readonly from?: string;
      /** Metadata to set; null removes a field. */
      readonly metadata?: JsonObject;
    };

/**
 * The place of a hunk, given by the units of the text: units are the same in every replica, whatever is written around them,
 * and remain valid after a restart and after compaction.
 */
export interface HunkAnchor {
  /** The units of the old text, in order. */
  readonly own: readonly OpSpan[];
  /** The units directly before and after; null at the beginning and the end of the text. */
  readonly before: OpId | null;
  readonly after: OpId | null;
}

/** A decision about a hunk. */
export interface HunkDecision {
  /** The undo unit of the decision; shared by all hunks decided at once. */
  readonly unitId: string;
  readonly outcome: "kept" | "rejected";
  readonly by: Actor;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Whether a person still has to decide about a hunk of the suggestion. */
export function isOpen(suggestion: Suggestion): boolean {
  return suggestion.hunks.some(({ state }) => state === "open");
}

/** When it was made, or when a hunk of it was last decided; UTC milliseconds. */
export function touchedAt({ createdAt, hunks }: Suggestion): number {
  return hunks.reduce((last, { decision }) => Math.max(last, decision?.at ?? 0), createdAt);
}

/** The open hunks of several suggestions, in the order of the suggestions. */
export function openHunks(suggestions: readonly Suggestion[]): readonly SuggestedHunk[] {
  return suggestions.flatMap(({ hunks }) => hunks.filter(({ state }) => state === "open"));
}

/** Merges an update into a canvas's suggestions: with `whole`, all open ones; otherwise those that changed. */
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
  // A suggestion that is open again returns to its place in the order.
  return all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
