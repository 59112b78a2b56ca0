import { readText, Stored } from "./stored.ts";

/** Who this page is to the server. */
export interface Session {
  /** null when nobody has opened the printed address here yet. */
  readonly token: string | null;
  /** One a tab; the server gives the same replica number to the same id. */
  readonly clientId: string;
  readonly name: string;
}

const token = new Stored("token", readText, "");
const personName = new Stored("name", readText, "");
const nameDefault = "You";
export const nameLengthMax = 60;

/** Takes the token out of the address, where it could be copied along, and reads what this browser remembers. */
export async function readSession(): Promise<Session> {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null && given !== "") {
    token.set(given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  const known = given !== null && given !== "" ? given : token.get();
  const name = personName.get().trim();
  return { token: known === "" ? null : known, clientId: await claimTabId(), name: name === "" ? nameDefault : name };
}

/** The token that this page was let in with; empty before. */
export function knownToken(): string {
  return token.get();
}

export function rememberToken(value: string): void {
  token.set(value);
}

export function rememberName(name: string): void {
  personName.set(name.trim().slice(0, nameLengthMax));
}

/** An id that no other page uses: 32 characters after its prefix. */
export function freshId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

// A duplicated tab copies its session storage, and two tabs must not edit as one replica: whoever holds the lock keeps
// the id, the other takes a fresh one.
async function claimTabId(): Promise<string> {
  const key = "heddle.client";
  const known = tabStorage()?.getItem(key) ?? null;
  const id = known !== null && (await holdLock(known)) ? known : freshId("web");
  if (id !== known) await holdLock(id);
  tabStorage()?.setItem(key, id);
  return id;
}

/** Takes a lock until the page ends; false when another page has it, or when there are no locks here. */
function holdLock(name: string): Promise<boolean> {
  if (!("locks" in navigator)) return Promise.resolve(false);
  return new Promise((resolve) => {
    navigator.locks
      .request(`heddle.${name}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise<never>(() => {});
      })
      .catch(() => resolve(false));
  });
}

function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
