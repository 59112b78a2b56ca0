import { describe, expect, test } from "vitest";
import type { GroupId, LinkId, PersonId } from "../../core/base/ids.ts";
import { auditEntry, firstBrokenEntry, type AuditEntry, type AuditFacts } from "../../core/rights/audit.ts";
import { folderPathKey, workspaceKey } from "../../core/rights/object-key.ts";
import type { RightsRow } from "../../core/rights/rights-row.ts";
import { subjectKey } from "../../core/rights/subject.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

const id = (name: string): PersonId => name as PersonId;

/** A person with an account. */
export function personRow(name: string, ended = false): RightsRow {
  return { type: "person", id: id(name), name: `${name} 😀\u0000"\ud800`, ended };
}

/** Entries that follow each other; `previous` null is the beginning of the log. */
export function nextAudit(previous: AuditEntry | null, change: Partial<AuditFacts> = {}): AuditEntry {
  return auditEntry(previous, {
    at: 1_000,
    actor: "ada",
    through: null,
    credential: null,
    address: "2001:db8::/64",
    act: "workspace.people",
    object: workspaceKey,
    outcome: "done",
    rightsSeq: 1,
    before: null,
    after: { name: "Bob \u0000" },
    ...change,
  });
}

const folder = folderPathKey('Plans/a "b" ü\u0000');
const link = { id: "l" as LinkId, object: folder, hash: "h", by: id("ada"), expiresAt: 9_000, ended: false } as const;

/** One row of each form. */
const rows: readonly RightsRow[] = [
  personRow("ada"),
  { type: "group", id: "g" as GroupId, name: "Authors", ended: false },
  { type: "member", group: "g" as GroupId, person: id("ada"), ended: false },
  { type: "share", object: folder, subject: subjectKey({ type: "everyone" }), role: "viewer" },
  { type: "object", object: folder, inherits: false },
  { type: "link", ...link },
];

/** Who may do what, and the audit log. */
export function describeRights(open: OpenStore): void {
  describe("rights and the audit log", () => {
    const fresh = freshStore(open);

    test("rows of rights are read as stored, those of a later change after those of an earlier one", async () => {
      expect(await fresh.store().rights(0)).toEqual([]);
      await fresh.make({ type: "put-rights", seq: 1, rows });
      expect((await fresh.store().rights(0)).map(({ row }) => row)).toEqual(expect.arrayContaining([...rows]));
      const [first = personRow("ada")] = rows;
      const ended: RightsRow = { type: "link", ...link, ended: true };
      await fresh.make({ type: "put-rights", seq: 2, rows: [ended, personRow("bob")] });
      const store = fresh.canReopen() ? await fresh.reopened() : fresh.store();
      expect(await store.rights(1)).toEqual([
        { seq: 2, row: ended },
        { seq: 2, row: personRow("bob") },
      ]);
      expect(await store.rights(2)).toEqual([]);
      const all = await store.rights(0);
      expect(all).toHaveLength(rows.length + 1);
      expect(all).toContainEqual({ seq: 1, row: first });
      expect(all).not.toContainEqual({ seq: 1, row: { ...ended, ended: false } });
    });

    test("N-50 of two changes decided by the same rights one is refused, and leaves nothing behind", async () => {
      await fresh.make({ type: "put-rights", seq: 1, rows });
      const outcomes = await Promise.all(
        ["bob", "cleo"].map((name) => fresh.store().commit([{ type: "put-rights", seq: 2, rows: [personRow(name)] }])),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      const refused = { ok: false, error: { code: "CONFLICT", index: 0, stored: 2 } };
      expect(outcomes.find(({ ok }) => !ok)).toEqual(refused);
      expect(await fresh.store().rights(1)).toHaveLength(1);
      expect(await fresh.refused({ type: "put-rights", seq: 9, rows })).toMatchObject({ stored: 2 });
    });

    test("A-40 the audit log has no gap, is read in pieces, and is a chain as stored", async () => {
      const first = nextAudit(null);
      const second = nextAudit(first, { at: 2_000, outcome: "refused", after: null });
      expect(await fresh.store().auditHead()).toBeNull();
      await fresh.make({ type: "append-audit", entry: first }, { type: "append-audit", entry: second });
      const store = fresh.canReopen() ? await fresh.reopened() : fresh.store();
      expect(await store.auditHead()).toEqual(second);
      expect(await store.audit(0, 1)).toEqual([first]);
      expect(await store.audit(1, 9)).toEqual([second]);
      expect(firstBrokenEntry(await store.audit(0, 9))).toBeNull();
      expect(await fresh.refused({ type: "append-audit", entry: second })).toEqual({
        code: "CONFLICT",
        index: 0,
        stored: 2,
      });
    });

    test("A-40 a change of rights and its entry are made together or not at all", async () => {
      await fresh.make({ type: "put-rights", seq: 1, rows });
      const entry = nextAudit(null);
      const late = { type: "put-rights", seq: 1, rows: [personRow("bob")] } as const;
      expect(await fresh.refused({ type: "append-audit", entry }, late)).toMatchObject({ code: "CONFLICT", index: 1 });
      expect(await fresh.store().auditHead()).toBeNull();
      await fresh.make({ ...late, seq: 2 }, { type: "append-audit", entry });
      expect([await fresh.store().rights(1), await fresh.store().auditHead()]).toEqual([
        [{ seq: 2, row: personRow("bob") }],
        entry,
      ]);
    });
  });
}
