import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { ActorId, BlockId, DraftId, GroupId, NodeId, PersonId, RootId, TrashId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { parameters } from "../../core/protocol/commands.test-support.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import { commands, type CommandName } from "../../core/protocol/commands.ts";
import type { GrantScope } from "../../core/protocol/base/grant.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import {
  conversationKey,
  documentKey,
  folderKey,
  folderPathKey,
  type ObjectKey,
} from "../../core/rights/object-key.ts";
import type { Right } from "../../core/rights/token-right.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import { until } from "../../testing/test-client.ts";
import { callsTool, lastResult, scriptedCatalogue, type Script } from "../cli/chat/chat.test-support.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { connectAgent, post } from "./mcp/mcp.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// What somebody tries who may use a part of a workspace and wants to know, or do, more.

let folder: string;
let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let script: (request: ModelRequest, asked: number) => ReturnType<Script>;
let requests: readonly ModelRequest[];
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-attacker-"));
  mkdirSync(join(folder, "pay"));
  writeFileSync(join(folder, "loom.md"), "warp\n");
  writeFileSync(join(folder, "pay", "wages.md"), "shuttle\n");
  script = () => says("Done.");
  const scripted = scriptedCatalogue((request, asked) => script(request, asked));
  requests = scripted.requests;
  team = await startTestTeam({ catalogue: scripted.catalogue, filesFolder: folder });
  await team.add("bob", "editor");
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  for (const client of [ada, bob]) client.close();
  await team.server.close();
  rmSync(folder, { recursive: true, force: true });
});

const close = (object: ObjectKey): Promise<void> =>
  team.change({ type: "inherits-set", object, inherits: false, by: "ada" as PersonId });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function hiddenCanvas(title = "Wages", text = "shuttle shuttle shuttle\n"): Promise<BlockId> {
  const { canvasId } = accept(await ada.call("canvas.create", { title, text }));
  await close(documentKey(canvasId));
  return canvasId;
}

/** Makes a token for a program of somebody. */
async function program(id: string, wish: { readonly rights: readonly Right[]; readonly scope?: Partial<GrantScope> }) {
  const secret = `program-of-${id}-${Math.random()}`;
  const scope = wish.scope === undefined ? null : { folderIds: [], rootIds: [], canvasIds: [], ...wish.scope };
  const by = { type: "person", id: id as ActorId, name: id } as const;
  const token = { name: "loom", hash: sha256Hex(secret), rights: wish.rights, scope, expiresAt: null };
  accept(await team.server.workspace.tokens.create(by, token, () => []));
  return { url: team.server.url, token: secret };
}

/** Listens to addresses; what was heard of them. */
async function listen(to: { readonly url: string; readonly token: string }, uris: readonly string[]) {
  const controller = new AbortController();
  closing.push(() => controller.abort());
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { notifications: { resourceSubscriptions: [...uris] }, _meta };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
  const asked = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
  const response = await post(to, asked, headers, controller.signal);
  let heard = "";
  const ended = (async () => {
    for await (const chunk of response.body ?? []) heard += new TextDecoder().decode(chunk);
  })().catch(() => {});
  await vi.waitUntil(() => heard.includes("acknowledged"));
  return { notices: () => heard.split("notifications/resources/updated").length - 1, ended };
}

async function write(client: HeddleClient, id: BlockId): Promise<void> {
  const text = client.openText(id);
  await until(text.header, (header) => header !== null);
  text.edit([{ from: 0, to: 0, insert: "x" }]);
  await until(text.unconfirmed, (count) => count === 0);
  text.close();
}

test("who takes a draft takes it in no other document than they may edit", async () => {
  const { canvasId: own } = accept(await bob.call("canvas.create", { title: "Plan", text: "weft\n" }));
  const { canvasId: adas } = accept(await ada.call("canvas.create", { title: "Budget", text: "warp\n" }));
  const bobs = { type: "person", id: "bob" as PersonId } as const;
  await close(documentKey(adas));
  accept(await ada.call("share.give", { on: { type: "document", id: adas }, to: bobs, role: "viewer" }));
  const taken = await bob.call("draft.take", { canvasId: own, draftId: "draft_1" as DraftId, alsoIn: [adas] });
  expect(taken).toMatchObject({ error: { code: "FORBIDDEN", details: { block_id: adas } } });
});

test("A-04 a search by a program's token is filled from what it reaches, whatever else has the words", async () => {
  for (const at of [1, 2, 3, 4]) await hiddenCanvas(`Wages ${at}`);
  const words = "one shuttle among so many other words that it comes last\n".repeat(3);
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: words }));
  const found = async () => accept(await ada.call("search.words", { words: "shuttle", in: "blocks" })).matches.length;
  await vi.waitUntil(async () => (await found()) === 5, { timeout: 10_000 });
  const agent = await connectAgent(await program("ada", { rights: ["read"], scope: { canvasIds: [canvasId] } }));
  closing.push(() => agent.close());
  for (const [tool, given] of [
    ["search_words", { words: "shuttle", in: "blocks", limit: 1 }],
    ["search_all", { words: "shuttle", limit: 1 }],
  ] as const) {
    expect([tool, JSON.stringify(await agent.call(tool, given))]).toEqual([tool, expect.stringContaining(canvasId)]);
  }
});

test("A-05 the feed of changes stays silent for what a program may not know of", async () => {
  const hidden = await hiddenCanvas();
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const stream = await listen(await program("bob", { rights: ["read"] }), ["heddle://feed"]);
  await write(ada, hidden);
  await pause(700);
  expect(stream.notices()).toBe(0);
  await write(ada, canvasId);
  await vi.waitUntil(() => stream.notices() > 0, { timeout: 2_000 });
});

test("A-13 a program hears no more of a document or a conversation that its person lost", async () => {
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Talk" }));
  const uris = [`heddle://document/${encodeURIComponent(canvasId)}`, `heddle://conversation/${rootId}`];
  const stream = await listen(await program("bob", { rights: ["read"] }), uris);
  await write(ada, canvasId);
  await vi.waitUntil(() => stream.notices() > 0, { timeout: 2_000 });
  await pause(700);
  const before = stream.notices();
  for (const key of [documentKey(canvasId), conversationKey(rootId)]) await close(key);
  await write(ada, canvasId);
  accept(await ada.call("message.add", { rootId, parentNodeId: null, text: "shuttle" }));
  await pause(700);
  expect(stream.notices()).toBe(before);
});

test("A-14 an export that a program has begun is cut when its token is revoked", async () => {
  const { rootId } = accept(await ada.call("conversation.create", { title: "Talk" }));
  const text = Array.from({ length: 40_000 }, () => Math.random().toString(36))
    .join(" ")
    .slice(0, 390_000);
  let parentNodeId: NodeId | null = null;
  for (let at = 0; at < 40; at += 1) {
    parentNodeId = accept(await ada.call("message.add", { rootId, parentNodeId, text: `${at} ${text}` })).nodeId;
  }
  const { token } = await program("bob", { rights: ["read"] });
  const init = { headers: { authorization: `Bearer ${token}`, "accept-encoding": "identity" } };
  const response = await fetch(`${team.server.url}/api/roots/${rootId}/export`, init);
  const reader = must(response.body, "an export has a body").getReader();
  expect((await reader.read()).done).toBe(false);
  const { tokens } = team.server.workspace;
  accept(await tokens.revoke(must(tokens.list().at(-1), "the token").id, () => []));
  const readToEnd = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  await expect(readToEnd()).rejects.toThrow();
});

test("A-26 a comment of a program asks no agent: its token may not have the right to run", async () => {
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const { token } = await program("bob", { rights: ["read", "write"] });
  const body = JSON.stringify({ blockId: canvasId, text: "@agent What is this?" });
  const answer = await team.fetch(token, "/api/commands/comment.add", { method: "POST", body });
  expect(answer.status).toBe(200);
  await pause(300);
  expect(requests).toEqual([]);
  expect(await team.server.workspace.store.roots()).toEqual([]);
});

/** Lets an agent that Bob asks make these calls; returns what it was answered. */
async function asBob(rootId: RootId, ...wanted: readonly (readonly [string, object])[]): Promise<readonly string[]> {
  const first = requests.length;
  script = (_request, asked) => {
    const [name, given] = wanted[asked - first] ?? [];
    return name === undefined ? says("Done.") : callsTool(name, given ?? {}, `call-${asked}`);
  };
  const head = (await team.server.workspace.store.runs(rootId)).at(-1)?.headNodeId ?? null;
  accept(await bob.call("message.send", { rootId, parentNodeId: head, text: "Do it." }));
  await vi.waitUntil(() => requests.length === first + wanted.length + 1, { timeout: 5_000 });
  return requests.slice(first + 1).map((request) => lastResult(request));
}

async function bobsTalk(canvasId: BlockId | null = null): Promise<RootId> {
  const { rootId } = accept(await bob.call("conversation.create", { title: "Bob's", canvasId }));
  return rootId;
}

test("A-20 an agent and a program delete no document that the person may not delete who asks them", async () => {
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const { store } = team.server.workspace;
  const isThere = async () => (await store.block(canvasId))?.deletedAt === undefined;
  const refused = await bob.call("block.delete", { blockId: canvasId });
  expect(refused.ok ? "ok" : refused.error.code).toBe("FORBIDDEN");
  const rootId = await bobsTalk(canvasId);
  await asBob(rootId, ["canvas_check_out", {}], ["block_delete", { block_id: canvasId }], ["canvas_check_in", {}]);
  expect(await isThere()).toBe(true);
  const agent = await connectAgent(await program("bob", { rights: ["read", "write"] }));
  closing.push(() => agent.close());
  const { lease_id: leaseId } = await agent.call("canvas_check_out", { canvas_id: canvasId });
  expect(await agent.code("block_delete", { block_id: canvasId, lease_id: leaseId })).not.toBe("ok");
  expect(await isThere()).toBe(true);
});

test("A-20 a proposal that would delete a document, or move a file, is accepted by who may do that themself", async () => {
  const { blockId } = accept(await ada.call("file.open", { path: "loom.md", asCanvas: true }));
  accept(await ada.call("canvas.set-policy", { canvasId: blockId, policy: "suggest" }));
  const rootId = await bobsTalk(blockId);
  await asBob(rootId, ["canvas_check_out", {}], ["block_delete", { block_id: blockId }], ["canvas_check_in", {}]);
  const { store } = team.server.workspace;
  const [proposed] = await store.suggestions(blockId, true);
  const hunk = must(proposed?.hunks[0], "the deletion is proposed");
  expect(hunk.proposes).toMatchObject({ type: "delete" });
  for (const answer of [
    await bob.call("draft.take", { canvasId: blockId, hunkIds: [hunk.id] }),
    await bob.call("canvas.keep-hunks", { canvasId: blockId, hunkIds: [hunk.id] }),
  ]) {
    expect(answer.ok ? "ok" : answer.error.code).toBe("FORBIDDEN");
  }
  expect((await store.block(blockId))?.deletedAt).toBeUndefined();
  expect(readFileSync(join(folder, "loom.md"), "utf8")).toBe("warp\n");
  accept(await ada.call("canvas.keep-hunks", { canvasId: blockId, hunkIds: [hunk.id] }));
  expect((await store.block(blockId))?.deletedAt).toBeDefined();
});

test("A-20 who undoes an agent's turn takes no comment out of a document where they may not write", async () => {
  const { canvasId: wages } = accept(await ada.call("canvas.create", { title: "Wages", text: "shuttle\n" }));
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Pay", canvasId }));
  script = (request, asked) => {
    const lease_id = /lease_0[a-z0-9]+/u.exec(lastResult(request))?.[0] ?? "";
    return (
      [
        callsTool("comment_add", { canvas_id: wages, text: "Too low." }),
        callsTool("comment_add", { canvas_id: canvasId, text: "Better." }, "call-here"),
        callsTool("canvas_check_out", {}),
        callsTool("canvas_edit", { lease_id, edits: [{ search: "warp", text: "weft" }] }),
      ][asked] ?? says("Done.")
    );
  };
  accept(await ada.call("message.send", { rootId, parentNodeId: null, text: "Do it." }));
  await vi.waitUntil(() => requests.length === 5, { timeout: 5_000 });
  await close(documentKey(wages));
  const [turn] = accept(await bob.call("block.turns", { blockId: canvasId })).turns;
  accept(await bob.call("turn.undo", { turnId: must(turn, "the agent's turn").turnId }));
  const comments = async (blockId: BlockId) => accept(await ada.call("comment.list", { blockId })).threads.length;
  expect([await comments(canvasId), await comments(wages)]).toEqual([0, 1]);
});

test("A-16 who moves a folder moves no document out of a folder below that is closed to them, and counts none", async () => {
  const create = async (title: string, folderPath: string): Promise<BlockId> =>
    accept(await ada.call("canvas.create", { title, text: `${title}\n`, folderPath })).canvasId;
  const [looms, wages] = [await create("Looms", "Plans"), await create("Wages", "Plans/Pay")];
  await close(folderPathKey("Plans/Pay"));
  const subject = { type: "person", id: "bob" as PersonId } as const;
  await team.change({ type: "role-set", object: folderPathKey("Plans"), subject, role: "owner" });
  const read = async (client: HeddleClient, canvasId: BlockId): Promise<string> => {
    const answer = await client.call("canvas.text", { canvasId, revisionId: null });
    return answer.ok ? answer.value.text : answer.error.code;
  };
  expect(await read(bob, wages)).toBe("BLOCK_NOT_FOUND");
  const moved = accept(await bob.call("canvas.move-folder", { from: "Plans", to: "Mine" }));
  expect([await read(bob, looms), await read(bob, wages)]).toEqual(["Looms\n", "BLOCK_NOT_FOUND"]);
  expect(moved).toEqual({ moved: 1 });
  expect(await read(ada, wages)).toBe("Wages\n");
});

test("A-03 an agent is not told that a hidden place has a file of a name", async () => {
  const folderId = must(team.server.workspace.folders.defaultId, "a folder");
  await close(folderKey(folderId, "pay"));
  accept(await ada.call("file.open", { path: "pay/wages.md" }));
  const rootId = await bobsTalk();
  const move = (to: string) => ["move_file", { path: "loom.md", to }] as const;
  const plain = (answer: string | undefined, name: string) =>
    answer?.replaceAll(name, "X").replaceAll(/call-\d+/gu, "call");
  const [taken, free, made, unmade] = await asBob(
    rootId,
    move("pay/wages.md"),
    move("pay/other.md"),
    ["write_file", { path: "pay/wages.md", content: "x" }],
    ["write_file", { path: "pay/other.md", content: "x" }],
  );
  expect(plain(taken, "wages.md")).toBe(plain(free, "other.md"));
  expect(plain(made, "wages.md")).toBe(plain(unmade, "other.md"));
  expect(readFileSync(join(folder, "pay", "wages.md"), "utf8")).toBe("shuttle\n");
});

test("A-05 the trash is listed as if what is hidden were not in it: whole pages, and no more of them", async () => {
  const own: string[] = [];
  const gone = async (client: HeddleClient, title: string, isHidden: boolean): Promise<void> => {
    const { canvasId } = accept(await ada.call("canvas.create", { title, text: "warp\n" }));
    if (isHidden) await close(documentKey(canvasId));
    else {
      const subject = { type: "person", id: "bob" as PersonId } as const;
      await team.change({ type: "role-set", object: documentKey(canvasId), subject, role: "owner" });
    }
    const { entry } = accept(await client.call("block.delete", { blockId: canvasId }));
    if (!isHidden) own.unshift(entry.id);
  };
  await gone(bob, "Mine 1", false);
  for (const at of [1, 2, 3, 4, 5]) await gone(ada, `Wages ${at}`, true);
  await gone(bob, "Mine 2", false);
  for (const at of [6, 7, 8]) await gone(ada, `Wages ${at}`, true);
  const pages: unknown[] = [];
  for (let after: TrashId | undefined; ;) {
    const page = accept(await bob.call("trash.list", { limit: 1, ...(after === undefined ? {} : { after }) }));
    pages.push([page.entries.map(({ id }) => id), page.more]);
    after = page.entries.at(-1)?.id;
    if (!page.more || after === undefined) break;
  }
  expect(pages).toEqual([
    [[own[0]], true],
    [[own[1]], false],
  ]);
});

test("A-19 who has an account and no role is told no name of a person, a group or a thing by whatever lists", async () => {
  await team.add("cy");
  const groupId = accept(await ada.call("group.create", { name: "Weavers" })).groupId as GroupId;
  accept(await ada.call("group.set-member", { groupId, personId: "bob" as PersonId, member: true }));
  const { canvasId } = accept(
    await ada.call("canvas.create", { title: "Wages", text: "shuttle\n", folderPath: "Pay" }),
  );
  const { rootId } = accept(await ada.call("conversation.create", { title: "Wages", canvasId }));
  accept(await ada.call("bookmark.put", { title: "Wages", rootId, nodeId: null }));
  accept(await ada.call("prompt.put", { name: "Wages", text: "Speak of wages." }));
  accept(await ada.call("lock.set", { setting: "budgets", locked: true }));
  const of = { type: "person", id: "bob" as PersonId } as const;
  accept(await ada.call("budget.set", { of, per: "month", tokens: 1_500, dollars: null }));
  accept(await ada.call("conversation.delete", { rootId }));
  const secret = /Ada|"bob"|\bbob\b|Weavers|[Ww]ages|Pay|shuttle|loom\.md|1500/u;
  const told: unknown[] = [];
  let asked = 0;
  for (const name of Object.keys(commands) as readonly CommandName[]) {
    const given = parameters[name].good;
    const [verb, on] = (commands[name].access as (params: object) => Access)(given);
    if (on.type !== "workspace" || verbRow(verb).changes) continue;
    const body = JSON.stringify(given);
    const answer = await (await team.fetch("cy", `/api/commands/${name}`, { method: "POST", body })).text();
    asked += 1;
    // What was asked for may be said again.
    const found = secret.exec(answer.replaceAll(body.slice(1, -1), ""))?.[0];
    if (found !== undefined && !body.includes(found)) told.push([name, found, answer.slice(0, 300)]);
  }
  expect(told).toEqual([]);
  expect(asked).toBeGreaterThan(20);
});

test("A-19 a group is listed with those members alone whom one may know of", async () => {
  await team.add("zoe");
  const groupId = accept(await ada.call("group.create", { name: "Weavers" })).groupId as GroupId;
  const put = async (id: string, member = true): Promise<void> => {
    accept(await ada.call("group.set-member", { groupId, personId: id as PersonId, member }));
  };
  await put("zoe");
  await put("ada");
  const seen = async (client: HeddleClient) =>
    accept(await client.call("group.list", {})).groups.flatMap(({ members }) => members.map(({ name }) => name));
  expect([await seen(ada), await seen(bob)]).toEqual([["zoe", "Ada"], ["Ada"]]);
  await put("bob");
  expect(await seen(bob)).toEqual(["zoe", "Ada", "bob"]);
});

test("R10 an agent's turn is undone where the caller may edit; what they may read is named, and of the rest nothing is said", async () => {
  const made = async (title: string): Promise<BlockId> =>
    accept(await ada.call("canvas.create", { title, text: "warp\n" })).canvasId;
  const [looms, plan, wages] = [await made("Looms"), await made("Plan"), await made("Wages")];
  const { rootId } = accept(await ada.call("conversation.create", { title: "All" }));
  const steps = [looms, plan, wages].flatMap((canvas_id) => [
    () => callsTool("canvas_check_out", { canvas_id }),
    (lease_id: string) => callsTool("canvas_edit", { lease_id, edits: [{ search: "warp", text: "weft" }] }),
  ]);
  script = (request, asked) =>
    steps[asked]?.(/lease_0[a-z0-9]+/u.exec(lastResult(request))?.[0] ?? "") ?? says("Done.");
  accept(await ada.call("message.send", { rootId, parentNodeId: null, text: "Do it." }));
  const texts = async (): Promise<readonly string[]> => {
    const read = async (canvasId: BlockId) =>
      accept(await ada.call("canvas.text", { canvasId, revisionId: null })).text;
    return [await read(looms), await read(plan), await read(wages)];
  };
  await vi.waitUntil(() => requests.length === 7, { timeout: 5_000 });
  expect(await texts()).toEqual(["weft\n", "weft\n", "weft\n"]);
  await close(documentKey(plan));
  await close(documentKey(wages));
  const bobs = { type: "person", id: "bob" as PersonId } as const;
  accept(await ada.call("share.give", { on: { type: "document", id: plan }, to: bobs, role: "viewer" }));
  const [turn] = accept(await bob.call("block.turns", { blockId: looms })).turns;
  const { turnId } = must(turn, "the agent's turn");

  const undone = accept(await bob.call("turn.undo", { turnId }));
  expect([undone.blocks.map(({ blockId }) => blockId), undone.unchanged]).toEqual([[looms], [plan]]);
  expect(JSON.stringify(undone)).not.toContain(wages);
  expect(await texts()).toEqual(["warp\n", "weft\n", "weft\n"]);
  expect(accept(await bob.call("turn.redo", { turnId })).blocks.map(({ blockId }) => blockId)).toEqual([looms]);
  accept(await bob.call("turn.undo", { turnId }));
  // Taking back that undo redoes what it had undone.
  accept(await bob.call("block.undo-mine", { blockId: looms }));
  expect(await texts()).toEqual(["weft\n", "weft\n", "weft\n"]);
  expect(accept(await ada.call("turn.undo", { turnId })).unchanged).toEqual([]);
  expect(await texts()).toEqual(["warp\n", "warp\n", "warp\n"]);
  // Where they may edit none of it, it is refused, and a turn that they may not even see did nothing.
  accept(await ada.call("turn.redo", { turnId }));
  await close(documentKey(looms));
  expect((await bob.call("turn.undo", { turnId })).ok).toBe(false);
  accept(await ada.call("share.give", { on: { type: "document", id: plan }, to: bobs, role: null }));
  expect(await bob.call("turn.undo", { turnId })).toMatchObject({ error: { code: "NOTHING_TO_UNDO" } });
  expect(await texts()).toEqual(["weft\n", "weft\n", "weft\n"]);
});

test("R10 who takes back their undo of a turn takes back nobody else's", async () => {
  await team.add("cyd");
  const cyd = team.connect("cyd");
  closing.push(() => cyd.close());
  const made = async (title: string): Promise<BlockId> =>
    accept(await ada.call("canvas.create", { title, text: "warp\n" })).canvasId;
  const [looms, plan] = [await made("Looms"), await made("Plan")];
  const { rootId } = accept(await ada.call("conversation.create", { title: "All" }));
  const steps = [looms, plan].flatMap((canvas_id) => [
    () => callsTool("canvas_check_out", { canvas_id }),
    (lease_id: string) => callsTool("canvas_edit", { lease_id, edits: [{ search: "warp", text: "weft" }] }),
  ]);
  script = (request, asked) =>
    steps[asked]?.(/lease_0[a-z0-9]+/u.exec(lastResult(request))?.[0] ?? "") ?? says("Done.");
  accept(await ada.call("message.send", { rootId, parentNodeId: null, text: "Do it." }));
  const read = async (canvasId: BlockId) => accept(await ada.call("canvas.text", { canvasId, revisionId: null })).text;
  await vi.waitUntil(() => requests.length === 5, { timeout: 5_000 });
  await close(documentKey(looms));
  const give = async (id: BlockId, who: string): Promise<unknown> => {
    const to = { type: "person", id: who as PersonId } as const;
    return accept(await ada.call("share.give", { on: { type: "document", id }, to, role: "editor" }));
  };
  await Promise.all([give(looms, "bob"), give(plan, "bob"), give(plan, "cyd")]);
  const [turn] = accept(await bob.call("block.turns", { blockId: looms })).turns;
  const { turnId } = must(turn, "the agent's turn");
  expect(accept(await cyd.call("turn.undo", { turnId })).blocks.map(({ blockId }) => blockId)).toEqual([plan]);
  expect(accept(await bob.call("turn.undo", { turnId })).blocks.map(({ blockId }) => blockId)).toEqual([looms]);
  accept(await bob.call("block.undo-mine", { blockId: looms }));
  expect([await read(looms), await read(plan)]).toEqual(["weft\n", "warp\n"]);
});
