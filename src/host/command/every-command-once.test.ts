import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryImage } from "../../adapters/storage/memory/tables.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, NodeId, RequestId, RootId, RunId, ToolCallId, TurnId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { textOf } from "../../core/message/content.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { LanguageModel } from "../../core/port/language-model.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import { commands, type CommandAnswer, type CommandName, type CommandParams } from "../../core/protocol/commands.ts";
import { isSettled } from "../../core/turn/precheck.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { model as modelActor } from "../document/world.test-support.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";
import type { ModelSettings } from "../models/model-settings.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { personNamed } from "../base/people.ts";
import { createDispatch } from "./dispatch.ts";

const person = personNamed("Tester");
const clientId = "a-page-that-asks-again";

/** Does as the last message says: asks, calls a tool, fails, or answers. */
const obedient: LanguageModel = {
  info: {
    id: "test/obedient",
    name: "Obedient",
    contextTokensMax: 100_000,
    outputTokensMax: 1_000,
    tools: true,
    thinking: false,
    local: true,
  },
  api: "test",
  async *stream({ messages }) {
    const last = messages.at(-1);
    const said = last?.role === "user" ? textOf(last) : "";
    const called = said === "ask" ? "ask_user" : said === "call" ? "canvas_check_out" : null;
    if (said === "fail") {
      yield { type: "failed", failure: { class: "invalid-request", message: "No.", retryable: false } };
    } else if (called !== null) {
      const questions = { questions: [{ question: "Tea?", options: [{ label: "yes" }, { label: "no" }] }] };
      yield { type: "tool-call-start", index: 0, id: "call-1", name: called };
      yield { type: "tool-call-delta", index: 0, text: called === "ask_user" ? JSON.stringify(questions) : "{}" };
      yield { type: "tool-call-end", index: 0 };
      yield { type: "finished", reason: "tool-use", usage: noUsage };
    } else {
      yield* says("done");
    }
  },
};

/** A workspace that is asked as one page asks, with what it stored and what it did outside the store. */
class Scene {
  readonly workspace: Workspace;
  readonly store: MemoryStore;
  readonly folder: string;
  /** The writes of every commit so far. */
  readonly commits: (readonly StoreWrite[])[];
  /** How often something outside the store was changed. */
  readonly outside: { count: number };
  #requests = 0;

  constructor(parts: Pick<Scene, "workspace" | "store" | "folder" | "commits" | "outside">) {
    this.workspace = parts.workspace;
    this.store = parts.store;
    this.folder = parts.folder;
    this.commits = parts.commits;
    this.outside = parts.outside;
  }

  static async open(folder: string, from?: MemoryImage): Promise<Scene> {
    const commits: (readonly StoreWrite[])[] = [];
    const outside = { count: 0 };
    const store = openMemoryStore(from, {
      fault: (writes) => {
        commits.push(writes);
        return null;
      },
    });
    const changes = async () => {
      outside.count += 1;
      return ok(undefined);
    };
    const platform = { ...systemPlatform(), logger: { info() {}, warn() {}, error() {} } };
    const modelSettings = { setKey: changes, removeKey: changes } satisfies Partial<ModelSettings>;
    const nothing = async (): Promise<void> => {};
    const mcp = {
      setEnabled: changes,
      reload: changes,
      acceptTool: changes,
      states: () => [],
      offered: () => [],
      settled: nothing,
      close: nothing,
    } satisfies Partial<McpServers>;
    const workspace = await openWorkspace({
      store,
      catalogue: { list: () => [obedient.info], find: (id) => (id === obedient.info.id ? obedient : undefined) },
      platform,
      cwd: tmpdir(),
      welcome: false,
      files: await openFolderTree(folder, platform.clock),
      // Only what commands change of them is there.
      modelSettings: modelSettings as Partial<ModelSettings> as ModelSettings,
      mcp: mcp as Partial<McpServers> as McpServers,
    });
    const scene = new Scene({ workspace, store, folder, commits, outside });
    closing.push(() => workspace.close());
    await scene.rest();
    return scene;
  }

  async perform<Name extends CommandName>(name: Name, params: CommandParams<Name>, requestId: string) {
    const caller = { actor: person, clientId, replica: await this.workspace.replicas.forClient(clientId, person) };
    return createDispatch(this.workspace)({ caller, name, params, requestId: requestId as RequestId });
  }

  /** Asks for something else first, under an id of its own. */
  async call<Name extends CommandName>(name: Name, params: CommandParams<Name>): Promise<CommandAnswer<Name>> {
    this.#requests += 1;
    const answer = accept(await this.perform(name, params, `before-${this.#requests}`)) as CommandAnswer<Name>;
    await this.rest();
    return answer;
  }

  /** Waits until no run works and nothing has been stored for a while. */
  async rest(): Promise<void> {
    for (let seen = -1; seen !== this.commits.length;) {
      seen = this.commits.length;
      await new Promise((resolve) => void setTimeout(resolve, 15));
      const unsettled = await this.store.unsettledRuns();
      const waits = (type: string): boolean => type === "awaiting-approval" || type === "awaiting-answer";
      if (unsettled.some(({ state }) => !isSettled(state) && !waits(state.type))) seen = -1;
    }
  }

  async root(): Promise<RootId> {
    return (await this.call("conversation.create", { title: "Talk" })).rootId;
  }

  async said(text = "hello", of?: RootId): Promise<{ rootId: RootId; nodeId: NodeId; runId: RunId }> {
    const rootId = of ?? (await this.root());
    const { nodeId, runId } = await this.call("message.send", { rootId, parentNodeId: null, text });
    return { rootId, nodeId: must(nodeId, "it was sent"), runId };
  }

  async canvas(): Promise<BlockId> {
    return (await this.call("canvas.create", { title: "Notes", text: "one\ntwo\n" })).canvasId;
  }

  /** A canvas that this page has written in. */
  async written(): Promise<BlockId> {
    const canvasId = await this.canvas();
    const { replicas, hub } = this.workspace;
    const author = this.workspace.author(person, await replicas.forClient(clientId, person));
    accept(await hub.editor.edit(author, canvasId, { changes: [{ from: 0, to: 0, insert: "mine " }] }));
    return canvasId;
  }

  /** A canvas that a turn of a model has written in. */
  async writtenByTurn(): Promise<TurnId> {
    const canvasId = await this.canvas();
    const { replicas, hub } = this.workspace;
    const actor = modelActor("other");
    const author = { actor, replica: await replicas.forRun(actor), unit: { id: "a call", turnId: actor.turnId } };
    accept(await hub.editor.edit(author, canvasId, { changes: [{ from: 0, to: 0, insert: "agent " }] }));
    return actor.turnId;
  }

  async suggested(): Promise<BlockId> {
    const canvasId = await this.canvas();
    await this.call("canvas.set-policy", { canvasId, policy: "suggest" });
    const { replicas, hub } = this.workspace;
    const actor = { ...modelActor("other"), toolCallId: "call" as ToolCallId };
    const author = { actor, replica: await replicas.forRun(actor), unit: { id: "a call" } };
    const plan = ({ text }: { readonly text: string }) => ok(text.replace("two", "TWO"));
    accept(await hub.suggestions.suggest(author, { canvasId, reason: "policy", guards: [], plan }));
    return canvasId;
  }
}

type Case<Name extends CommandName> =
  /** Changes nothing, so that it may be asked again and again. */
  | "reads"
  /** Prepares what the command is about. `outside`: its effect is not in the store. */
  | { readonly outside?: true; readonly params: (scene: Scene) => Promise<CommandParams<Name>> };

const cases: { readonly [Name in CommandName]: Case<Name> } = {
  "conversation.create": { params: async () => ({ title: "Made" }) },
  "conversation.for-settings": { params: async () => ({ systemPrompt: "Be brief." }) },
  "conversation.delete": { params: async (scene) => ({ rootId: (await scene.said()).rootId }) },
  "conversation.rename": { params: async (scene) => ({ rootId: await scene.root(), title: "Renamed" }) },
  "conversation.set-model": { params: async (scene) => ({ rootId: await scene.root(), model: obedient.info.id }) },
  "conversation.set-tool-syntax": { params: async (scene) => ({ rootId: await scene.root(), toolSyntax: "caret" }) },
  "conversation.rules": { params: async (scene) => ({ rootId: await scene.root(), approvals: "all" }) },
  "conversation.trace": "reads",
  "conversation.usage": "reads",
  "conversation.set-canvas": { params: async (scene) => ({ rootId: await scene.root(), canvasId: null }) },
  "message.send": { params: async (scene) => ({ rootId: await scene.root(), parentNodeId: null, text: "hello" }) },
  "message.add": { params: async (scene) => ({ rootId: await scene.root(), parentNodeId: null, text: "hello" }) },
  "message.edit": { params: async (scene) => ({ nodeId: (await scene.said()).nodeId, text: "other" }) },
  "message.regenerate": { params: async (scene) => ({ nodeId: (await scene.said()).nodeId }) },
  "message.split": { params: async (scene) => ({ nodeId: (await scene.said("one two")).nodeId, at: 4 }) },
  "message.rewrite": { params: async (scene) => ({ nodeId: (await scene.said()).nodeId, text: "other" }) },
  "message.delete": { params: async (scene) => ({ nodeId: (await scene.said()).nodeId }) },
  "message.label": { params: async (scene) => ({ nodeId: (await scene.said()).nodeId, tags: ["a"] }) },
  "bookmark.list": "reads",
  "bookmark.put": { params: async (scene) => ({ title: "mark", rootId: await scene.root(), nodeId: null }) },
  "bookmark.rename": {
    async params(scene) {
      await scene.call("bookmark.put", { title: "mark", rootId: await scene.root(), nodeId: null });
      return { title: "mark", newTitle: "other" };
    },
  },
  "bookmark.delete": {
    async params(scene) {
      await scene.call("bookmark.put", { title: "mark", rootId: await scene.root(), nodeId: null });
      return { title: "mark" };
    },
  },
  "preset.list": "reads",
  "preset.put": { params: async () => ({ name: "three", n: 3 }) },
  "preset.delete": {
    async params(scene) {
      await scene.call("preset.put", { name: "three", n: 3 });
      return { name: "three" };
    },
  },
  "preset.activate": { params: async () => ({ name: null }) },
  "search.words": "reads",
  "run.cancel": { params: async (scene) => ({ runId: (await scene.said("ask")).runId }) },
  "run.retry": { params: async (scene) => ({ runId: (await scene.said("fail")).runId }) },
  "run.summarize": { params: async (scene) => ({ runId: (await scene.said()).runId }) },
  "run.continue": {
    async params(scene) {
      const { runId } = await scene.said();
      await scene.call("run.summarize", { runId });
      return { runId };
    },
  },
  "approval.answer": {
    async params(scene) {
      const canvasId = await scene.canvas();
      const { rootId } = await scene.call("conversation.create", { canvasId });
      await scene.call("conversation.rules", { rootId, approvals: "all" });
      const { runId } = await scene.said("call", rootId);
      const { state } = must(await scene.store.run(runId), "a run");
      if (state.type !== "awaiting-approval") throw new Error(`the run is ${state.type}`);
      const { callId, argumentsHash } = state.request;
      return { runId, callId, argumentsHash, decision: "allow", remember: "conversation" };
    },
  },
  "approval.rules": "reads",
  "approval.forget": { params: async () => ({ ruleId: "rule_none" }) },
  "question.answer": {
    async params(scene) {
      const { runId } = await scene.said("ask");
      return { runId, callId: "call-1" as ToolCallId, answers: [{ chosen: ["yes"] }] };
    },
  },
  "canvas.create": { params: async () => ({ title: "Made", text: "x" }) },
  "canvas.set-policy": { params: async (scene) => ({ canvasId: await scene.canvas(), policy: "suggest" }) },
  "canvas.default-policy": "reads",
  "canvas.set-default-policy": { params: async () => ({ policy: "suggest" }) },
  "canvas.take-control": { outside: true, params: async (scene) => ({ canvasId: await scene.canvas() }) },
  "canvas.hashes": "reads",
  "canvas.revisions": "reads",
  "canvas.compare": "reads",
  "canvas.restore": {
    async params(scene) {
      const canvasId = await scene.written();
      const then = accept(await scene.workspace.hub.reader.readAt(canvasId, 1));
      const hash = createHash("sha256").update(then.text).digest("hex");
      return { canvasId, revisionId: `1-${hash.slice(0, 8)}` };
    },
  },
  "canvas.suggestions": "reads",
  "canvas.keep-hunks": { params: async (scene) => ({ canvasId: await scene.suggested() }) },
  "canvas.reject-hunks": { params: async (scene) => ({ canvasId: await scene.suggested() }) },
  "block.undo-mine": { params: async (scene) => ({ blockId: await scene.written() }) },
  "block.redo-mine": {
    async params(scene) {
      const blockId = await scene.written();
      await scene.call("block.undo-mine", { blockId });
      return { blockId };
    },
  },
  "turn.undo": { params: async (scene) => ({ turnId: await scene.writtenByTurn() }) },
  "turn.redo": {
    async params(scene) {
      const turnId = await scene.writtenByTurn();
      await scene.call("turn.undo", { turnId });
      return { turnId };
    },
  },
  "block.turns": "reads",
  "block.turn-change": "reads",
  "block.origins": "reads",
  "file.list": "reads",
  "file.open": { outside: true, params: async () => ({ path: "a.md" }) },
  "file.resolve": {
    outside: true,
    async params(scene) {
      const { blockId } = await scene.call("file.open", { path: "a.md" });
      const { replicas, hub, files } = scene.workspace;
      const author = scene.workspace.author(person, await replicas.forClient(clientId, person));
      accept(await hub.editor.edit(author, blockId, { changes: [{ from: 0, to: 3, insert: "ours" }] }));
      writeFileSync(join(scene.folder, "a.md"), "theirs\n");
      await files?.flush();
      await scene.rest();
      return { blockId, keep: "both", hash: createHash("sha256").update("theirs\n").digest("hex") };
    },
  },
  "models.list": "reads",
  "provider.list": "reads",
  "provider.set-key": { outside: true, params: async () => ({ provider: "openai", key: "sk-0123456789" }) },
  "provider.remove-key": { outside: true, params: async () => ({ provider: "openai" }) },
  "mcp.list": "reads",
  "mcp.set-enabled": { outside: true, params: async () => ({ server: "a", enabled: false }) },
  "mcp.reload": { outside: true, params: async () => ({ server: "a" }) },
  "mcp.accept-tool": { outside: true, params: async () => ({ server: "a", tool: "b", hash: "0".repeat(64) }) },
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-once-"));
  writeFileSync(join(folder, "a.md"), "one\n");
  closing.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

const names = Object.keys(commands) as readonly CommandName[];
const changing = names.filter((name) => cases[name] !== "reads");

describe("C-38 a command that is repeated under its request id takes effect once and is answered the same", () => {
  test.each(changing)("%s", async (name) => {
    const given = cases[name];
    if (given === "reads") throw new Error("the command changes something");
    const scene = await Scene.open(newFolder());
    const params = await given.params(scene);
    const { perform } = { perform: (at: Scene) => at.perform(name, params, "the-same") };
    const commitsBefore = scene.commits.length;
    // The second comes while the first is carried out.
    const [answer, twin] = await Promise.all([perform(scene), perform(scene)]);
    expect(answer).toMatchObject({ ok: true });
    expect(twin).toEqual(answer);
    await scene.rest();

    const records = scene.commits.slice(commitsBefore).filter(hasRecord);
    expect(records).toHaveLength(1);
    // The record is in the transaction of the effect, so that a crash cannot part them.
    expect(records[0]?.length === 1).toBe(given.outside === true);

    const [commits, changes] = [scene.commits.length, scene.outside.count];
    expect(await perform(scene)).toEqual(answer);
    await scene.rest();
    expect([scene.commits.length, scene.outside.count]).toEqual([commits, changes]);

    const other = await scene.perform("preset.put", { name: "another request" }, "the-same");
    expect(other).toMatchObject({ ok: false, error: { code: "REQUEST_ID_REUSED" } });

    const later = await Scene.open(scene.folder, scene.store.image());
    const commitsThere = later.commits.length;
    expect(await perform(later)).toEqual(answer);
    await later.rest();
    expect([later.commits.slice(commitsThere), later.outside.count]).toEqual([[], 0]);
  });

  test("every command that is listed as one that only reads is one", () => {
    const wrong = names.filter((name) => {
      const params = { rootId: "r", canvasId: "c", blockId: "b", nodeId: "n", runId: "r", turnId: "t" };
      const [verb] = (commands[name].access as (given: unknown) => Access)(params);
      return (verb === "read") !== (cases[name] === "reads");
    });
    expect(wrong).toEqual([]);
  });
});

function hasRecord(writes: readonly StoreWrite[]): boolean {
  return writes.some(({ type }) => type === "put-request");
}
