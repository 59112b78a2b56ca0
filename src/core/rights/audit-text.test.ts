import { expect, test } from "vitest";
import { auditEntry, firstBrokenEntry, type AuditEntry, type AuditFacts } from "./audit.ts";
import { auditHeading, auditLines } from "./audit-text.ts";

const facts: AuditFacts = {
  at: Date.UTC(2026, 0, 2),
  actor: "person_ada",
  through: null,
  credential: null,
  address: "192.0.2.1",
  act: "document.share",
  object: 'say "hello", twice\nor once',
  outcome: "done",
  rightsSeq: 4,
  before: null,
  after: { rows: [{ role: "editor" }] },
};
const first = auditEntry(null, facts);
const log = [first, auditEntry(first, { ...facts, actor: '=HYPERLINK("http://evil.example")' })];

test("A-40 an audit log as JSON Lines is the same chain when it is read again", () => {
  const text = auditHeading("jsonl") + auditLines(log, "jsonl", String);
  const read = text
    .trimEnd()
    .split("\n")
    .map((line): AuditEntry => JSON.parse(line));
  expect(read).toEqual(log);
  expect(firstBrokenEntry(read)).toBeNull();
});

test("A-40 an audit log as CSV has a cell for each fact, and no cell that a spreadsheet would run", () => {
  const text = auditHeading("csv") + auditLines(log, "csv", (at) => new Date(at).toISOString());
  const [heading = "", ...rest] = text.split("\r\n");
  const names = heading.split(",");
  expect(names.slice(0, 6)).toEqual(["seq", "at", "actor", "act", "object", "outcome"]);
  expect(rest).toHaveLength(3);
  const [one = "", two = ""] = rest;
  expect(one).toBe(
    [
      "1,2026-01-02T00:00:00.000Z,person_ada,document.share",
      '"say ""hello"", twice\nor once",done,,192.0.2.1,,,,4,',
      `"{""rows"":[{""role"":""editor""}]}",${first.previousHash},${first.hash}`,
    ].join(","),
  );
  expect(two).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
});
