import { expect, test } from "vitest";
import type { BlockId, GroupId, LinkId, PersonId } from "../base/ids.ts";
import { canvasChain, documentKey, folderPathKey, workspaceKey, type Chain, type ObjectKey } from "./object-key.ts";
import { decide, freshMs, type Asker, type Decision } from "./decide.ts";
import type { RightsRow } from "./rights-row.ts";
import { noRights, withRows, type Rights } from "./rights.ts";
import { roles, type Role } from "./role.ts";
import { subjectKey, type Subject } from "./subject.ts";
import { rights as tokenRights } from "./token-right.ts";
import { verbRow, verbs } from "./verb-table.ts";

const ada = "ada" as PersonId;
const group = "g" as GroupId;
const link = "l" as LinkId;
const plan = "plan" as BlockId;
const chain: Chain = canvasChain(plan, "Plans/2026");
const now = 1_000_000_000;

const people: readonly RightsRow[] = [
  { type: "person", id: ada, name: "Ada", ended: false },
  { type: "group", id: group, name: "Authors", ended: false },
];
const joined: RightsRow = { type: "member", group, person: ada, ended: false };

/** The ways in which somebody may have a role on the document. */
const ways: Readonly<Record<string, (role: Role) => readonly RightsRow[]>> = {
  own: (role) => [share(documentKey(plan), { type: "person", id: ada }, role)],
  "from its folder": (role) => [share(folderPathKey("Plans/2026"), { type: "person", id: ada }, role)],
  "from the folder above": (role) => [share(folderPathKey("Plans"), { type: "person", id: ada }, role)],
  "from the workspace": (role) => [share(workspaceKey, { type: "person", id: ada }, role)],
  "by a group": (role) => [joined, share(folderPathKey("Plans"), { type: "group", id: group }, role)],
  "as everyone": (role) => [share(workspaceKey, { type: "everyone" }, role)],
  "beside a lower one": (role) => [
    share(documentKey(plan), { type: "person", id: ada }, role),
    share(workspaceKey, { type: "everyone" }, "viewer"),
  ],
};

/** The ways in which somebody has none, although rows are there. */
const none: Readonly<Record<string, readonly RightsRow[]>> = {
  nothing: [],
  "of another document": [share(documentKey("other" as BlockId), { type: "person", id: ada }, "owner")],
  "of a folder beside": [share(folderPathKey("Plans/2027"), { type: "person", id: ada }, "owner")],
  "of a group of others": [share(documentKey(plan), { type: "group", id: group }, "owner")],
  "above a closed folder": [
    share(workspaceKey, { type: "person", id: ada }, "owner"),
    { type: "object", object: folderPathKey("Plans"), inherits: false },
  ],
  "of an account that ended": [
    share(documentKey(plan), { type: "person", id: ada }, "owner"),
    { type: "person", id: ada, name: "Ada", ended: true },
  ],
  "taken away": [
    share(documentKey(plan), { type: "person", id: ada }, "owner"),
    { type: "share", object: documentKey(plan), subject: subjectKey({ type: "person", id: ada }), role: null },
  ],
};

function share(object: ObjectKey, subject: Subject, role: Role): RightsRow {
  return { type: "share", object, subject: subjectKey(subject), role };
}

const rightsWith = (rows: readonly RightsRow[]): Rights => withRows(noRights, [...people, ...rows]);
const asker = (more: Partial<Extract<Asker, { type: "person" }>> = {}): Asker => ({
  type: "person",
  id: ada,
  authenticatedAt: now,
  token: null,
  ...more,
});

test.each(Object.entries(ways))("A-01 every verb with every role %s is as the table says", (_way, rowsOf) => {
  for (const verb of verbs) {
    const { role: needed, own } = verbRow(verb);
    for (const [height, role] of roles.entries()) {
      const rights = rightsWith(rowsOf(role));
      const enough = (least: Role): Decision => (height >= roles.indexOf(least) ? "allowed" : "refused");
      const said = [false, true].map((isOwn) => decide(rights, asker(), { verb, chain, isOwn, now }));
      expect([verb, role, ...said]).toEqual([verb, role, enough(needed), enough(own ?? needed)]);
    }
  }
});

test.each(Object.entries(none))(
  "A-01 A-02 no verb without a role, %s: answered like what does not exist",
  (_way, rows) => {
    const rights = rightsWith(rows);
    for (const verb of verbs) {
      expect([verb, decide(rights, asker(), { verb, chain, isOwn: true, now })]).toEqual([verb, "hidden"]);
      expect(decide(rights, asker(), { verb, chain: null, now })).toBe("hidden");
    }
  },
);

test("A-19 a link reads what it is for, and no more, until it ends", () => {
  const made = (row: object, role: Role = "viewer"): Rights =>
    rightsWith([
      share(folderPathKey("Plans"), { type: "link", id: link }, role),
      {
        type: "link",
        id: link,
        object: folderPathKey("Plans"),
        hash: "",
        by: ada,
        expiresAt: now + 1,
        ended: false,
        ...row,
      },
    ]);
  const holder: Asker = { type: "link", id: link };
  for (const verb of verbs) {
    const expected = ["folder.see", "document.read", "conversation.read"].includes(verb) ? "allowed" : "refused";
    expect([verb, decide(made({}), holder, { verb, chain, isOwn: true, now })]).toEqual([verb, expected]);
    const commenting = verb === "document.comment" ? "allowed" : expected;
    expect([verb, decide(made({}, "commenter"), holder, { verb, chain, now })]).toEqual([verb, commenting]);
    expect(decide(made({}), holder, { verb, chain: [workspaceKey], now })).toBe("hidden");
    expect(decide(made({}), holder, { verb, chain: canvasChain(plan, "Elsewhere"), now })).toBe("hidden");
    expect(decide(made({ expiresAt: now }), holder, { verb, chain, now })).toBe("hidden");
    expect(decide(made({ ended: true }), holder, { verb, chain, now })).toBe("hidden");
    const locked = withRows(made({}), [{ type: "lock", setting: "links", by: ada }]);
    expect(decide(locked, holder, { verb, chain, now })).toBe("hidden");
    expect(decide(withRows(locked, [{ type: "lock", setting: "links", by: null }]), holder, { verb, chain, now })).toBe(
      decide(made({}), holder, { verb, chain, now }),
    );
  }
});

test("A-26 a token allows what its rights and its person's role both do, within what it reaches", () => {
  for (const verb of verbs) {
    const { token, role: needed } = verbRow(verb);
    for (const role of roles) {
      const rights = rightsWith(ways["own"]?.(role) ?? []);
      for (const right of tokenRights) {
        const limited = (within: ReadonlySet<Chain[0]> | null): Decision =>
          decide(rights, asker({ token: { rights: [right], within } }), { verb, chain, now });
        const isEnough = token === right && roles.indexOf(role) >= roles.indexOf(needed);
        expect([verb, role, right, limited(null)]).toEqual([verb, role, right, isEnough ? "allowed" : "refused"]);
        expect(limited(new Set([folderPathKey("Plans")]))).toBe(limited(null));
        expect(limited(new Set([folderPathKey("Plans/2027")]))).toBe("hidden");
      }
    }
  }
});

test("A-36 what needs a fresh sign-in asks for it, once the role is enough", () => {
  const stale = asker({ authenticatedAt: now - freshMs - 1 });
  for (const verb of verbs) {
    const row = verbRow(verb);
    const ofOwner = decide(rightsWith(ways["own"]?.("owner") ?? []), stale, { verb, chain, now });
    expect([verb, ofOwner]).toEqual([verb, row.fresh ? "reauthenticate" : "allowed"]);
    const ofViewer = decide(rightsWith(ways["own"]?.("viewer") ?? []), stale, { verb, chain, now });
    if (row.role !== "viewer") expect(ofViewer).toBe("refused");
  }
});
