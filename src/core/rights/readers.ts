import type { GroupId, PersonId } from "../base/ids.ts";
import { type Chain, workspaceKey } from "./object-key.ts";
import { roleOn, subjectsOf, type Rights } from "./rights.ts";
import { roles, type Role } from "./role.ts";
import { subjectKey } from "./subject.ts";

/** Somebody who can see an object, and what gave it to them. */
export interface Reader {
  readonly person: PersonId;
  readonly role: Role;
  /** The role that they were given on the object itself; null: none. */
  readonly given: Role | null;
  readonly from: "here" | "folder" | "conversation" | "workspace";
  /** The group through which they have it; null: they have it themself, or as everyone. */
  readonly group: GroupId | null;
  readonly isEveryone: boolean;
}

/** Returns who can see the first object of a chain and from where, the highest roles first. */
export function readersOf(rights: Rights, chain: Chain): readonly Reader[] {
  const readers = [...rights.people.keys()].flatMap((person) => readerOf(rights, person, chain) ?? []);
  const nameOf = ({ person }: Reader): string => rights.people.get(person) ?? "";
  return readers.toSorted(
    (one, other) => roles.indexOf(other.role) - roles.indexOf(one.role) || (nameOf(one) < nameOf(other) ? -1 : 1),
  );
}

function readerOf(rights: Rights, person: PersonId, chain: Chain): Reader | null {
  const role = roleOn(rights, subjectsOf(rights, person), chain);
  if (role === null) return null;
  const [object] = chain;
  const own = subjectKey({ type: "person", id: person });
  const given = rights.shares.get(object)?.get(own) ?? null;
  const groups = [...rights.groups].flatMap(([id, { members }]) => (members.has(person) ? [id] : []));
  for (const key of chain) {
    const shares = rights.shares.get(key);
    const group = groups.find((id) => shares?.get(subjectKey({ type: "group", id })) === role) ?? null;
    const isEveryone = shares?.get(subjectKey({ type: "everyone" })) === role;
    const from = key === object ? "here" : sourceOf(key);
    if (shares?.get(own) === role) return { person, role, given, from, group: null, isEveryone: false };
    if (group !== null) return { person, role, given, from, group, isEveryone: false };
    if (isEveryone) return { person, role, given, from, group: null, isEveryone };
  }
  return null;
}

function sourceOf(key: Chain[0]): Reader["from"] {
  if (key === workspaceKey) return "workspace";
  return key.startsWith("folder:") ? "folder" : "conversation";
}
