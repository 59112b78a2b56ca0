import type { ModelActor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, DraftId } from "../../../core/base/ids.ts";
import type { Result } from "../../../core/base/result.ts";
import type { HeaderProposal, Suggestion, SuggestionReason } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { TextChange, TextVersion } from "../../../core/text/types.ts";
import type { Author } from "../record/types.ts";

/** A model that suggests an edit: its run, turn and tool call. */
export interface Suggester extends Author {
  readonly actor: ModelActor;
}

/** A canvas as a run in suggest mode sees it: with the open hunks of its own that apply to the current text. */
export interface SuggestedView {
  readonly header: BlockHeader;
  readonly text: string;
  readonly textVersion: TextVersion;
  /** What becomes of the file with the run's draft. */
  readonly fileParts: readonly HeaderProposal[];
  /** Open hunks of the run that apply, and those whose lines have changed since. */
  readonly openHunks: number;
  readonly conflictingHunks: number;
}

/** The result of a suggested edit. */
export interface SuggestedEdit extends Omit<SuggestedView, "textVersion" | "fileParts"> {
  /** Changes to the text that the run sees. */
  readonly delta: readonly TextChange[];
  /** null when the text is already so, or the same edit is already suggested. */
  readonly suggestion: Suggestion | null;
}

/** An edit for a person to review. */
export interface NewSuggestion {
  readonly canvasId: BlockId;
  readonly reason: SuggestionReason;
  /** The draft that the edit is a part of. */
  readonly draftId?: DraftId | null;
  /** Conditions that must hold in the same transaction. */
  readonly guards: readonly StoreWrite[];
  /** Only reports whether the suggestion would be accepted. */
  readonly dryRun?: boolean | undefined;
  /** Returns the new text, given the text that the run sees; runs in the canvas's queue. */
  readonly plan: (view: SuggestedView) => Result<string, Refusal>;
}

/** A change beside the text, for a person to review. */
export interface ProposalWish {
  readonly canvasId: BlockId;
  /** Conditions that must hold in the same transaction. */
  readonly guards: readonly StoreWrite[];
  readonly proposes: HeaderProposal;
}
