import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { Thread } from "../../core/block/comment/thread.ts";
import type { CommandName } from "../../core/protocol/commands.ts";
import type { Store } from "../../core/port/store.ts";
import { password, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let store: Store;
let team: SignInServer;
let owner: Browser;
let bob: Browser & { readonly id: PersonId };

beforeEach(async () => {
  store = openMemoryStore();
  team = await startSignInServer({ store });
  owner = await team.owner();
  bob = await joined("Bob");
});
afterEach(() => team.close());

/** Invites somebody without a role, who accepts. */
async function joined(name: string): Promise<Browser & { readonly id: PersonId }> {
  const { body } = await owner.post("/auth/people/invite", { email: null, role: null });
  const secret = String(body["link"]).split("#link=")[1] ?? "";
  const browser = team.browser();
  const email = `${name.toLowerCase()}@example.org`;
  expect((await browser.post("/auth/accept", { secret, name, email, password })).status).toBe(200);
  return { ...browser, id: ((await browser.get("/auth/state")).body.person?.id ?? "") as PersonId };
}

const call = (who: Browser, name: CommandName, params: object) => who.post(`/api/commands/${name}`, params);
const codeOf = async (who: Browser, name: CommandName, params: object): Promise<string> => {
  const { body } = await call(who, name, params);
  return (body as { error?: { code: string } }).error?.code ?? "yes";
};
const canvas = async (title: string, folderPath = ""): Promise<{ type: "document"; id: string }> => {
  const made = await call(owner, "canvas.create", { title, text: "warp\n", folderPath });
  return { type: "document", id: String(made.body["canvasId"]) };
};

test("21.4 something is shared with people and everyone, closed, and hidden from who may not see it", async () => {
  const on = await canvas("Wages");
  const unknown = { type: "document", id: "doc_none/1/1" };
  const [hidden, missing] = [await call(bob, "share.list", { on }), await call(bob, "share.list", { on: unknown })];
  expect(hidden.body.error.code).toBe("BLOCK_NOT_FOUND");
  // Both name what was asked for, and say nothing else.
  expect(JSON.parse(JSON.stringify(missing.body).replaceAll(unknown.id, on.id))).toEqual(hidden.body);
  const give = (who: Browser, to: object, role: string | null) => codeOf(who, "share.give", { on, to, role });
  const toBob = { type: "person", id: bob.id };
  expect(await give(bob, toBob, "owner")).toBe("BLOCK_NOT_FOUND");
  expect(await give(owner, toBob, "commenter")).toBe("yes");
  expect(await give(bob, toBob, "editor")).toBe("FORBIDDEN");
  expect((await call(bob, "share.list", { on })).body).toEqual({
    people: [
      expect.objectContaining({ name: "Ada", role: "owner", given: null, from: "workspace" }),
      expect.objectContaining({ name: "Bob", role: "commenter", given: "commenter", from: "here" }),
    ],
    groups: [],
    everyone: null,
    inherits: true,
    mayShare: false,
    links: [],
    quoting: null,
  });
  expect(await give(owner, toBob, null)).toBe("yes");
  expect(await codeOf(bob, "share.list", { on })).toBe("BLOCK_NOT_FOUND");
  expect(await give(owner, { type: "everyone" }, "viewer")).toBe("yes");
  expect((await call(bob, "share.list", { on })).body["everyone"]).toBe("viewer");
  expect(await give(owner, { type: "everyone" }, "owner")).toBe("INVALID_PARAMS");
  expect(await give(owner, { type: "person", id: "person_nobody" }, "viewer")).toBe("NOT_FOUND");
  expect(await codeOf(owner, "share.inherit", { on, inherits: false })).toBe("yes");
  expect((await call(owner, "share.list", { on })).body["inherits"]).toBe(false);
});

test("21.4 a folder that is shared shows what lies in it, and says where the role comes from", async () => {
  const on = await canvas("Yarn", "Plans/2027");
  const folder = { type: "folder-path", path: "Plans" };
  expect(await codeOf(bob, "canvas.text", { canvasId: on.id, revisionId: null })).toBe("BLOCK_NOT_FOUND");
  const to = { type: "person", id: bob.id };
  expect(await codeOf(owner, "share.give", { on: folder, to, role: "viewer" })).toBe("yes");
  expect(await codeOf(bob, "canvas.text", { canvasId: on.id, revisionId: null })).toBe("yes");
  expect((await call(owner, "share.list", { on })).body["people"]).toMatchObject([
    { name: "Ada" },
    { name: "Bob", role: "viewer", from: "folder", given: null },
  ]);
  expect(await codeOf(owner, "share.give", { on: { type: "folder", id: "folder_x" }, to, role: "viewer" })).toBe(
    "FOLDER_NOT_FOUND",
  );
});

test("A-17 a group gives its roles to its members, the higher one counts, and both end with it", async () => {
  const on = await canvas("Looms");
  const create = async (name: string) => String((await call(owner, "group.create", { name })).body["groupId"]);
  const [weavers, dyers] = [await create("Weavers"), await create("Dyers")];
  expect(await codeOf(owner, "group.create", { name: " weavers " })).toBe("INVALID_PARAMS");
  expect(await codeOf(bob, "group.create", { name: "Bobs" })).toBe("FORBIDDEN");
  for (const groupId of [weavers, dyers]) {
    expect(await codeOf(owner, "group.set-member", { groupId, personId: bob.id, member: true })).toBe("yes");
  }
  const give = (id: string, role: string | null) =>
    codeOf(owner, "share.give", { on, to: { type: "group", id }, role });
  expect([await give(weavers, "viewer"), await give(dyers, "commenter")]).toEqual(["yes", "yes"]);
  const own = async () => {
    const { body } = await call(owner, "share.list", { on });
    return (body["people"] as readonly { name: string }[]).find(({ name }) => name === "Bob");
  };
  expect(await own()).toMatchObject({ role: "commenter", group: "Dyers", from: "here" });
  expect((await call(bob, "group.list", {})).body).toMatchObject({
    groups: [{ name: "Dyers" }, { name: "Weavers", members: [{ name: "Bob" }] }],
    mayManage: false,
  });
  expect(await codeOf(owner, "group.rename", { groupId: dyers, name: "Weavers" })).toBe("INVALID_PARAMS");
  expect(await codeOf(owner, "group.rename", { groupId: dyers, name: "Colour" })).toBe("yes");
  expect(await own()).toMatchObject({ group: "Colour" });
  expect(await codeOf(owner, "group.remove", { groupId: dyers })).toBe("yes");
  expect(await own()).toMatchObject({ role: "viewer", group: "Weavers" });
  expect(await codeOf(owner, "group.rename", { groupId: dyers, name: "Again" })).toBe("NOT_FOUND");
  expect(await codeOf(owner, "group.set-member", { groupId: weavers, personId: bob.id, member: false })).toBe("yes");
  expect(await own()).toBeUndefined();
  expect(await codeOf(bob, "share.list", { on })).toBe("BLOCK_NOT_FOUND");
});

test("A-18 A-36 a group does not take the last owner, and groups need a fresh sign-in", async () => {
  const groupId = String((await call(owner, "group.create", { name: "Owners" })).body["groupId"]);
  const ada = (await owner.get("/auth/state")).body.person?.id ?? "";
  expect(await codeOf(owner, "person.set-role", { personId: ada, role: "editor" })).toBe("LAST_OWNER");
  const [session] = team.signIn.parts.sessions.of(ada as PersonId);
  const record = team.signIn.parts.facts.of("session").get(session?.hash ?? "") ?? {};
  const stale = { ...record, authenticatedAt: Date.now() - 11 * 60_000 };
  await team.signIn.parts.facts.write(() => ({
    ok: true,
    value: [{ kind: "session", id: session?.hash ?? "", record: stale }],
  }));
  const params = { groupId, personId: bob.id, member: true };
  expect(await codeOf(owner, "group.set-member", params)).toBe("REAUTHENTICATE");
  expect(await codeOf(owner, "person.set-role", { personId: bob.id, role: "owner" })).toBe("REAUTHENTICATE");
  await owner.post("/auth/sign-in/email", { email: "ada@example.org", password });
  expect(await codeOf(owner, "group.set-member", params)).toBe("yes");
});

test("A-40 each change of a group, a role and a share is in the audit log with who and from where, and no secret", async () => {
  const on = await canvas("Wool");
  const groupId = String((await call(owner, "group.create", { name: "Weavers" })).body["groupId"]);
  await call(owner, "group.set-member", { groupId, personId: bob.id, member: true });
  await call(owner, "share.give", { on, to: { type: "group", id: groupId }, role: "editor" });
  const hash = "ab".repeat(32);
  await call(owner, "share.link", { on, hash, role: "viewer", expiresAt: Date.now() + 60_000 });
  await call(owner, "share.inherit", { on, inherits: false });
  await call(owner, "person.set-role", { personId: bob.id, role: "viewer" });
  const entries = (await store.audit(0, 1_000)).slice(-6);
  expect(entries.map(({ act, object, outcome }) => [act, object, outcome])).toEqual([
    ["workspace.people", "workspace", "done"],
    ["workspace.people", "workspace", "done"],
    ["document.share", `document:${on.id}`, "done"],
    ["document.share", `document:${on.id}`, "done"],
    ["document.share", `document:${on.id}`, "done"],
    ["workspace.people", "workspace", "done"],
  ]);
  for (const { actor, credential, address } of entries) {
    expect([actor, credential, address]).toEqual([
      (await owner.get("/auth/state")).body.person?.id,
      expect.stringMatching(/^session_/u),
      "127.0.0.1",
    ]);
  }
  expect(JSON.stringify(entries)).not.toContain(hash);
});

test("K-08 words pasted where one may not comment, or cut where one may not write, leave their comments where they were", async () => {
  const [source, target] = [await canvas("Wages"), await canvas("Plan")];
  const made = await call(owner, "comment.add", { blockId: source.id, range: { quote: "warp" }, text: "How much?" });
  const { id, anchor } = made.body["thread"] as Thread;
  const units = anchor?.own[0]?.spans;
  const paste = (who: Browser) =>
    codeOf(who, "comment.paste", { blockId: target.id, units, from: { blockId: source.id, units } });
  const to = { type: "person", id: bob.id };
  const give = (on: object, role: string) => codeOf(owner, "share.give", { on, to, role });
  expect(await paste(bob)).toBe("BLOCK_NOT_FOUND");
  expect([await give(target, "editor"), await paste(bob)]).toEqual(["yes", "BLOCK_NOT_FOUND"]);
  expect([await give(source, "commenter"), await paste(bob)]).toEqual(["yes", "FORBIDDEN"]);
  expect([await give(source, "editor"), await give(target, "viewer"), await paste(bob)]).toEqual([
    "yes",
    "yes",
    "FORBIDDEN",
  ]);
  const left = await call(bob, "comment.list", { blockId: source.id });
  expect(left.body["threads"]).toMatchObject([{ thread: { id: id, version: 1 } }]);
  expect([await give(target, "commenter"), await paste(bob)]).toEqual(["yes", "yes"]);
});
