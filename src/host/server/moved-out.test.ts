import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, LinkId, PersonId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { conversationKey, documentKey, folderPathKey, type ObjectKey } from "../../core/rights/object-key.ts";
import type { Role } from "../../core/rights/role.ts";
import { callsTool, lastResult, scriptedCatalogue, type Script } from "../cli/chat/chat.test-support.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { readEvents } from "./api/events.test-support.ts";
import { connectAgent, type OutsideAgent } from "./mcp/mcp.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// Who may write in a document, and not move it, tries by its metadata to put it where others read it or where it is theirs.

let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let wages: BlockId;
let script: Script;
let requests: readonly ModelRequest[];
const programs: OutsideAgent[] = [];

beforeEach(async () => {
  script = () => says("Done.");
  const scripted = scriptedCatalogue((request, asked) => script(request, asked));
  requests = scripted.requests;
  team = await startTestTeam({ catalogue: scripted.catalogue });
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
  await team.add("bob", "editor");
  const wish = { title: "Wages", text: "shuttle\n", folderPath: "Pay" };
  wages = accept(await ada.call("canvas.create", wish)).canvasId;
  await close(folderPathKey("Pay"));
  await give(documentKey(wages), "editor");
  await give(folderPathKey("Mine"), "owner");
});
afterEach(async () => {
  for (const agent of programs.splice(0)) await agent.close();
  for (const client of [ada, bob]) client.close();
  await team.server.close();
});

const close = (object: ObjectKey): Promise<void> =>
  team.change({ type: "inherits-set", object, inherits: false, by: "ada" as PersonId });
const give = (object: ObjectKey, role: Role): Promise<void> =>
  team.change({ type: "role-set", object, subject: { type: "person", id: "bob" as PersonId }, role });
const place = async () => {
  const { folder_path: folder, path } = must(await team.server.workspace.store.block(wages), "it is there").metadata;
  return [folder, path];
};
async function program(id: string): Promise<OutsideAgent> {
  const agent = await connectAgent({ url: team.server.url, token: await team.program(id) });
  programs.push(agent);
  return agent;
}

const moves = [{ folder_path: "Mine" }, { folder_path: null }, { folder_path: "" }, { path: "wages.md" }] as const;

test("A-16 a program moves no document by its metadata that its person may not move", async () => {
  const agent = await program("bob");
  const { lease_id: leaseId } = await agent.call("canvas_check_out", { canvas_id: wages });
  for (const metadata of moves) {
    expect([metadata, await agent.code("block_update", { block_id: wages, metadata })]).toEqual([
      metadata,
      "FORBIDDEN",
    ]);
  }
  expect(await agent.code("block_update", { block_id: wages, metadata: { colour: "red" } })).toBe("ok");
  expect(await place()).toEqual(["Pay", undefined]);
  const made = { kind: "file", role: "user", content: "x", metadata: { title: "Mine", folder_path: "Pay" } };
  expect(await agent.code("block_create", made)).toBe("FORBIDDEN");
  await agent.call("canvas_check_in", { lease_id: leaseId });
  const own = await program("ada");
  await own.call("canvas_check_out", { canvas_id: wages });
  expect(await own.code("block_update", { block_id: wages, metadata: { folder_path: "Mine" } })).toBe("ok");
  expect(await place()).toEqual(["Mine", undefined]);
});

test("A-20 an agent moves no document by its metadata that the person may not move who asks it", async () => {
  const calls = moves.map((metadata, at) => callsTool("block_update", { block_id: wages, metadata }, `call-${at}`));
  script = (_request, asked) => [callsTool("canvas_check_out", {}), ...calls][asked] ?? says("Done.");
  const { rootId } = accept(await bob.call("conversation.create", { title: "Bob's", canvasId: wages }));
  accept(await bob.call("message.send", { rootId, parentNodeId: null, text: "Do it." }));
  await vi.waitUntil(() => requests.length === calls.length + 2, { timeout: 5_000 });
  for (const request of requests.slice(2)) expect(lastResult(request)).toContain("FORBIDDEN");
  expect(await place()).toEqual(["Pay", undefined]);
});

test("A-20 a proposal that would move a document by its metadata is accepted by who may move it themself", async () => {
  accept(await ada.call("canvas.set-policy", { canvasId: wages, policy: "suggest" }));
  const move = callsTool("block_update", { block_id: wages, metadata: moves[0] });
  script = (_request, asked) => [callsTool("canvas_check_out", {}), move][asked] ?? says("Done.");
  const { rootId } = accept(await ada.call("conversation.create", { title: "Ada's", canvasId: wages }));
  await close(conversationKey(rootId));
  accept(await ada.call("message.send", { rootId, parentNodeId: null, text: "Do it." }));
  await vi.waitUntil(async () => (await team.server.workspace.store.suggestions(wages, true)).length === 1);
  const refused = await bob.call("canvas.keep-hunks", { canvasId: wages });
  expect(refused.ok ? "ok" : refused.error.code).toBe("FORBIDDEN");
  expect(await place()).toEqual(["Pay", undefined]);
  accept(await ada.call("canvas.keep-hunks", { canvasId: wages }));
  expect(await place()).toEqual(["Mine", undefined]);
});

test("A-16 who may not move a document does not undo that somebody's agent moved it", async () => {
  const own = await program("ada");
  const { lease_id: leaseId } = await own.call("canvas_check_out", { canvas_id: wages });
  expect(await own.code("block_update", { block_id: wages, metadata: { folder_path: "Safe" } })).toBe("ok");
  await own.call("canvas_check_in", { lease_id: leaseId });
  const { store } = team.server.workspace;
  const { actor } = must((await store.changes({ blockId: wages, afterVersion: 0 })).at(-1), "the move");
  const turnId = must(actor.type === "model" ? actor.turnId : null, "a turn");
  const refused = await bob.call("turn.undo", { turnId });
  expect([refused.ok ? "ok" : refused.error.code, await place()]).toEqual(["FORBIDDEN", ["Safe", undefined]]);
  accept(await ada.call("turn.undo", { turnId }));
  expect(await place()).toEqual(["Pay", undefined]);
});

test("A-16 a folder takes its roles, its closure and its links along when it is moved", async () => {
  const bobs = { type: "person", id: "bob" as PersonId } as const;
  const on = (path: string) => ({ type: "folder-path", path }) as const;
  const inside = accept(
    await ada.call("canvas.create", { title: "Bonus", text: "x\n", folderPath: "Pay/2027" }),
  ).canvasId;
  accept(await ada.call("share.give", { on: on("Pay/2027"), to: bobs, role: "viewer" }));
  const expiresAt = Date.now() + 60_000;
  accept(await ada.call("share.link", { on: on("Pay"), hash: "ab".repeat(32), role: "viewer", expiresAt }));
  const codes = async () => [
    (await bob.call("canvas.text", { canvasId: inside, revisionId: null })).ok,
    (await ada.call("canvas.text", { canvasId: inside, revisionId: null })).ok,
    (await bob.call("share.list", { on: on("Pay") })).ok,
  ];
  expect(await codes()).toEqual([true, true, false]);
  const third = accept(await ada.call("canvas.create", { title: "Third", text: "x\n", folderPath: "Pay" })).canvasId;
  expect(accept(await ada.call("canvas.move-folder", { from: "Pay", to: "Old/Pay" })).moved).toBe(3);
  expect(accept(await ada.call("share.list", { on: on("Old/Pay") }))).toMatchObject({
    inherits: false,
    links: [{ role: "viewer" }],
  });
  expect((await bob.call("canvas.text", { canvasId: third, revisionId: null })).ok).toBe(false);
  expect((await bob.call("canvas.text", { canvasId: inside, revisionId: null })).ok).toBe(true);
  // The old path stays as closed as it was, for what is still there or comes back.
  expect((await bob.call("share.list", { on: on("Pay") })).ok).toBe(false);
  expect(accept(await ada.call("share.list", { on: on("Pay") })).links).toEqual([]);
  // And back again.
  accept(await ada.call("share.end-link", { on: on("Old/Pay"), linkId: await linkAt("Old/Pay") }));
  expect(accept(await ada.call("canvas.move-folder", { from: "Old/Pay", to: "Pay" })).moved).toBe(3);
  expect((await bob.call("canvas.text", { canvasId: third, revisionId: null })).ok).toBe(false);
});

const linkAt = async (path: string): Promise<LinkId> => {
  const { links } = accept(await ada.call("share.list", { on: { type: "folder-path", path } }));
  return must(links[0], "a link").linkId as LinkId;
};
const reads = async (client: HeddleClient, canvasId: BlockId): Promise<boolean> =>
  (await client.call("canvas.text", { canvasId, revisionId: null })).ok;

test("A-16 what lies in the trash of a closed folder, or is made in it while it is moved, does not open", async () => {
  const wish = { title: "Gone", text: "secret\n", folderPath: "Pay" };
  const gone = accept(await ada.call("canvas.create", wish)).canvasId;
  const { entry } = accept(await ada.call("block.delete", { blockId: gone }));
  const { workspace } = team.server;
  const author = await workspace.ownAuthor("late");
  let late: Promise<BlockId> | null = null;
  const stop = workspace.onCanvasChanged(({ folderPath }) => {
    if (folderPath === "Old") late ??= workspace.createCanvas(author, wish).then(accept);
  });
  accept(await ada.call("canvas.move-folder", { from: "Pay", to: "Old" }));
  stop();
  accept(await ada.call("trash.restore", { trashId: entry.id }));
  expect(await reads(bob, gone)).toBe(false);
  expect(await reads(bob, must(await (late as Promise<BlockId> | null), "it was made"))).toBe(false);
});

test("A-16 roles that a folder brings give nobody what is closed, thrown away or another's where it goes", async () => {
  const bobs = { type: "person", id: "bob" as PersonId } as const;
  const make = async (client: HeddleClient, folderPath: string): Promise<BlockId> =>
    accept(await client.call("canvas.create", { title: "Own", text: "x\n", folderPath })).canvasId;
  const [secret, deeper] = [await make(ada, "Drafts/Secret"), await make(ada, "Deep/Secret/x")];
  await close(folderPathKey("Drafts/Secret"));
  await close(folderPathKey("Deep/Secret"));
  await make(bob, "Mine/Secret/x");
  for (const path of ["Mine/Secret", "Mine/Secret/x"]) {
    accept(await bob.call("share.give", { on: { type: "folder-path", path }, to: bobs, role: "owner" }));
  }
  for (const to of ["Drafts", "Deep"]) await bob.call("canvas.move-folder", { from: "Mine", to });
  expect([await reads(bob, secret), await reads(bob, deeper)]).toEqual([false, false]);
  // What is in the trash of the folder stays its owners' to purge.
  const { entry } = accept(await ada.call("block.delete", { blockId: await make(ada, "Plans") }));
  await bob.call("canvas.move-folder", { from: "Mine", to: "Plans" });
  expect((await bob.call("trash.purge", { trashId: entry.id })).ok).toBe(false);
  // An empty folder stays with those who own it.
  await team.add("cyd", "editor");
  const cyd = { type: "person", id: "cyd" as PersonId } as const;
  await team.change({ type: "role-set", object: folderPathKey("Board"), subject: cyd, role: "owner" });
  accept(await bob.call("share.give", { on: { type: "folder-path", path: "Mine" }, to: cyd, role: "viewer" }));
  expect((await bob.call("canvas.move-folder", { from: "Mine", to: "Board" })).ok).toBe(false);
  const { rights } = must(team.server.workspace.team, "a team");
  expect(rights.shares.get(folderPathKey("Board"))?.get("person:cyd" as never)).toBe("owner");
});

test("A-19 a link to an open folder leads to it where it is moved", async () => {
  await ada.call("canvas.create", { title: "Plan", text: "warp\n", folderPath: "Plans" });
  const on = (path: string) => ({ type: "folder-path", path }) as const;
  const wish = { hash: "cd".repeat(32), role: "viewer", expiresAt: Date.now() + 60_000 } as const;
  const { linkId } = accept(await ada.call("share.link", { on: on("Plans"), ...wish }));
  accept(await ada.call("canvas.move-folder", { from: "Plans", to: "Drafts" }));
  expect(accept(await ada.call("share.list", { on: on("Drafts") })).links).toMatchObject([{ linkId }]);
  expect(accept(await ada.call("share.list", { on: on("Plans") })).links).toEqual([]);
});

test("A-16 a folder with roles of its own is not moved to where documents are, nor to the top, and nothing changes", async () => {
  accept(await ada.call("canvas.create", { title: "Plan", text: "warp\n", folderPath: "Plans" }));
  const { rights } = must(team.server.workspace.team, "a team");
  for (const to of ["Plans", ""]) {
    const refused = await ada.call("canvas.move-folder", { from: "Pay", to });
    expect(refused).toMatchObject({
      error: { code: "INVALID_PARAMS", message: expect.stringContaining("roles of its own") },
    });
  }
  expect(must(team.server.workspace.team, "a team").rights).toBe(rights);
  expect(await place()).toEqual(["Pay", undefined]);
  // Into itself it goes neither, and what is closed below its new path is not affected, nor told of.
  expect((await ada.call("canvas.move-folder", { from: "Pay", to: "Pay/Old" })).ok).toBe(false);
  expect(must(team.server.workspace.team, "a team").rights).toBe(rights);
  const { canvasId } = accept(await bob.call("canvas.create", { title: "Own", text: "x\n", folderPath: "Away" }));
  await close(documentKey(canvasId));
  expect(accept(await ada.call("canvas.move-folder", { from: "Pay", to: "Away" })).moved).toBe(1);
  // A folder without any goes where there are documents, as before.
  expect(accept(await ada.call("canvas.move-folder", { from: "Plans", to: "Drafts" })).moved).toBe(1);
});

test("A-16 the stream of a document ends when it is moved to where its reader may not look", async () => {
  const wish = { title: "Looms", text: "warp\n" };
  const { canvasId } = accept(await ada.call("canvas.create", { ...wish, folderPath: "Plans" }));
  const path = `${team.server.url}/api/blocks/${encodeURIComponent(canvasId)}/events`;
  const events = await readEvents(path, { authorization: "Bearer bob" });
  expect(await events.next()).toMatchObject({ name: "new-block" });
  expect(await events.next()).toMatchObject({ name: "caught-up" });
  accept(await ada.call("canvas.arrange", { canvasId, folderPath: "Mine" }));
  expect(await events.next()).toMatchObject({ name: "patch" });
  const later = new Promise((resolve) => setTimeout(() => resolve("open"), 1_000));
  accept(await ada.call("canvas.arrange", { canvasId, folderPath: "Pay" }));
  const ended = async (): Promise<string> => {
    while ((await events.next()) !== null);
    return "ended";
  };
  expect(await Promise.race([later, ended().catch(() => "ended")])).toBe("ended");
  events.leave();
});

test("A-03 a program that makes a document beside a hidden one is answered as beside none", async () => {
  const agent = await program("bob");
  const { canvasId: hidden } = accept(await ada.call("canvas.create", { title: "Layoffs", folderPath: "Pay" }));
  const made = { kind: "file", role: "user", content: "x", metadata: { title: "Mine" } };
  for (const [field, id] of [
    ["after", hidden],
    ["after", "doc_0000000000000000000000/1/0"],
    ["parent_id", hidden],
    ["parent_id", "doc_0000000000000000000000/1/0"],
  ] as const) {
    const code = await agent.code("block_create", { ...made, [field]: id });
    expect([field, id, code]).toEqual([field, id, "BLOCK_NOT_FOUND"]);
  }
  expect(await agent.code("block_create", { ...made, after: wages })).toBe("INVALID_PARAMS");
});
