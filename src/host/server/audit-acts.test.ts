import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, NodeId, PersonId, RootId, RunId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { Shell } from "../../core/port/shell.ts";
import { firstBrokenEntry, type AuditEntry } from "../../core/rights/audit.ts";
import { conversationKey, documentKey } from "../../core/rights/object-key.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { connectHeddle } from "../../client/connect.ts";
import { startTestServer } from "../../testing/test-server.ts";
import { until } from "../../testing/test-client.ts";
import { scriptedCatalogue, type Script } from "../cli/chat/chat.test-support.ts";
import { callsWith, says } from "../conversation/queue/conversation.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// What the audit log has of work: each kind of act after it was done, and no such entry after it was refused.

let folder: string;
let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let talkId: RootId;
let canvasId: BlockId;
let script: (request: ModelRequest, asked: number) => ReturnType<Script>;

const shell: Shell = {
  hosts: [],
  run: async () => ({ ok: true, value: { type: "exited", code: 0 } }),
  close: async () => {},
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-audit-acts-"));
  writeFileSync(join(folder, "weave.txt"), "warp\n");
  script = () => says("Done.");
  const { catalogue } = scriptedCatalogue((request, asked) => script(request, asked));
  team = await startTestTeam({ catalogue, filesFolder: folder, shell });
  await team.add("bob", "viewer");
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
  ({ canvasId } = accept(await ada.call("canvas.create", { title: "Loom", text: "shuttle\n", folderPath: "Plans" })));
  ({ rootId: talkId } = accept(await ada.call("conversation.create", { title: "Talk" })));
});
afterEach(async () => {
  for (const client of [ada, bob]) client.close();
  await team.server.close();
  rmSync(folder, { recursive: true, force: true });
});

const log = (): Promise<readonly AuditEntry[]> => team.server.workspace.store.audit(0, 10_000);
const entriesOf = async (act: string): Promise<readonly AuditEntry[]> =>
  (await log()).filter((entry) => entry.act === act);

/** A conversation of Ada's own, whose agent makes one call. */
async function asked(name: string, parameters: object, approvals?: "all"): Promise<Asked> {
  const { rootId } = accept(await ada.call("conversation.create", { title: "Own" }));
  await team.change({
    type: "inherits-set",
    object: conversationKey(rootId),
    inherits: false,
    by: "ada" as PersonId,
  });
  if (approvals !== undefined) accept(await ada.call("conversation.rules", { rootId, approvals }));
  let isCalled = false;
  script = () => {
    const reply = isCalled ? says("Done.") : callsWith(name, parameters);
    isCalled = true;
    return reply;
  };
  const sent = accept(await ada.call("message.send", { rootId, parentNodeId: null, text: "Do it." }));
  const { runId } = sent;
  const nodeId = must(sent.nodeId, "nothing waits before it");
  const at = (type: string) =>
    until(ada.conversation(rootId), (view) => view?.runs[0]?.state.type === type && view.runs[0].headNodeId !== null);
  await at(approvals === undefined ? "idle" : "awaiting-approval");
  return { rootId, runId, nodeId, at };
}

interface Asked {
  readonly rootId: RootId;
  readonly runId: RunId;
  readonly nodeId: NodeId;
  readonly at: (state: string) => Promise<unknown>;
}

async function answer(client: HeddleClient, { runId, rootId }: Asked, change: object) {
  const state = must(ada.conversation(rootId).get()?.runs[0]?.state, "a state");
  if (state.type !== "awaiting-approval") throw new Error(`the run is ${state.type}`);
  const { callId, argumentsHash } = state.request;
  const given = { runId, callId, argumentsHash, decision: "allow", remember: "once", ...change } as const;
  return client.call("approval.answer", given);
}

interface Row {
  /** Does it as somebody who may not. */
  readonly refused: () => Promise<unknown>;
  readonly done: () => Promise<unknown>;
  readonly object: () => string;
}

const trashIdOf = async (): Promise<never> =>
  must((await team.server.workspace.store.trash({ before: null, limit: 1 }))[0], "an entry").id as never;
const deletes = async (): Promise<unknown> => accept(await ada.call("block.delete", { blockId: canvasId }));
const ofCanvas = (): string => documentKey(canvasId);
const ofTalk = (): string => conversationKey(talkId);

const rows: Readonly<Record<string, Row>> = {
  "export.document": {
    refused: () => bob.call("comment.export", { blockId: "doc_0/1/0" as BlockId, comments: "none" }),
    done: async () => accept(await ada.call("comment.export", { blockId: canvasId, comments: "none" })),
    object: ofCanvas,
  },
  "export.conversation": {
    refused: () => team.fetch("nobody", `/api/roots/${talkId}/export`),
    done: () => team.fetch("ada", `/api/roots/${talkId}/export`),
    object: ofTalk,
  },
  "export.trace": {
    refused: () => bob.call("conversation.trace", { rootId: talkId }),
    done: async () => accept(await ada.call("conversation.trace", { rootId: talkId })),
    object: ofTalk,
  },
  "document.deleted": {
    refused: () => bob.call("block.delete", { blockId: canvasId }),
    done: deletes,
    object: ofCanvas,
  },
  "document.restored": {
    refused: async () => {
      await deletes();
      return bob.call("trash.restore", { trashId: await trashIdOf() });
    },
    done: async () => accept(await ada.call("trash.restore", { trashId: await trashIdOf() })),
    object: ofCanvas,
  },
  "document.purged": {
    refused: async () => {
      await deletes();
      return bob.call("trash.purge", { trashId: await trashIdOf() });
    },
    done: async () => accept(await ada.call("trash.purge", { trashId: await trashIdOf() })),
    object: ofCanvas,
  },
  "document.moved": {
    refused: () => bob.call("canvas.arrange", { canvasId, folderPath: "Other" }),
    done: async () => accept(await ada.call("canvas.arrange", { canvasId, folderPath: "Other" })),
    object: ofCanvas,
  },
  "folder.moved": {
    refused: () => bob.call("canvas.move-folder", { from: "Plans", to: "Old" }),
    done: async () => accept(await ada.call("canvas.move-folder", { from: "Plans", to: "Old" })),
    object: () => "folder:/Old",
  },
  "conversation.deleted": {
    refused: () => bob.call("conversation.delete", { rootId: talkId }),
    done: async () => accept(await ada.call("conversation.delete", { rootId: talkId })),
    object: ofTalk,
  },
  "messages.deleted": {
    refused: async () => bob.call("message.delete", { nodeId: await added() }),
    done: async () => accept(await ada.call("message.delete", { nodeId: await added() })),
    object: ofTalk,
  },
};

async function added(): Promise<NodeId> {
  const parentNodeId = null;
  const message = { role: "user", text: "Hello." } as const;
  const wish = { rootId: talkId, parentNodeId, ...message };
  return must(accept(await ada.call("message.add", wish as never)).nodeId, "the message is added at once");
}

test.each(Object.entries(rows))(
  "A-40 %s is in the log after it was done, and not after it was refused",
  async (act, row) => {
    const refused = await row.refused();
    expect(refused instanceof Response ? refused.ok : (refused as { readonly ok: boolean }).ok).toBe(false);
    expect((await entriesOf(act)).filter(({ outcome }) => outcome === "done")).toEqual([]);
    await row.done();
    const done = (await entriesOf(act)).filter(({ outcome }) => outcome === "done");
    expect(done).toHaveLength(1);
    expect(done[0]).toMatchObject({ actor: "ada", credential: "ada", through: null, object: row.object() });
    const text = JSON.stringify(await log());
    for (const words of ["shuttle", "Hello.", "Loom"]) expect(text).not.toContain(words);
    expect(firstBrokenEntry(await log())).toBeNull();
  },
);

test("A-40 where one person owns everything, nothing is told and no commit takes another way", async () => {
  const store = openMemoryStore();
  const server = await startTestServer({ store, welcome: false });
  const one = connectHeddle({ url: server.url, token: server.token, clientId: "client-of-one-0123456789" });
  const { canvasId: ownId } = accept(await one.call("canvas.create", { title: "Own", text: "" }));
  accept(await one.call("canvas.arrange", { canvasId: ownId, folderPath: "Plans" }));
  accept(await one.call("comment.export", { blockId: ownId, comments: "none" }));
  accept(await one.call("block.delete", { blockId: ownId }));
  expect(await store.auditHead()).toBeNull();
  expect(server.workspace.store).toBe(store);
  one.close();
  await server.close();
});

test("A-40 what somebody may see and may not do is in the log as refused; what is hidden from them leaves nothing", async () => {
  expect(await bob.call("block.delete", { blockId: canvasId })).toMatchObject({ error: { code: "FORBIDDEN" } });
  expect(await entriesOf("document.deleted")).toMatchObject([
    { actor: "bob", credential: "bob", outcome: "refused", object: documentKey(canvasId) },
  ]);
  await team.change({ type: "inherits-set", object: documentKey(canvasId), inherits: false, by: "ada" as PersonId });
  const before = await log();
  expect(await bob.call("block.delete", { blockId: canvasId })).toMatchObject({ ok: false });
  expect(await log()).toEqual(before);
});

describe("an agent", () => {
  test("A-40 deletes and moves a file with whom it acts for, its run, its turn and its call", async () => {
    const moved = await asked("move_file", { path: "weave.txt", to: "weft.txt" });
    const { turnId } = must(await team.server.workspace.store.run(moved.runId), "a run");
    const through = { runId: moved.runId, turnId, callId: "call-move_file" };
    expect(await entriesOf("document.moved")).toMatchObject([{ actor: "ada", credential: null, through }]);
    const deleted = await asked("delete_file", { path: "weft.txt" });
    expect(await entriesOf("document.deleted")).toMatchObject([
      { actor: "ada", through: { runId: deleted.runId, callId: "call-delete_file" } },
    ]);
    expect(firstBrokenEntry(await log())).toBeNull();
  });

  test("A-40 runs a command, of which the log has whose it was and how it ended, and no word of it", async () => {
    const { rootId, runId } = await asked("bash", { command: "echo hidden-words" });
    const about = { actor: "ada", object: conversationKey(rootId), through: { runId, callId: "call-bash" } };
    expect(await entriesOf("command.started")).toMatchObject([about]);
    expect(await entriesOf("command.ended")).toMatchObject([{ ...about, after: { ok: true, code: null } }]);
    expect(JSON.stringify(await log())).not.toContain("hidden-words");
  });

  test("A-40 that waits for an approval gets one, of which the log has who gave it, and the rule that it left", async () => {
    const waits = await asked("bash", { command: "echo hidden-words" }, "all");
    await team.change({
      type: "role-set",
      object: conversationKey(waits.rootId),
      subject: { type: "person", id: "bob" as PersonId },
      role: "viewer",
    });
    expect(await answer(bob, waits, {})).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
    expect(await entriesOf("command.started")).toEqual([]);
    expect((await log()).filter(({ act }) => act.startsWith("approval"))).toMatchObject([
      { actor: "bob", act: "approval.answered", outcome: "refused", object: conversationKey(waits.rootId) },
    ]);
    accept(await answer(ada, waits, { remember: "conversation" }));
    await waits.at("idle");
    const through = { runId: waits.runId, callId: "call-bash" };
    const about = { actor: "ada", credential: "ada", object: conversationKey(waits.rootId), through };
    expect(await entriesOf("approval.allowed")).toMatchObject([about]);
    expect(await entriesOf("approval-rule.made")).toMatchObject([{ ...about, after: { tool: "bash" } }]);
    expect(await entriesOf("command.ended")).toHaveLength(1);
    const { rules } = accept(await ada.call("approval.rules", { rootId: waits.rootId }));
    accept(await ada.call("approval.forget", { ruleId: must(rules[0], "a rule").id }));
    expect(await entriesOf("approval-rule.forgotten")).toMatchObject([{ actor: "ada", outcome: "done" }]);
    const denied = await asked("bash", { command: "echo hidden-words" }, "all");
    accept(await answer(ada, denied, { decision: "deny" }));
    await denied.at("idle");
    expect(await entriesOf("approval.denied")).toHaveLength(1);
    expect(await entriesOf("command.ended")).toHaveLength(1);
    expect(JSON.stringify(await log())).not.toContain("hidden-words");
    expect(firstBrokenEntry(await log())).toBeNull();
  });
});

test("A-40 a reader who asks a thousand times for what they may not do leaves one entry, and the others by their number at the stop", async () => {
  const { store } = team.server.workspace;
  for (let times = 0; times < 1_000; times += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => bob.call("canvas.arrange", { canvasId, folderPath: "Elsewhere" })),
    );
  }
  const refused = async () => (await store.audit(0, 10_000)).filter(({ outcome }) => outcome === "refused");
  expect((await refused()).map(({ act, actor, after }) => [act, actor, after])).toEqual([
    ["document.moved", "bob", null],
  ]);
  await team.keeper.close();
  expect((await refused()).map(({ after }) => after)).toEqual([null, { times: 999 }]);
});
