import type { LinkId, PersonId } from "../base/ids.ts";
import { workspaceKey, type Chain, type ObjectKey } from "./object-key.ts";
import { roleOn, subjectsOf, type Rights } from "./rights.ts";
import { isAtLeast } from "./role.ts";
import { subjectKey, type SubjectKey } from "./subject.ts";
import type { Right } from "./token-right.ts";
import { verbRow, type Verb } from "./verb-table.ts";

/** Who asks, at one moment. */
export type Asker =
  | {
      readonly type: "person";
      readonly id: PersonId;
      /** When the person proved last who they are, UTC milliseconds; null where nobody signs in. */
      readonly authenticatedAt: number | null;
      /** What the scoped token allows through which they ask; null: they ask themselves. */
      readonly token: TokenLimits | null;
    }
  | { readonly type: "link"; readonly id: LinkId };

/** What a scoped token allows at most: its person may do no less without it. */
export interface TokenLimits {
  readonly rights: readonly Right[];
  /** The objects that it reaches, with all that lies in them; null: all. */
  readonly within: ReadonlySet<ObjectKey> | null;
}

/** What is asked. */
export interface Question {
  readonly verb: Verb;
  /** The object and what it lies in; null where there is no such object. */
  readonly chain: Chain | null;
  /** Whether the asker made it. */
  readonly isOwn?: boolean;
  /** UTC milliseconds. */
  readonly now: number;
}

/**
 * `hidden` is answered as if there were no such object; only of what somebody may see is anything `refused`. With
 * `reauthenticate` the same request is allowed once the person has proved again who they are.
 */
export type Decision = "allowed" | "hidden" | "refused" | "reauthenticate";

/** How long a person counts as just signed in. */
export const freshMs = 10 * 60 * 1000;

/** Decides one question by the rights of one moment. */
export function decide(rights: Rights, asker: Asker, { verb, chain, isOwn = false, now }: Question): Decision {
  if (chain === null) return "hidden";
  const needed = verbRow(verb);
  const subjects = activeSubjects(rights, asker, now);
  const isAccountEnough = needed.account && asker.type === "person" && subjects.length > 0 && chain[0] === workspaceKey;
  const role = roleOn(rights, subjects, chain) ?? (isAccountEnough ? "viewer" : null);
  if (role === null || !reaches(asker, chain)) return "hidden";
  if (asker.type === "link") return needed.link && isAtLeast(role, needed.role) ? "allowed" : "refused";
  if (asker.token !== null && (needed.token === null || !asker.token.rights.includes(needed.token))) return "refused";
  if (!isAtLeast(role, isOwn && needed.own !== undefined ? needed.own : needed.role)) return "refused";
  const isStale = asker.authenticatedAt !== null && now - asker.authenticatedAt > freshMs;
  return needed.fresh && isStale ? "reauthenticate" : "allowed";
}

/** Returns whose roles an asker has now: none after the account or the link ended. */
function activeSubjects(rights: Rights, asker: Asker, now: number): readonly SubjectKey[] {
  if (asker.type === "person") return subjectsOf(rights, asker.id);
  const link = rights.locks.has("links") ? undefined : rights.links.get(asker.id);
  return link !== undefined && link.expiresAt > now ? [subjectKey({ type: "link", id: asker.id })] : [];
}

function reaches(asker: Asker, chain: Chain): boolean {
  if (asker.type === "link" || asker.token === null || asker.token.within === null) return true;
  const { within } = asker.token;
  return chain.some((object) => within.has(object));
}
