import type { TurnKind } from "../tool/types.ts";

/** What stays the same in a run for as long as it lives; a trace begins with it. */
export interface TurnContext {
  /** A sub-agent ends for good, cannot be spoken to, and reports to the run that asked for it. */
  readonly kind: TurnKind;
  /** How often a model may call tools in one turn before it is asked once more without them. From 1. */
  readonly roundsMax: number;
}

/** The tool rounds of one turn of a conversation. */
export const conversationRoundsMax = 200;

/** The tool rounds of one sub-agent. */
export const subAgentRoundsMax = 50;

/** How often in a row a process may stop in the same place of a turn before a person is asked whether it is to go on. */
export const restartsMax = 5;

/** From this share of a model's window on, the calls of a reply are not run and the model is asked to sum up. */
export const contextFull = 0.9;

/** Above this share of a model's window people are warned. */
export const contextWarning = 0.8;
