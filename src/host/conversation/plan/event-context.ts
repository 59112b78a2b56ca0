import type { Actor } from "../../../core/base/actor.ts";
import type { PersonId } from "../../../core/base/ids.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { BesideReply } from "../base/conversation-ports.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { ExtraPlans } from "./plan-event.ts";

/** What accompanies an event: its sender, and what is stored in the same transaction. */
export interface EventContext extends ExtraPlans, BesideReply {
  readonly sender: Actor;
  /** Whose budget a turn uses that begins; by default the sender's. */
  readonly payer?: PersonId;
  /** How a turn that begins asks the model. */
  readonly settings?: TurnSettings;
  /** The message for which a person interrupts the turn. */
  readonly interruption?: WaitingMessage;
}
