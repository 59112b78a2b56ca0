import { hasKeptEdits } from "./kept-edits.ts";
import { readText, Stored } from "./stored.ts";

/** The identity of this page for the server. */
export interface Session {
  /** null until the printed address was opened in this browser. */
  readonly token: string | null;
  /** One for each tab; the server gives the same replica number to the same id. */
  readonly clientId: string;
  readonly name: string;
}

const token = new Stored("token", readText, "");
const personName = new Stored("name", readText, "");
/** What others and models read until the person has typed a name. */
const nameDefault = "Guest";
export const nameLengthMax = 60;

/** Removes the token from the address, so that it is not copied with it, and reads the stored session. */
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

/** Returns the secret of a one-time link, of a share link (`visit`), or the question of a program in the address; null without one. */
export function linkInAddress(kind: "link" | "visit" | "consent" = "link"): string | null {
  return new URLSearchParams(location.hash.slice(1)).get(kind);
}

/** Removes a link that was used from the address, so that it is not copied with it. */
export function removeLink(): void {
  history.replaceState(null, "", location.pathname + location.search);
}

/** A person of a team, who came with a session and not with the workspace's token. */
interface Member {
  readonly name: string;
  readonly email: string;
}

let member: Member | null = null;

/** Notes that the page is a signed-in person's. A token of before, from another server at this address, opens nothing here. */
export function signedInAs(person: Member): void {
  member = person;
  token.set("");
}

/** Returns the person of a team whose page this is; null where the workspace's token opened it. */
export function signedInMember(): Member | null {
  return member;
}

/** Returns the headers by which this page's own requests are known: the token, or nothing beside the session's cookie. */
export function authorisation(): Record<string, string> {
  const known = token.get();
  return known === "" ? {} : { authorization: `Bearer ${known}` };
}

export function rememberToken(value: string): void {
  token.set(value);
}

/** Whether the person has typed a name in this browser. */
export function isNamed(): boolean {
  return member !== null || personName.get().trim() !== "";
}

export function rememberName(name: string): void {
  personName.set(name.trim().slice(0, nameLengthMax));
}

/** Returns a unique id: 32 characters after its prefix. */
export function freshId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns where edits outlive their page: null without storage, or without locks, which tell open pages from closed ones. */
export function editStorage(): Storage | null {
  try {
    return "locks" in navigator ? localStorage : null;
  } catch {
    return null;
  }
}

const heldIds = new Set<string>();

/** Whether the page with this id is closed; true from then on, as this page keeps the id. */
export async function claimClosed(clientId: string): Promise<boolean> {
  return heldIds.has(clientId) || holdLock(clientId);
}

// A duplicated tab copies its session storage, and two tabs must not edit as one replica: the tab
// that holds the lock keeps the id, and the other takes a new one.
async function claimTabId(): Promise<string> {
  const key = "heddle.client";
  const known = tabStorage()?.getItem(key) ?? null;
  const storage = editStorage();
  // What this tab had not sent before a reload is sent under its former id.
  const isFree = known !== null && (await holdLock(known)) && !(storage !== null && hasKeptEdits(storage, known));
  const id = isFree ? known : freshId("web");
  if (id !== known) await holdLock(id);
  tabStorage()?.setItem(key, id);
  return id;
}

/** Takes a lock until the page closes; returns false when another page holds it or the browser has no locks. */
function holdLock(name: string): Promise<boolean> {
  if (!("locks" in navigator)) return Promise.resolve(false);
  return new Promise((resolve) => {
    navigator.locks
      .request(`heddle.${name}`, { ifAvailable: true }, (lock) => {
        if (lock !== null) heldIds.add(name);
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
