import type { DraftId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";

/** Settings of the requests of one turn; absent fields default to the conversation's, or the model's own. */
export interface TurnSettings {
  /** `provider/model`. */
  readonly model?: string;
  /** Upper bound of a reply in tokens, from 1. */
  readonly maxTokens?: number;
  /** Models that answer when the turn's model does not, in order; `provider/model`. */
  readonly fallbacks?: readonly string[];
  /** From 0 to 2. */
  readonly temperature?: number;
  /** JSON Schema of type object that the whole text of the answer must fit. */
  readonly outputSchema?: JsonObject;
  /** How many replies to request side by side, each in its own run; from 1 to `completionsMax`, default 1. */
  readonly completions?: number;
  /** Whether the turn works in a draft of its own. Absent: with several replies each does; else as its branch does. */
  readonly inDraft?: boolean;
  /** The draft that the turn works in. */
  readonly draft?: WorkingDraft;
}

/** A draft that a turn works in; `from`: the branch's earlier draft, whose open hunks it begins with. */
export interface WorkingDraft {
  readonly id: DraftId;
  readonly from?: DraftId;
}

/** The most replies that one message may request. */
export const completionsMax = 10;
