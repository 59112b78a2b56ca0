import type { PersonActor } from "../../core/base/actor.ts";
import { hash8 } from "../../core/base/hash.ts";
import type { ActorId } from "../../core/base/ids.ts";

/**
 * The person of a name, as the author of commands. The same name is the same person on every page and after every
 * restart: one token opens the workspace, so a person is who they say.
 */
export function personNamed(name: string): PersonActor {
  return { type: "person", id: `person_${hash8(name.trim().toLowerCase())}` as ActorId, name: name.trim() };
}
