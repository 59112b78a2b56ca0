import { ask, type Answered, type SignOnChoice } from "./sign-in-api.ts";

export interface Passkey {
  readonly id: string;
  readonly name: string | null;
  /** UTC milliseconds. */
  readonly madeAt: number;
}

/** What a person signs in with. */
export interface Account {
  readonly name: string;
  readonly email: string;
  readonly hasSecondFactor: boolean;
  readonly passkeys: readonly Passkey[];
  /** Whether they sign in with a password; without one, the provider of the team proves who they are. */
  readonly hasPassword: boolean;
  /** The address of their account at the provider of the team; null: none is connected. */
  readonly connected: string | null;
  /** The provider of the team; null: it has none. */
  readonly signOn: SignOnChoice | null;
}

/** A browser in which the person is signed in. */
export interface OpenSession {
  readonly id: string;
  /** UTC milliseconds. */
  readonly madeAt: number;
  readonly seenAt: number;
  /** The browser and system, in words. */
  readonly label: string;
  readonly address: string;
  readonly isThis: boolean;
}

/** What an authenticator needs, and the codes for who has lost theirs. Shown once. */
export interface NewSecondFactor {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export async function readAccount(): Promise<Answered<Account>> {
  const state = await ask<{ readonly person: Account; readonly singleSignOn: SignOnChoice | null }>("/state");
  return state.ok ? { ok: true, value: { ...state.value.person, signOn: state.value.singleSignOn } } : state;
}

/** Lets the person sign in here no longer with their account at the provider. */
export function disconnectSignOn(): Promise<Answered<unknown>> {
  return ask("/sign-on/disconnect", {});
}

export async function listSessions(): Promise<Answered<readonly OpenSession[]>> {
  const listed = await ask<{ readonly sessions: readonly OpenSession[] }>("/sessions");
  return listed.ok ? { ok: true, value: listed.value.sessions } : listed;
}

export function endSession(id: string): Promise<Answered<unknown>> {
  return ask("/sessions/end", { id });
}

export function endOtherSessions(): Promise<Answered<{ readonly ended: number }>> {
  return ask("/sessions/end", { others: true });
}

/** Begins to set up a second factor: it counts once a code of it was given. */
export function beginSecondFactor(password: string): Promise<Answered<NewSecondFactor>> {
  return ask("/two-factor/enable", { password });
}

export function confirmSecondFactor(code: string): Promise<Answered<unknown>> {
  return ask("/two-factor/verify-totp", { code: code.replaceAll(/\s/gu, "") });
}

export function removeSecondFactor(password: string): Promise<Answered<unknown>> {
  return ask("/two-factor/disable", { password });
}

/** Makes other recovery codes; the ones before are worth nothing from then on. */
export function renewRecoveryCodes(password: string): Promise<Answered<{ readonly backupCodes: readonly string[] }>> {
  return ask("/two-factor/generate-backup-codes", { password });
}

export function removePasskey(id: string): Promise<Answered<unknown>> {
  return ask("/passkey/delete-passkey", { id });
}
