import type { PersonId } from "../../core/base/ids.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";
import { type Chain, workspaceKey } from "../../core/rights/object-key.ts";
import { roleOn, subjectsOf, type Rights } from "../../core/rights/rights.ts";
import { isAtLeast, type Role } from "../../core/rights/role.ts";
import type { SubjectKey } from "../../core/rights/subject.ts";
import type { RightsKeeper } from "./rights-keeper.ts";

/** A person with an account who asks, through a session or a scoped token: what they may is decided when they ask. */
export interface Member {
  readonly id: PersonId;
  readonly keeper: Pick<RightsKeeper, "rights" | "decide">;
  /** When they proved last who they are, UTC milliseconds; null where that is not asked, as for a scoped token. */
  readonly authenticatedAt: number | null;
  /** The id of the session or scoped token that they came with, for the audit log. */
  readonly credential?: string;
  /** The network that they came from, for the audit log. */
  readonly network?: string;
}

/** Who asks. Neither: the one person who owns everything in the workspace. */
export interface Asking {
  /** What the token allows that they ask with, at most. */
  readonly grant?: Grant | null;
  readonly member?: Member | null;
}

/** Returns whether somebody has this role on the first object of a chain, by the rights of the moment. */
export function roleTest(keeper: Pick<RightsKeeper, "rights">, id: PersonId): (chain: Chain, role: Role) => boolean {
  let known: Rights | null = null;
  let subjects: readonly SubjectKey[] = [];
  return (chain, role) => {
    const { rights } = keeper;
    if (rights !== known) {
      known = rights;
      subjects = subjectsOf(rights, id);
    }
    return isAtLeast(roleOn(rights, subjects, chain), role);
  };
}

/** Whether two people may know that the other is there: both have a role in the workspace itself. */
export function shareWorkspace({ rights }: Pick<RightsKeeper, "rights">, one: PersonId, other: PersonId): boolean {
  if (one === other) return true;
  return [one, other].every((id) => roleOn(rights, subjectsOf(rights, id), [workspaceKey]) !== null);
}
