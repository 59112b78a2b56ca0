import type { RunRecord } from "../../../core/port/store.ts";
import { conversationRoundsMax, subAgentRoundsMax, type TurnContext } from "../../../core/turn/state/context.ts";

const conversation: TurnContext = { kind: "conversation", roundsMax: conversationRoundsMax };
const subAgent: TurnContext = { kind: "sub-agent", roundsMax: subAgentRoundsMax };

/** Returns the facts about a run that the turn machine needs and that never change. */
export function contextOf({ subAgent: of }: Pick<RunRecord, "subAgent">): TurnContext {
  return of === null ? conversation : subAgent;
}
