import { expect, test } from "vitest";
import { auditEntry, firstBrokenEntry, isPending, pendingEntry, type AuditEntry, type AuditFacts } from "./audit.ts";

function facts(at: number): AuditFacts {
  return {
    at,
    actor: "ada",
    through: null,
    credential: "token_1",
    address: "192.0.2.0/24",
    act: "document.share",
    object: "document:doc/1/1",
    outcome: "done",
    rightsSeq: 3,
    before: { role: null },
    after: { role: "editor" },
  };
}

const log: AuditEntry[] = [];
for (const at of [1, 2, 3, 4]) log.push(auditEntry(log.at(-1) ?? null, facts(at)));

test("A-40 the log is a chain from its first entry on, also when it is read in pieces or stored as JSON", () => {
  expect(log.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(firstBrokenEntry(log)).toBeNull();
  expect(firstBrokenEntry(log.slice(2), log[1])).toBeNull();
  expect(firstBrokenEntry(JSON.parse(JSON.stringify(log)) as AuditEntry[])).toBeNull();
});

test("A-40 an entry that was changed, left out, put in or moved is found", () => {
  const first = log[0];
  const keys = Object.keys(first ?? {}) as (keyof AuditEntry)[];
  for (const key of keys) {
    const other = {
      ...log[1],
      [key]: key === "seq" || key === "at" || key === "rightsSeq" ? 9 : "other",
    } as AuditEntry;
    expect([key, firstBrokenEntry([...log.slice(0, 1), other, ...log.slice(2)])]).toEqual([key, 2]);
  }
  expect(firstBrokenEntry([...log.slice(0, 2), ...log.slice(3)])).toBe(3);
  expect(firstBrokenEntry(log.toReversed())).toBe(1);
  expect(firstBrokenEntry([...log, auditEntry(log[0] ?? null, facts(9))])).toBe(5);
  // Whoever changes an entry and its hash has to change all that follow.
  const forged = auditEntry(first ?? null, { ...facts(2), actor: "bob" });
  expect(firstBrokenEntry([...log.slice(0, 1), forged, ...log.slice(2)])).toBe(3);
});

test("an entry waits for its place in the log until it has a number", () => {
  const { at: _at, rightsSeq: _rights, before: _before, ...note } = facts(1);
  expect(isPending(pendingEntry(note))).toBe(true);
  expect(log.map(isPending)).toEqual([false, false, false, false]);
});
