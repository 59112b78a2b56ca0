import type { PersonActor } from "../../core/base/actor.ts";
import type { AccessToken } from "./access-tokens.ts";
import type { Member } from "./member.ts";

/** A person of a team who sends a request. */
export interface SignedIn {
  readonly actor: PersonActor;
  readonly member: Member;
  /** The scoped token that they came with; null: a session. */
  readonly token: AccessToken | null;
  /** The id of the session; null: a token. */
  readonly sessionId: string | null;
}
