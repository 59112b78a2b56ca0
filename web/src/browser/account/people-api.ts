import type { Role } from "../../../../src/core/rights/role.ts";
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

export function removePerson(person: string): Promise<Answered<unknown>> {
  return ask("/people/remove", { person });
}

export function makeRecoveryLink(person: string): Promise<Answered<OneTimeLink>> {
  return ask("/people/recover", { person });
}
