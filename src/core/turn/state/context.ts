import type { TurnKind } from "../../tool/base/types.ts";

/** The constants of a run; its trace begins with them. */
export interface TurnContext {
  /** A sub-agent ends permanently, takes no messages, and reports to the run that started it. */
  readonly kind: TurnKind;
  /** How many tool rounds one turn may have before the model is asked once more without tools. From 1. */
  readonly roundsMax: number;
}

/** The most tool rounds in one turn of a conversation. */
export const conversationRoundsMax = 200;

/** The most tool rounds of one sub-agent. */
export const subAgentRoundsMax = 50;

/** How many times in a row the process may stop at the same place of a turn before a person decides whether to go on. */
export const restartsMax = 5;

/** From this share of a model's window on, the calls of a reply are not run and the model is asked for a summary. */
export const contextFull = 0.9;

/** Above this share of a model's window people are warned. */
export const contextWarning = 0.8;
