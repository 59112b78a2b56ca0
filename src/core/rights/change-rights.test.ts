import { expect, test } from "vitest";
import { after } from "./after.test-support.ts";
import type { BlockId, GroupId, LinkId, PersonId } from "../base/ids.ts";
import { changeRights, linkLifeMsMax, type RightsChange } from "./change-rights.ts";
import { canvasChain, documentKey, workspaceKey } from "./object-key.ts";
import { noRights, ownersOf, peopleOn, quotesByAskers, roleOn, subjectsOf, type Rights } from "./rights.ts";
import type { Subject } from "./subject.ts";

const [ada, bob, cleo] = ["ada" as PersonId, "bob" as PersonId, "cleo" as PersonId];
const [one, two] = ["g1" as GroupId, "g2" as GroupId];
const plan = documentKey("plan" as BlockId);
const chain = canvasChain("plan" as BlockId, "");
const person = (id: PersonId): Subject => ({ type: "person", id });

/** Ada owns the workspace; Bob and Cleo have accounts. */
const start = after(noRights, [
  { type: "person-added", id: ada, name: "Ada" },
  { type: "person-added", id: bob, name: "Bob" },
  { type: "person-added", id: cleo, name: "Cleo" },
  { type: "role-set", object: workspaceKey, subject: person(ada), role: "owner" },
]);

function refused(rights: Rights, change: RightsChange): string {
  const rows = changeRights(rights, change);
  return rows.ok ? "done" : rows.error.code;
}

test("A-18 the last owner of a workspace is not demoted or removed, also not through a group", () => {
  expect(refused(start, { type: "role-set", object: workspaceKey, subject: person(ada), role: "editor" })).toBe(
    "LAST_OWNER",
  );
  expect(refused(start, { type: "role-set", object: workspaceKey, subject: person(ada), role: null })).toBe(
    "LAST_OWNER",
  );
  expect(refused(start, { type: "person-removed", id: ada })).toBe("LAST_OWNER");
  const byGroup = after(start, [
    { type: "group-set", id: one, name: "Owners", isNew: true },
    { type: "member-set", group: one, person: bob, isMember: true },
    { type: "role-set", object: workspaceKey, subject: { type: "group", id: one }, role: "owner" },
    { type: "person-removed", id: ada },
  ]);
  expect(ownersOf(byGroup)).toEqual([bob]);
  expect(refused(byGroup, { type: "member-set", group: one, person: bob, isMember: false })).toBe("LAST_OWNER");
  expect(refused(byGroup, { type: "group-removed", id: one })).toBe("LAST_OWNER");
});

test("A-18 a private document whose last owner is removed passes to the workspace's owners in the same change", () => {
  const closed = after(start, [{ type: "inherits-set", object: plan, inherits: false, by: bob }]);
  expect([...peopleOn(closed, chain)]).toEqual([[bob, "owner"]]);
  expect(refused(closed, { type: "role-set", object: plan, subject: person(bob), role: "viewer" })).toBe("LAST_OWNER");
  const left = after(closed, [{ type: "person-removed", id: bob }]);
  expect([...peopleOn(left, chain)]).toEqual([[ada, "owner"]]);
});

test("A-17 who is removed leaves the groups that they were in, and no others", () => {
  const grouped = after(start, [
    { type: "group-set", id: one, name: "Readers", isNew: true },
    { type: "group-set", id: two, name: "Authors", isNew: true },
    { type: "member-set", group: one, person: bob, isMember: true },
    { type: "member-set", group: two, person: cleo, isMember: true },
  ]);
  const rows = changeRights(grouped, { type: "person-removed", id: bob });
  expect(rows.ok ? rows.value.filter(({ type }) => type === "member") : rows.error).toEqual([
    { type: "member", group: one, person: bob, ended: true },
  ]);
});

test("A-17 a group that ends takes its roles along; a person in two groups keeps the higher", () => {
  const both = after(start, [
    { type: "group-set", id: one, name: "Readers", isNew: true },
    { type: "group-set", id: two, name: "Authors", isNew: true },
    { type: "member-set", group: one, person: bob, isMember: true },
    { type: "member-set", group: two, person: bob, isMember: true },
    { type: "role-set", object: plan, subject: { type: "group", id: one }, role: "viewer" },
    { type: "role-set", object: plan, subject: { type: "group", id: two }, role: "editor" },
  ]);
  const roleOfBob = (rights: Rights) => roleOn(rights, subjectsOf(rights, bob), chain);
  expect(roleOfBob(both)).toBe("editor");
  const left = after(both, [{ type: "group-removed", id: two }]);
  expect(roleOfBob(left)).toBe("viewer");
  // A later group with that id begins without members and without roles.
  const again = after(left, [{ type: "group-set", id: two, name: "Others", isNew: true }]);
  expect([...(again.groups.get(two)?.members ?? [])]).toEqual([]);
  expect(again.shares.get(plan)?.size).toBe(1);
});

test("everyone owns nothing, a link only reads, and nothing is above the workspace", () => {
  const invalid: readonly RightsChange[] = [
    { type: "role-set", object: workspaceKey, subject: { type: "everyone" }, role: "owner" },
    { type: "role-set", object: plan, subject: { type: "link", id: "l" as LinkId }, role: "editor" },
    { type: "inherits-set", object: workspaceKey, inherits: false, by: ada },
  ];
  expect(invalid.map((change) => refused(start, change))).toEqual(invalid.map(() => "INVALID_PARAMS"));
});

test("A-19 a share link lives at most 90 days and is never to the whole workspace", () => {
  const link = { id: "l" as LinkId, object: plan, hash: "h", by: bob, expiresAt: 1 + linkLifeMsMax };
  expect(refused(start, { type: "link-made", link, now: 0 })).toBe("INVALID_PARAMS");
  expect(refused(start, { type: "link-made", link: { ...link, expiresAt: 1 }, now: 1 })).toBe("INVALID_PARAMS");
  expect(refused(start, { type: "link-made", link: { ...link, object: workspaceKey }, now: 1 })).toBe("INVALID_PARAMS");
  const made = after(start, [{ type: "link-made", link, now: 1 }]);
  expect(made.shares.get(plan)?.size).toBe(1);
  expect(after(made, [{ type: "link-ended", id: link.id }]).shares.has(plan)).toBe(false);
});

test("who is not there is not given anything", () => {
  const nobody = "nobody" as PersonId;
  const wanting: readonly RightsChange[] = [
    { type: "person-removed", id: nobody },
    { type: "group-removed", id: one },
    { type: "member-set", group: one, person: bob, isMember: true },
    { type: "role-set", object: plan, subject: person(nobody), role: "viewer" },
    { type: "role-set", object: plan, subject: { type: "group", id: one }, role: "viewer" },
    { type: "inherits-set", object: plan, inherits: false, by: nobody },
    { type: "link-ended", id: "l" as LinkId },
  ];
  expect(wanting.map((change) => refused(start, change))).toEqual(wanting.map(() => "NOT_FOUND"));
});

test("a group that is removed has no members when one with its id is made again", () => {
  const grouped = after(start, [
    { type: "group-set", id: one, name: "Readers", isNew: true },
    { type: "member-set", group: one, person: bob, isMember: true },
    { type: "member-set", group: one, person: cleo, isMember: true },
  ]);
  const rows = changeRights(grouped, { type: "group-removed", id: one });
  const ended = rows.ok ? rows.value.filter(({ type }) => type === "member") : [];
  expect(ended).toEqual([
    { type: "member", group: one, person: bob, ended: true },
    { type: "member", group: one, person: cleo, ended: true },
  ]);
});

test("the agents of a conversation quote what askers may read where it or what is above it says so", () => {
  const folder = canvasChain("other" as BlockId, "notes");
  const quoting = { ...start, quotedByAskers: new Set([plan]) };
  expect([quotesByAskers(start, chain), quotesByAskers(quoting, chain), quotesByAskers(quoting, folder)]).toEqual([
    false,
    true,
    false,
  ]);
});
