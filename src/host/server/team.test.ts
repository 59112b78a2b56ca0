import { must } from "../../core/base/assert.ts";
import { reachOfAgent } from "../access/reach.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import type { BlockId, GroupId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { CommandName } from "../../core/protocol/commands.ts";
import { conversationKey, documentKey, folderPathKey, workspaceKey } from "../../core/rights/object-key.ts";
import type { Role } from "../../core/rights/role.ts";
import { allCanvases, allConversations, until } from "../../testing/test-client.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

const closing: (() => unknown)[] = [];
let team: TestTeam;
let ada: HeddleClient;
let canvasId: BlockId;
let secretId: BlockId;
let talkId: RootId;

const connect = (id: string): HeddleClient => {
  const client = team.connect(id);
  closing.push(() => client.close());
  return client;
};
const give = (id: string, role: Role | null, object = workspaceKey) =>
  team.change({ type: "role-set", object, subject: { type: "person", id: id as PersonId }, role });
const codeOf = async (client: HeddleClient, name: CommandName, params: object): Promise<string> => {
  const answer = await client.call(name, params);
  return answer.ok ? "yes" : answer.error.code;
};

beforeEach(async () => {
  team = await startTestTeam();
  closing.push(() => team.server.close());
  ada = connect("ada");
  ({ canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" })));
  ({ canvasId: secretId } = accept(
    await ada.call("canvas.create", { title: "Wages", text: "shuttle\n", folderPath: "Board" }),
  ));
  ({ rootId: talkId } = accept(await ada.call("conversation.create", { title: "Talk" })));
  await team.change({ type: "inherits-set", object: folderPathKey("Board"), inherits: false, by: "ada" as PersonId });
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test("A-10 A-13 a viewer's push is refused before anybody sees it; a demoted editor's next one too", async () => {
  await team.add("bob", "editor");
  const [watching, bob] = [ada.openText(canvasId), connect("bob").openText(canvasId)];
  await until(watching.header, (header) => header !== null);
  await until(bob.header, (header) => header !== null);
  bob.edit([{ from: 0, to: 0, insert: "weft " }]);
  await until(watching.header, () => watching.text().startsWith("weft "));
  await give("bob", "viewer");
  const version = watching.header.get()?.version;
  bob.edit([{ from: 0, to: 0, insert: "never " }]);
  await until(bob.refused, (refused) => refused?.code === "FORBIDDEN");
  expect([watching.text(), watching.header.get()?.version]).toEqual(["weft warp\n", version]);
});

test("A-13 who loses a document loses its open watch and its entry in lists at once, and keeps the rest", async () => {
  await team.add("bob", "viewer", documentKey(canvasId));
  const client = connect("bob");
  const list = client.list(allCanvases);
  const text = client.openText(canvasId);
  await until(text.header, (header) => header !== null);
  expect((await until(list, (view) => view !== null))?.total).toBe(1);
  await give("bob", null, documentKey(canvasId));
  await until(text.refused, (refused) => refused?.code === "BLOCK_NOT_FOUND");
  await until(list, (view) => view?.total === 0);
  accept(await ada.call("canvas.arrange", { canvasId, title: "Looms 2" }));
  expect(await codeOf(client, "canvas.hashes", { canvasId })).toBe("BLOCK_NOT_FOUND");
});

test("A-16 who may not see a document where it was moved to loses it", async () => {
  await team.add("bob", "viewer");
  const client = connect("bob");
  const text = client.openText(canvasId);
  await until(text.header, (header) => header !== null);
  accept(await ada.call("canvas.arrange", { canvasId, folderPath: "Board" }));
  await until(text.refused, (refused) => refused?.code === "BLOCK_NOT_FOUND");
  expect((await until(client.list(allCanvases), (view) => view !== null))?.entries).toEqual([]);
});

test("A-13 A-36 the socket of a removed person and of an ended session is closed, and opens no more", async () => {
  await team.add("bob", "editor");
  const [bob, own] = [connect("bob"), connect("ada")];
  for (const client of [bob, own]) await until(client.list(allConversations), (view) => view !== null);
  await team.change({ type: "person-removed", id: "bob" as PersonId });
  team.endSession("ada");
  for (const client of [bob, own]) await until(client.state, ({ type }) => type === "refused");
  expect((await team.fetch("bob", "/api/roots")).status).toBe(401);
});

test("19.11 a deletion over HTTP whose answer was lost answers the repeat, to who deleted and to nobody else", async () => {
  await team.add("bob", "editor");
  const { nodeId } = accept(await ada.call("message.add", { rootId: talkId, parentNodeId: null, text: "hello" }));
  const path = `/api/nodes/${nodeId}?clientRequestId=one`;
  const answers = [];
  for (const id of ["ada", "ada", "bob"]) answers.push((await team.fetch(id, path, { method: "DELETE" })).status);
  expect(answers).toEqual([200, 200, 404]);
});

test("A-04 A-05 lists, counts, search, trash and folders are as if what is hidden were not there", async () => {
  await team.add("bob", "viewer");
  const bob = connect("bob");
  const seen = await until(bob.list(allCanvases), (view) => view !== null);
  expect([seen?.total, seen?.entries.map(({ title }) => title)]).toEqual([1, ["Looms"]]);
  expect((await until(bob.list({ of: "canvas-folders" }), (view) => view !== null))?.entries).toEqual([]);
  expect((await until(bob.list({ of: "canvas", id: secretId }), (view) => view !== null))?.total).toBe(0);
  await until(ada.list({ of: "canvas", id: secretId }), (view) => view?.total === 1);
  const { rootId } = accept(await ada.call("conversation.create", { title: "Pay" }));
  const own = { object: conversationKey(rootId), inherits: false, by: "ada" as PersonId };
  await team.change({ type: "inherits-set", ...own });
  for (const [id, text] of [
    [talkId, "a shuttle"],
    [rootId, "shuttle shuttle"],
  ] as const) {
    accept(await ada.call("message.add", { rootId: id, parentNodeId: null, text }));
  }
  const find = async (client: HeddleClient) =>
    accept(await client.call("search.words", { words: "shuttle", in: "messages", limit: 1 })).matches;
  expect([await find(ada), await find(bob)]).toMatchObject([[{ rootId }], [{ rootId: talkId }]]);
  accept(await ada.call("block.delete", { blockId: secretId }));
  const trash = async (client: HeddleClient) => accept(await client.call("trash.list", {})).entries;
  const [entry] = await trash(ada);
  expect([entry?.title, await trash(bob)]).toEqual(["Wages", []]);
  expect(await codeOf(bob, "trash.restore", { trashId: entry?.id })).toBe("NOT_IN_TRASH");
  expect((await team.fetch("bob", "/api/search?words=warp&in=blocks")).status).toBe(200);
});

test("A-03 A-09 what names a hidden object is answered as a missing one, and roles decide the rest", async () => {
  await team.add("bob", "commenter");
  const bob = connect("bob");
  const hidden: readonly (readonly [CommandName, object])[] = [
    ["canvas.text", { canvasId: secretId, revisionId: null }],
    ["canvas.duplicate", { canvasId: secretId }],
    ["comment.add", { blockId: secretId, text: "Hm." }],
    ["block.undo-mine", { blockId: secretId }],
  ];
  for (const [name, params] of hidden)
    expect([name, await codeOf(bob, name, params)]).toEqual([name, "BLOCK_NOT_FOUND"]);
  const refused: readonly (readonly [CommandName, object])[] = [
    ["canvas.create", { title: "Mine" }],
    ["conversation.create", {}],
    ["conversation.rename", { rootId: talkId, title: "No" }],
    ["preset.put", { name: "p", n: 1 }],
    ["canvas.set-default-policy", { policy: "suggest" }],
    ["token.list", {}],
    ["conversation.for-settings", {}],
    ["approval.rules", { rootId: null }],
  ];
  for (const [name, params] of refused) expect([name, await codeOf(bob, name, params)]).toEqual([name, "FORBIDDEN"]);
  const allowed: readonly (readonly [CommandName, object])[] = [
    ["canvas.text", { canvasId, revisionId: null }],
    ["comment.add", { blockId: canvasId, text: "Nice." }],
    ["bookmark.put", { title: "Start", rootId: talkId, nodeId: null }],
  ];
  for (const [name, params] of allowed) expect([name, await codeOf(bob, name, params)]).toEqual([name, "yes"]);
  await give("bob", "editor", folderPathKey("Plans"));
  expect(await codeOf(bob, "canvas.create", { title: "Mine", folderPath: "Plans/2027" })).toBe("yes");
  expect(await codeOf(bob, "canvas.create", { title: "Mine", folderPath: "Board" })).toBe("FORBIDDEN");
});

test("A-19 people who share nothing do not see that the other is there; whole-workspace routes are refused", async () => {
  await team.add("bob", "viewer", documentKey(canvasId));
  await team.add("eve", "viewer");
  const [bob, eve] = [connect("bob"), connect("eve")];
  const names = (people: readonly { readonly actor: { readonly name: string } }[]) =>
    people.map(({ actor }) => actor.name).toSorted();
  await until(eve.workspace, (seen) => names(seen?.people ?? []).join() === "Ada,eve");
  await until(bob.workspace, (seen) => names(seen?.people ?? []).join() === "bob");
  for (const path of ["/api/forest/outline", "/metrics", "/api/files"]) {
    expect([path, (await team.fetch("eve", path)).status]).toEqual([path, 403]);
  }
  expect((await team.fetch("bob", `/api/roots/${talkId}`)).status).toBe(404);
  expect((await team.fetch("eve", `/api/roots/${talkId}`)).status).toBe(200);
  expect((await (await team.fetch("bob", "/api/roots")).json()) as object).toEqual({ roots: [] });
});

test("A-20 A-22 an agent reads and changes only what everyone may who can ask it", async () => {
  await team.add("bob", "editor");
  const bob = connect("bob");
  const { folders, store } = team.server.workspace;
  const root = must(await store.root(talkId), "the conversation is stored");
  const agent = reachOfAgent(team.keeper, root, { folders });
  const header = async (id: BlockId) => must(await store.block(id), "the document is stored");
  const [open, closed] = [await header(canvasId), await header(secretId)];
  expect([agent.document(open), agent.document(closed)]).toEqual([true, false]);
  expect([agent.agent?.toChange.document(open), agent.agent?.mayRunCommands]).toEqual([true, false]);
  // A reader of the conversation must not be quoted what they may not read; who may ask must not change by an agent more.
  await give("bob", "viewer", documentKey(canvasId));
  await team.change({ type: "inherits-set", object: documentKey(canvasId), inherits: false, by: "ada" as PersonId });
  expect([agent.document(open), agent.agent?.toChange.document(open)]).toEqual([true, false]);
  await give("bob", null, documentKey(canvasId));
  expect(agent.document(open)).toBe(false);
  // In a conversation of her own the agent has what she has.
  await team.change({ type: "inherits-set", object: conversationKey(talkId), inherits: false, by: "ada" as PersonId });
  const own = reachOfAgent(team.keeper, root, { folders });
  expect([own.document(closed), own.agent?.toChange.document(closed)]).toEqual([true, true]);
  expect(await codeOf(bob, "message.add", { rootId: talkId, parentNodeId: null, text: "Hm" })).toBe("ROOT_NOT_FOUND");
});

test("A-14 a stream that is open is cut when its reader loses the conversation", async () => {
  await team.add("bob", "viewer");
  const response = await team.fetch("bob", `/api/roots/${talkId}/events`);
  const reader = must(response.body, "a stream has a body").getReader();
  expect((await reader.read()).done).toBe(false);
  const readToEnd = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  const ended = expect(readToEnd()).rejects.toThrow();
  await give("bob", null);
  await ended;
});

test("A-17 who is taken out of a group loses its watch and its lists at once; a removed group takes all", async () => {
  const group = { type: "group", id: "g1" as GroupId } as const;
  for (const id of ["bob", "cy"]) {
    await team.add(id);
    if (id === "bob") await team.change({ type: "group-set", id: group.id, name: "Weavers", isNew: true });
    await team.change({ type: "member-set", group: group.id, person: id as PersonId, isMember: true });
  }
  await team.change({ type: "role-set", object: documentKey(canvasId), subject: group, role: "viewer" });
  const [bob, cy] = [connect("bob"), connect("cy")];
  const texts = [bob, cy].map((client) => client.openText(canvasId));
  for (const text of texts) await until(text.header, (header) => header !== null);
  const before = performance.now();
  await team.change({ type: "member-set", group: group.id, person: "bob" as PersonId, isMember: false });
  await until(must(texts[0], "Bob's").refused, (refused) => refused?.code === "BLOCK_NOT_FOUND");
  expect(performance.now() - before).toBeLessThan(1_000);
  expect([await codeOf(bob, "canvas.hashes", { canvasId }), await codeOf(cy, "canvas.hashes", { canvasId })]).toEqual([
    "BLOCK_NOT_FOUND",
    "yes",
  ]);
  accept(await ada.call("group.remove", { groupId: group.id }));
  await until(must(texts[1], "Cy's").refused, (refused) => refused?.code === "BLOCK_NOT_FOUND");
  expect((await until(cy.list(allCanvases), (view) => view !== null))?.total).toBe(0);
});
