import type { RunRecord } from "../../../core/port/store.ts";
import { conversationRoundsMax, subAgentRoundsMax, type TurnContext } from "../../../core/turn/context.ts";

const conversation: TurnContext = { kind: "conversation", roundsMax: conversationRoundsMax };
const subAgent: TurnContext = { kind: "sub-agent", roundsMax: subAgentRoundsMax };

/** What a run is for the machine, as long as it lives. */
export function contextOf({ subAgent: of }: Pick<RunRecord, "subAgent">): TurnContext {
  return of === null ? conversation : subAgent;
}
