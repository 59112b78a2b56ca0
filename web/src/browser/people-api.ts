import type { Role } from "../../../src/core/rights/role.ts";
import { ask, type Answered } from "./sign-in-api.ts";

/** A person of the team, as far as the asker may know them. */
export interface TeamPerson {
  readonly id: string;
  readonly name: string;
  /** Their role on the whole workspace; null: they have what others share with them. */
  readonly role: Role | null;
  readonly email?: string | null;
}

/** A link that nobody has used yet. */
export interface Invitation {
  readonly id: string;
  readonly email: string | null;
  readonly role: Role | null;
  /** UTC milliseconds. */
  readonly expiresAt: number;
}

export interface People {
  readonly people: readonly TeamPerson[];
  readonly invitations?: readonly Invitation[];
  readonly mayManage: boolean;
}

/** A one-time link, which is shown once. */
export interface OneTimeLink {
  readonly link: string;
  readonly expiresAt: number;
}

export function listPeople(): Promise<Answered<People>> {
  return ask("/people");
}

export function invite(email: string, role: Role | null): Promise<Answered<OneTimeLink>> {
  return ask("/people/invite", { email: email.trim() === "" ? null : email.trim(), role });
}

export function withdrawInvitation(id: string): Promise<Answered<unknown>> {
  return ask("/people/withdraw", { id });
}

export function setRole(person: string, role: Role | null): Promise<Answered<unknown>> {
  return ask("/people/role", { person, role });
}

export function removePerson(person: string): Promise<Answered<unknown>> {
  return ask("/people/remove", { person });
}

export function makeRecoveryLink(person: string): Promise<Answered<OneTimeLink>> {
  return ask("/people/recover", { person });
}

/** What is shared: a document or a conversation. */
export interface SharedThing {
  readonly type: "document" | "conversation";
  readonly id: string;
}

/** Somebody who can see a thing. */
export interface Reader {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The role that they were given on the thing itself; null: they have theirs from elsewhere. */
  readonly given: Role | null;
  /** `here`, or the kind of what the thing lies in. */
  readonly from: string;
}

export interface Shares {
  readonly people: readonly Reader[];
  /** The role of everyone in the workspace on the thing itself. */
  readonly everyone: Role | null;
  readonly inherits: boolean;
  readonly mayShare: boolean;
}

export function sharesOf({ type, id }: SharedThing): Promise<Answered<Shares>> {
  return ask("/share/of", { type, id });
}

/** Gives somebody a role on a thing, or takes it; `person` null: everyone in the workspace. */
export function share(
  { type, id }: SharedThing,
  { person, role }: { readonly person: string | null; readonly role: Role | null },
): Promise<Answered<unknown>> {
  return ask("/share", { type, id, person, role });
}

export function setInherits({ type, id }: SharedThing, inherits: boolean): Promise<Answered<unknown>> {
  return ask("/share/inherits", { type, id, inherits });
}
