import { sha256Hex } from "../base/hash.ts";
import type { RunId, ToolCallId, TurnId } from "../base/ids.ts";
import { canonicalJson, type JsonObject } from "../base/json.ts";

/** One thing that somebody did or was refused, for the audit log: never a text, never a secret. */
export interface AuditFacts {
  /** UTC milliseconds. */
  readonly at: number;
  /** The id of the person, link or system that acted. */
  readonly actor: string;
  /** The agent's call through which they acted; null: themself. */
  readonly through: { readonly runId: RunId; readonly turnId: TurnId; readonly callId: ToolCallId | null } | null;
  /** The id of the session or token that the request came with; null: neither. */
  readonly credential: string | null;
  /** The network address, shortened to its network; null where there is none. */
  readonly address: string | null;
  /** What was done, such as `document.share` or `session.started`. */
  readonly act: string;
  /** The key of the object, or an id. */
  readonly object: string;
  readonly outcome: "done" | "refused";
  /** The number of the rights by which it was decided. */
  readonly rightsSeq: number;
  /** What changed, where something did: names and numbers alone. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** An entry of the audit log. Each carries the hash of the one before, so that none can be changed or left out unseen. */
export interface AuditEntry extends AuditFacts {
  /** From 1, without gaps. */
  readonly seq: number;
  /** The hash of the entry before; 64 zeros for the first. */
  readonly previousHash: string;
  readonly hash: string;
}

/** What is told of an act before it is stored. */
export type AuditNote = Omit<AuditFacts, "at" | "rightsSeq" | "before">;

/**
 * Makes an entry that has no place in the log yet: whoever keeps the log gives it its number, time and hash in the transaction of
 * what it tells. A store refuses it as it is.
 */
export function pendingEntry(note: AuditNote): AuditEntry {
  return { ...note, at: 0, rightsSeq: 0, before: null, seq: 0, previousHash: "", hash: "" };
}

export function isPending({ seq }: AuditEntry): boolean {
  return seq === 0;
}

const firstHash = "0".repeat(64);

/** Makes the entry that follows another; null: the first. */
export function auditEntry(previous: AuditEntry | null, facts: AuditFacts): AuditEntry {
  const entry = { ...facts, seq: (previous?.seq ?? 0) + 1, previousHash: previous?.hash ?? firstHash };
  return { ...entry, hash: hashOf(entry) };
}

/** Returns the number of the first entry that does not follow from those before it; null when all do. */
export function firstBrokenEntry(entries: readonly AuditEntry[], before: AuditEntry | null = null): number | null {
  let previous = before;
  for (const entry of entries) {
    const follows = entry.seq === (previous?.seq ?? 0) + 1 && entry.previousHash === (previous?.hash ?? firstHash);
    if (!follows || entry.hash !== hashOf(entry)) return (previous?.seq ?? 0) + 1;
    previous = entry;
  }
  return null;
}

function hashOf(entry: Omit<AuditEntry, "hash"> & { readonly hash?: string }): string {
  return sha256Hex(canonicalJson({ ...entry, hash: undefined }));
}
