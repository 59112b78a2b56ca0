import type { PersonActor } from "../../core/base/actor.ts";
import { hash8 } from "../../core/base/hash.ts";
import type { ActorId } from "../../core/base/ids.ts";

/**
 * Returns the person with a name. The same name is the same person on every page and after every restart: one token
 * opens the workspace, so people are trusted to be who they say.
 */
export function personNamed(name: string): PersonActor {
  return { type: "person", id: `person_${hash8(name.trim().toLowerCase())}` as ActorId, name: name.trim() };
}
