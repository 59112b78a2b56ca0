/** How the model is asked in one turn; what is left out is the conversation's, or the model's own. */
export interface TurnSettings {
  /** `provider/model`. */
  readonly model?: string;
  /** Upper bound of a reply in tokens, from 1. */
  readonly maxTokens?: number;
  /** From 0 to 2. */
  readonly temperature?: number;
  /** How many replies are asked for side by side, each in a run of its own; from 1 to `completionsMax`, 1 where left out. */
  readonly completions?: number;
}

/** The most replies that one message may ask for. */
export const completionsMax = 10;
