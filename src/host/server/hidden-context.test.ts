import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { conversationKey, documentKey, folderKey, type ObjectKey } from "../../core/rights/object-key.ts";
import type { Role } from "../../core/rights/role.ts";
import { scriptedCatalogue } from "../cli/chat/chat.test-support.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { connectAgent } from "./mcp/mcp.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// What a conversation tells of the folder and of the documents that it works with, to somebody who may read it alone.

let folder: string;
let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let requests: readonly ModelRequest[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-context-"));
  const skill = join(folder, ".agents", "skills", "layoffs");
  for (const path of [join(folder, "pay"), skill]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, "AGENTS.md"), "Never speak of the shuttle.\n");
  writeFileSync(join(folder, "pay", "AGENTS.md"), "Wages are secret.\n");
  writeFileSync(join(skill, "SKILL.md"), "---\nname: layoffs\ndescription: Who goes.\n---\nBobbin.\n");
  const scripted = scriptedCatalogue(() => says("Done."));
  requests = scripted.requests;
  team = await startTestTeam({ catalogue: scripted.catalogue, filesFolder: folder });
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
});
afterEach(async () => {
  for (const client of [ada, bob]) client.close();
  await team.server.close();
  rmSync(folder, { recursive: true, force: true });
});

const close = (object: ObjectKey): Promise<void> =>
  team.change({ type: "inherits-set", object, inherits: false, by: "ada" as PersonId });
const give = (object: ObjectKey, role: Role): Promise<void> =>
  team.change({ type: "role-set", object, subject: { type: "person", id: "bob" as PersonId }, role });
const folderId = () => must(team.server.workspace.folders.defaultId, "a folder");
const settled = (count: number) =>
  vi.waitUntil(
    async () => requests.length === count && (await team.server.workspace.store.unsettledRuns()).length === 0,
  );

async function send(client: HeddleClient, rootId: RootId, text: string): Promise<void> {
  const before = requests.length;
  const head = (await team.server.workspace.store.runs(rootId)).at(-1)?.headNodeId ?? null;
  accept(await client.call("message.send", { rootId, parentNodeId: head, text }));
  await settled(before + 1);
}

test("A-20 who may read a conversation, and not its folder, is told nothing of what the folder says to agents", async () => {
  accept(await ada.call("folder.trust", { folderId: folderId(), trusted: true }));
  await team.add("bob");
  const { rootId } = accept(await ada.call("conversation.create", { title: "Talk" }));
  const system = async (client: HeddleClient): Promise<string> =>
    JSON.stringify(accept(await client.call("branch.context", { rootId, nodeId: null })));
  for (const word of ["shuttle", "pay/AGENTS.md", "layoffs"]) expect(await system(ada)).toContain(word);
  await give(conversationKey(rootId), "editor");
  await send(bob, rootId, "What must you never speak of?");
  const told = { context: await system(bob), request: JSON.stringify(requests.at(-1)) };
  for (const [way, said] of Object.entries(told)) {
    for (const word of ["shuttle", "pay/AGENTS.md", "layoffs"]) {
      expect([way, word, said.includes(word)]).toEqual([way, word, false]);
    }
  }
});

test("A-05 the instructions of a folder are listed without what lies where one may not look", async () => {
  await team.add("bob", "viewer");
  await close(folderKey(folderId(), "pay"));
  await close(folderKey(folderId(), ".agents/skills/layoffs"));
  const of = async (client: HeddleClient): Promise<string> =>
    JSON.stringify(accept(await client.call("folder.instructions", { folderId: folderId() })));
  for (const word of ["pay/", "layoffs"])
    expect([await of(ada), await of(bob)].map((said) => said.includes(word))).toEqual([true, false]);
  expect(await of(bob)).toContain("AGENTS.md");
});

test("A-23 a conversation's context does not name a canvas that its reader may not see", async () => {
  await team.add("bob");
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Wages", text: "shuttle\n" }));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Talk", canvasId }));
  const agent = await connectAgent({ url: team.server.url, token: await team.program("ada") });
  const { lease_id: leaseId } = await agent.call("canvas_check_out", { canvas_id: canvasId });
  await agent.call("block_update", { block_id: canvasId, excluded: true });
  await agent.call("canvas_check_in", { lease_id: leaseId });
  await agent.close();
  await give(conversationKey(rootId), "viewer");
  const context = async (client: HeddleClient) => accept(await client.call("branch.context", { rootId, nodeId: null }));
  expect((await context(ada)).canvases).toEqual([]);
  expect(JSON.stringify(await context(bob))).not.toContain("Wages");
  await give(documentKey(canvasId), "viewer");
  expect((await context(bob)).canvases).toEqual([{ canvasId, title: "Wages" }]);
});

test("A-23 a summary does not tell what a document says that not everyone in the conversation may read any more", async () => {
  await team.add("bob", "editor");
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "# Warp\n" }));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Talk", canvasId }));
  await send(ada, rootId, "word ".repeat(2_000));
  await close(documentKey(canvasId));
  accept(await ada.call("canvas.arrange", { canvasId, title: "Wages" }));
  const head = must((await team.server.workspace.store.runs(rootId)).at(-1)?.headNodeId, "a reply");
  accept(await bob.call("branch.compact", { nodeId: head }));
  await settled(2);
  const nodes = await team.server.workspace.store.nodes(rootId);
  const summary = JSON.stringify(
    must(
      nodes.find(({ compacts }) => compacts !== undefined),
      "a summary",
    ),
  );
  for (const word of ["Wages", "Warp"]) expect([word, summary.includes(word)]).toEqual([word, false]);
});

test("A-05 a conversation of a folder that is closed is in the trash of nobody who could not see it there", async () => {
  await team.add("bob", "owner");
  await close(folderKey(folderId()));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Wages" }));
  const { entry } = accept(await ada.call("conversation.delete", { rootId }));
  const listed = async (client: HeddleClient) =>
    accept(await client.call("trash.list", {})).entries.map(({ id }) => id);
  expect([await listed(ada), await listed(bob)]).toEqual([[entry.id], []]);
  for (const name of ["trash.restore", "trash.purge"] as const) {
    const answer = await bob.call(name, { trashId: entry.id });
    expect([name, answer.ok ? "ok" : answer.error.code]).toEqual([name, "NOT_IN_TRASH"]);
  }
  accept(await ada.call("trash.restore", { trashId: entry.id }));
});
