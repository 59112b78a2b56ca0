import type { Actor } from "../../../core/base/actor.ts";
import type { ModelRequestFacts } from "../../../core/forest/types.ts";
import type { TurnSettings } from "../../../core/turn/settings.ts";
import type { Alongside } from "./plan-event.ts";

/** What comes with an event: who sent it, and what its transaction holds besides. */
export interface EventContext extends Alongside {
  readonly sender: Actor;
  /** How a turn that begins asks the model. */
  readonly settings?: TurnSettings;
  /** How the model was asked for the reply that the event brings. */
  readonly request?: ModelRequestFacts;
}
