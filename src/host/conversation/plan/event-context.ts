import type { Actor } from "../../../core/base/actor.ts";
import type { TurnAskers } from "../../../core/port/store.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { BesideReply } from "../base/conversation-ports.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { ExtraPlans } from "./plan-event.ts";

/** What accompanies an event: its sender, and what is stored in the same transaction. */
export interface EventContext extends ExtraPlans, BesideReply {
  readonly sender: Actor;
  /** For whom a turn works that begins; by default for the sender. */
  readonly askers?: TurnAskers;
  /** How a turn that begins asks the model. */
  readonly settings?: TurnSettings;
  /** The message for which a person interrupts the turn. */
  readonly interruption?: WaitingMessage;
}
