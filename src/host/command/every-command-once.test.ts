import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { plainOpener } from "../../testing/plain-opener.ts";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryImage } from "../../adapters/storage/memory/tables.ts";
import { must } from "../../core/base/assert.ts";
import type {
  BlockId,
  DraftId,
  FolderId,
  NodeId,
  RequestId,
  RootId,
  RunId,
  ThreadId,
  ToolCallId,
  TrashId,
  TurnId,
} from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { textOf } from "../../core/message/content.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { LanguageModel } from "../../core/port/language-model.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import { commands, type CommandAnswer, type CommandName, type CommandParams } from "../../core/protocol/commands.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { model as modelActor } from "../document/world.test-support.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";
import type { ModelSettings } from "../models/types.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { personNamed } from "../base/people.ts";
import { createDispatch } from "./dispatch.ts";

const person = personNamed("Tester");
const clientId = "a-page-that-asks-again";
const newWebhook = {
  url: "https://hooks.invalid/heddle",
  events: ["conversation.ended" as const],
  secret: `whsec_${"A".repeat(32)}`,
};
const newToken = { name: "Loom", hash: "0".repeat(64), rights: ["read" as const] };

/** A model that follows the last message: asks, calls a tool, fails, or answers. */
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

/** A workspace with one page, which records commits and effects outside the store. */
class Setup {
  readonly workspace: Workspace;
  readonly store: MemoryStore;
  readonly folder: string;
  /** The writes of every commit so far. */
  readonly commits: (readonly StoreWrite[])[];
  /** The number of changes outside the store. */
  readonly outside: { count: number };
  #requests = 0;

  constructor(parts: Pick<Setup, "workspace" | "store" | "folder" | "commits" | "outside">) {
    this.workspace = parts.workspace;
    this.store = parts.store;
    this.folder = parts.folder;
    this.commits = parts.commits;
    this.outside = parts.outside;
  }

  static async open(folder: string, from?: MemoryImage): Promise<Setup> {
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
    const modelSettings = {
      setKey: changes,
      removeKey: changes,
      setWindow: changes,
      add: async () => (await changes(), ok("house")),
      change: changes,
      remove: changes,
      setDefault: changes,
      chosenDefault: () => null,
      onChanged: () => () => {},
    } satisfies Partial<ModelSettings>;
    const nothing = async (): Promise<void> => {};
    const mcp = {
      setEnabled: changes,
      add: changes,
      remove: changes,
      reload: changes,
      acceptTool: changes,
      signOut: changes,
      signIn: async () => (await changes(), ok({ url: null })),
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
      folders: plainOpener(platform.clock),
      // Only the parts that commands change exist.
      modelSettings: modelSettings as Partial<ModelSettings> as ModelSettings,
      mcp: mcp as Partial<McpServers> as McpServers,
    });
    const setup = new Setup({ workspace, store, folder, commits, outside });
    closing.push(() => workspace.close());
    await setup.rest();
    return setup;
  }

  async perform<Name extends CommandName>(name: Name, params: CommandParams<Name>, requestId: string) {
    const caller = { actor: person, clientId, replica: await this.workspace.replicas.forClient(clientId, person) };
    return createDispatch(this.workspace)({ caller, name, params, requestId: requestId as RequestId });
  }

  /** Performs a preparing command, with an id of its own. */
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

  async added(): Promise<FolderId> {
    return (await this.call("folder.add", { path: join(this.folder, "sub") })).folderId;
  }

  async root(): Promise<RootId> {
    return (await this.call("conversation.create", { title: "Talk" })).rootId;
  }

  async said(text = "hello", of?: RootId): Promise<{ rootId: RootId; nodeId: NodeId; runId: RunId }> {
    const rootId = of ?? (await this.root());
    const { nodeId, runId } = await this.call("message.send", { rootId, parentNodeId: null, text });
    return { rootId, nodeId: must(nodeId, "it was sent"), runId };
  }

  /** A message that waits for a run. */
  async waits(): Promise<{ runId: RunId; id: NodeId }> {
    const { rootId, nodeId: parentNodeId, runId } = await this.said("ask");
    const sent = await this.call("message.send", { rootId, parentNodeId, text: "And?", deliver: "queue" });
    return { runId, id: must(sent.waitingId, "it waits") };
  }

  /** A long question with its reply; `nodeId` is the head. */
  async talked(): Promise<{ readonly nodeId: NodeId }> {
    const { runId } = await this.said("word ".repeat(2_000));
    return { nodeId: must(must(await this.store.run(runId), "a run").headNodeId, "a head") };
  }

  /** The same, summed up; `nodeId` is the compaction node. */
  async summedUp(): Promise<{ readonly nodeId: NodeId }> {
    const { runId } = await this.call("branch.compact", await this.talked());
    return { nodeId: must(must(await this.store.run(runId), "a run").headNodeId, "a head") };
  }

  async canvas(): Promise<BlockId> {
    return (await this.call("canvas.create", { title: "Notes", text: "one\ntwo\n" })).canvasId;
  }

  /** A thread on a canvas. */
  async commented(): Promise<ThreadId> {
    const { thread } = await this.call("comment.add", { blockId: await this.written(), text: "Why?" });
    return thread.id;
  }

  /** A canvas that this page has edited. */
  async written(): Promise<BlockId> {
    const canvasId = await this.canvas();
    const { replicas, hub } = this.workspace;
    const author = this.workspace.author(person, await replicas.forClient(clientId, person));
    accept(await hub.editor.edit(author, canvasId, { changes: [{ from: 0, to: 0, insert: "mine " }] }));
    return canvasId;
  }

  /** A canvas that a model's turn has edited. */
  async writtenByTurn(): Promise<TurnId> {
    const canvasId = await this.canvas();
    const { replicas, hub } = this.workspace;
    const actor = modelActor("other");
    const author = { actor, replica: await replicas.forRun(actor), unit: { id: "a call", turnId: actor.turnId } };
    accept(await hub.editor.edit(author, canvasId, { changes: [{ from: 0, to: 0, insert: "agent " }] }));
    return actor.turnId;
  }

  async trashed(): Promise<TrashId> {
    return (await this.call("block.delete", { blockId: await this.canvas() })).entry.id;
  }

  async suggested(draftId: DraftId | null = null): Promise<BlockId> {
    const canvasId = await this.canvas();
    await this.call("canvas.set-policy", { canvasId, policy: "suggest" });
    const { replicas, hub } = this.workspace;
    const actor = { ...modelActor("other"), toolCallId: "call" as ToolCallId };
    const author = { actor, replica: await replicas.forRun(actor), unit: { id: "a call" } };
    const plan = ({ text }: { readonly text: string }) => ok(text.replace("two", "TWO"));
    accept(await hub.suggestions.suggest(author, { canvasId, reason: "policy", draftId, guards: [], plan }));
    return canvasId;
  }
}

const someDraft = "draft_1" as DraftId;

type Case<Name extends CommandName> =
  /** Changes nothing, so it may be repeated. */
  | "reads"
  /** Prepares the object of the command. `outside`: its effect is not in the store. */
  | { readonly outside?: true; readonly params: (setup: Setup) => Promise<CommandParams<Name>> };

const cases: { readonly [Name in CommandName]: Case<Name> } = {
  "conversation.create": { params: async () => ({ title: "Made" }) },
  "conversation.for-settings": { params: async () => ({ systemPrompt: "Be brief." }) },
  "conversation.find": "reads",
  "conversation.delete": { params: async (setup) => ({ rootId: (await setup.said()).rootId }) },
  "conversation.rename": { params: async (setup) => ({ rootId: await setup.root(), title: "Renamed" }) },
  "conversation.arrange": { params: async (setup) => ({ rootId: await setup.root(), pinned: true }) },
  "conversation.archive": { params: async (setup) => ({ rootId: await setup.root(), archived: true }) },
  "conversation.set-model": { params: async (setup) => ({ rootId: await setup.root(), model: obedient.info.id }) },
  "conversation.set-tool-syntax": { params: async (setup) => ({ rootId: await setup.root(), toolSyntax: "caret" }) },
  "conversation.rules": { params: async (setup) => ({ rootId: await setup.root(), approvals: "all" }) },
  "conversation.trace": "reads",
  "conversation.usage": "reads",
  "conversation.segment": "reads",
  "conversation.set-canvas": { params: async (setup) => ({ rootId: await setup.root(), canvasId: null }) },
  "message.send": { params: async (setup) => ({ rootId: await setup.root(), parentNodeId: null, text: "hello" }) },
  "message.add": { params: async (setup) => ({ rootId: await setup.root(), parentNodeId: null, text: "hello" }) },
  "message.graft": {
    async params(setup) {
      const { rootId, nodeId } = await setup.said();
      await setup.rest();
      const last = must((await setup.workspace.store.nodes(rootId)).at(-1), "a reply").id;
      return { nodeId: last, fromNodeId: must(nodeId, "a question"), parentNodeId: last };
    },
  },
  "message.edit": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, text: "other" }) },
  "message.regenerate": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId }) },
  "message.continue": {
    async params(setup) {
      const { rootId } = await setup.said();
      await setup.rest();
      const nodes = await setup.workspace.store.nodes(rootId);
      return { nodeId: must(nodes.find(({ message }) => message.role === "assistant")?.id, "the model has answered") };
    },
  },
  "message.split": { params: async (setup) => ({ nodeId: (await setup.said("one two")).nodeId, at: 4 }) },
  "message.rewrite": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, text: "other" }) },
  "message.delete": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId }) },
  "message.exclude": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, excluded: true }) },
  "message.collapse": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, collapsed: true }) },
  "message.label": { params: async (setup) => ({ nodeId: (await setup.said()).nodeId, tags: ["a"] }) },
  "bookmark.list": "reads",
  "bookmark.put": { params: async (setup) => ({ title: "mark", rootId: await setup.root(), nodeId: null }) },
  "bookmark.rename": {
    async params(setup) {
      await setup.call("bookmark.put", { title: "mark", rootId: await setup.root(), nodeId: null });
      return { title: "mark", newTitle: "other" };
    },
  },
  "bookmark.delete": {
    async params(setup) {
      await setup.call("bookmark.put", { title: "mark", rootId: await setup.root(), nodeId: null });
      return { title: "mark" };
    },
  },
  "conversation.settings": { params: async (setup) => ({ rootId: await setup.root(), thinking: "low" }) },
  "token.list": "reads",
  "token.create": { params: async () => newToken },
  "token.revoke": {
    async params(setup) {
      const { tokenId } = await setup.call("token.create", newToken);
      return { tokenId };
    },
  },
  "webhook.list": "reads",
  "webhook.create": { params: async () => newWebhook },
  "webhook.delete": {
    async params(setup) {
      const { webhookId } = await setup.call("webhook.create", newWebhook);
      return { webhookId };
    },
  },
  "webhook.log": "reads",
  "webhook.send": {
    outside: true,
    async params(setup) {
      const { webhookId } = await setup.call("webhook.create", newWebhook);
      return { webhookId };
    },
  },
  "prompt.list": "reads",
  "prompt.put": { params: async () => ({ name: "terse", text: "Be brief." }) },
  "prompt.delete": {
    async params(setup) {
      await setup.call("prompt.put", { name: "terse", text: "Be brief." });
      return { name: "terse" };
    },
  },
  "models.set-window": { outside: true, params: async () => ({ model: "test/scripted", contextTokens: 8_192 }) },
  "preset.list": "reads",
  "preset.put": { params: async () => ({ name: "three", n: 3 }) },
  "preset.delete": {
    async params(setup) {
      await setup.call("preset.put", { name: "three", n: 3 });
      return { name: "three" };
    },
  },
  "preset.activate": { params: async () => ({ name: null }) },
  "search.words": "reads",
  "run.cancel": { params: async (setup) => ({ runId: (await setup.said("ask")).runId }) },
  "run.retry": { params: async (setup) => ({ runId: (await setup.said("fail")).runId }) },
  "branch.compact": { params: async (setup) => ({ nodeId: (await setup.talked()).nodeId }) },
  "branch.originals": { params: async (setup) => ({ nodeId: (await setup.summedUp()).nodeId }) },
  "branch.summary": {
    async params(setup) {
      const { nodeId } = await setup.summedUp();
      await setup.call("branch.originals", { nodeId });
      return { nodeId };
    },
  },
  "branch.context": "reads",
  "run.summarize": { params: async (setup) => ({ runId: (await setup.said()).runId }) },
  "run.continue": {
    async params(setup) {
      const { runId } = await setup.said();
      await setup.call("run.summarize", { runId });
      return { runId };
    },
  },
  "waiting.change": {
    params: async (setup) => ({ ...(await setup.waits()), version: 1, text: "Louder.", state: "held", before: null }),
  },
  "waiting.withdraw": { params: async (setup) => ({ ...(await setup.waits()), version: 1 }) },
  "approval.answer": {
    async params(setup) {
      const canvasId = await setup.canvas();
      const { rootId } = await setup.call("conversation.create", { canvasId });
      await setup.call("conversation.rules", { rootId, approvals: "all" });
      const { runId } = await setup.said("call", rootId);
      const { state } = must(await setup.store.run(runId), "a run");
      if (state.type !== "awaiting-approval") throw new Error(`the run is ${state.type}`);
      const { callId, argumentsHash } = state.request;
      return { runId, callId, argumentsHash, decision: "allow", remember: "conversation" };
    },
  },
  "approval.rules": "reads",
  "approval.forget": { params: async () => ({ ruleId: "rule_none" }) },
  "question.answer": {
    async params(setup) {
      const { runId } = await setup.said("ask");
      return { runId, callId: "call-1" as ToolCallId, answers: [{ chosen: ["yes"] }] };
    },
  },
  "canvas.create": { params: async () => ({ title: "Made", text: "x" }) },
  "canvas.duplicate": { params: async (setup) => ({ canvasId: await setup.canvas() }) },
  "canvas.arrange": { params: async (setup) => ({ canvasId: await setup.canvas(), folderPath: "Plans" }) },
  "canvas.move-folder": {
    async params(setup) {
      await setup.call("canvas.arrange", { canvasId: await setup.canvas(), folderPath: "Plans" });
      return { from: "Plans", to: "Work" };
    },
  },
  "canvas.set-policy": { params: async (setup) => ({ canvasId: await setup.canvas(), policy: "suggest" }) },
  "canvas.default-policy": "reads",
  "canvas.set-default-policy": { params: async () => ({ policy: "suggest" }) },
  "canvas.take-control": { outside: true, params: async (setup) => ({ canvasId: await setup.canvas() }) },
  "canvas.hashes": "reads",
  "canvas.revisions": "reads",
  "canvas.compare": "reads",
  "canvas.restore": {
    async params(setup) {
      const canvasId = await setup.written();
      const then = accept(await setup.workspace.hub.reader.readAt(canvasId, 1));
      const hash = createHash("sha256").update(then.text).digest("hex");
      return { canvasId, revisionId: `1-${hash.slice(0, 8)}` };
    },
  },
  "canvas.name-version": {
    params: async (setup) => ({ canvasId: await setup.written(), revisionId: null, name: "First" }),
  },
  "canvas.suggestions": "reads",
  "canvas.text": "reads",
  "canvas.bring": {
    async params(setup) {
      const canvasId = await setup.written();
      const then = accept(await setup.workspace.hub.reader.readAt(canvasId, 1));
      const hash = createHash("sha256").update(then.text).digest("hex");
      return { canvasId, revisionId: `1-${hash.slice(0, 8)}` };
    },
  },
  "draft.list": "reads",
  "draft.read": "reads",
  "draft.take": { params: async (setup) => ({ canvasId: await setup.suggested(someDraft), draftId: someDraft }) },
  "draft.drop": { params: async (setup) => ({ canvasId: await setup.suggested(someDraft), draftId: someDraft }) },
  "canvas.keep-hunks": { params: async (setup) => ({ canvasId: await setup.suggested() }) },
  "canvas.reject-hunks": { params: async (setup) => ({ canvasId: await setup.suggested() }) },
  "block.undo-mine": { params: async (setup) => ({ blockId: await setup.written() }) },
  "block.redo-mine": {
    async params(setup) {
      const blockId = await setup.written();
      await setup.call("block.undo-mine", { blockId });
      return { blockId };
    },
  },
  "turn.undo": { params: async (setup) => ({ turnId: await setup.writtenByTurn() }) },
  "turn.redo": {
    async params(setup) {
      const turnId = await setup.writtenByTurn();
      await setup.call("turn.undo", { turnId });
      return { turnId };
    },
  },
  "block.delete": { params: async (setup) => ({ blockId: await setup.canvas() }) },
  "trash.list": "reads",
  "trash.restore": { params: async (setup) => ({ trashId: await setup.trashed() }) },
  "trash.purge": { params: async (setup) => ({ trashId: await setup.trashed() }) },
  "trash.settings": "reads",
  "trash.set-settings": {
    async params(setup) {
      await setup.trashed();
      return { keptDays: 90 };
    },
  },
  "comment.list": "reads",
  "comment.export": "reads",
  "comment.add": { params: async (setup) => ({ blockId: await setup.written(), text: "Why?" }) },
  "comment.reply": { params: async (setup) => ({ threadId: await setup.commented(), text: "So." }) },
  "comment.edit": { params: async (setup) => ({ threadId: await setup.commented(), seq: 1, text: "How?" }) },
  "comment.withdraw": { params: async (setup) => ({ threadId: await setup.commented(), seq: 1 }) },
  "comment.resolve": { params: async (setup) => ({ threadId: await setup.commented(), text: "Done." }) },
  "comment.reopen": {
    async params(setup) {
      const threadId = await setup.commented();
      await setup.call("comment.resolve", { threadId });
      return { threadId };
    },
  },
  "comment.move": { params: async (setup) => ({ threadId: await setup.commented() }) },
  "comment.delete": { params: async (setup) => ({ threadId: await setup.commented() }) },
  "block.turns": "reads",
  "block.turn-change": "reads",
  "block.origins": "reads",
  "folder.list": "reads",
  "folder.instructions": "reads",
  "folder.add": { params: async (setup) => ({ path: join(setup.folder, "sub") }) },
  "folder.rename": { params: async (setup) => ({ folderId: await setup.added(), name: "Other" }) },
  "folder.set-rights": { params: async (setup) => ({ folderId: await setup.added(), rights: "read" }) },
  "folder.set-branch": { params: async (setup) => ({ folderId: await setup.added(), branch: "heddle/main" }) },
  "folder.trust": { params: async (setup) => ({ folderId: await setup.added(), trusted: true }) },
  "folder.remove": { params: async (setup) => ({ folderId: await setup.added() }) },
  "file.list": "reads",
  "file.open": { outside: true, params: async () => ({ path: "a.md" }) },
  "file.attach": { outside: true, params: async () => ({ path: "a.md" }) },
  "file.put": {
    outside: true,
    async params(setup) {
      const put = await setup.workspace.blobs.put(new TextEncoder().encode("a picture"));
      if (!put.ok) throw new Error(put.error.code);
      return { path: "images/new.png", blobId: put.value.id };
    },
  },
  "file.delete": { params: async () => ({ path: "a.md" }) },
  "file.move": { params: async () => ({ path: "a.md", to: "b.md" }) },
  "file.resolve": {
    outside: true,
    async params(setup) {
      const { blockId } = await setup.call("file.open", { path: "a.md" });
      const { replicas, hub, folders } = setup.workspace;
      const author = setup.workspace.author(person, await replicas.forClient(clientId, person));
      accept(await hub.editor.edit(author, blockId, { changes: [{ from: 0, to: 3, insert: "ours" }] }));
      writeFileSync(join(setup.folder, "a.md"), "theirs\n");
      await folders.flush();
      await setup.rest();
      return { blockId, keep: "both", hash: createHash("sha256").update("theirs\n").digest("hex") };
    },
  },
  "models.syntaxes": "reads",
  "models.ask": "reads",
  "models.list": "reads",
  "provider.list": "reads",
  "provider.set-key": { outside: true, params: async () => ({ provider: "openai", key: "sk-0123456789" }) },
  "search.all": "reads",
  "file.conflict": "reads",
  "file.bring-back": {
    outside: true,
    async params(setup) {
      const { blockId } = await setup.call("file.open", { path: "a.md" });
      rmSync(join(setup.folder, "a.md"));
      await setup.workspace.folders.flush();
      await setup.rest();
      return { blockId };
    },
  },
  "provider.test": "reads",
  "provider.add": { outside: true, params: async () => ({ name: "House", address: "http://127.0.0.1:9/v1" }) },
  "provider.change": { outside: true, params: async () => ({ provider: "openai", address: null }) },
  "provider.remove": { outside: true, params: async () => ({ provider: "house" }) },
  "models.set-default": { outside: true, params: async () => ({ model: null }) },
  "mcp.add": {
    outside: true,
    params: async () => ({ server: "files", reach: { type: "stdio" as const, command: "npx" } }),
  },
  "mcp.remove": { outside: true, params: async () => ({ server: "files" }) },
  "mcp.test": "reads",
  "provider.remove-key": { outside: true, params: async () => ({ provider: "openai" }) },
  "mcp.list": "reads",
  "mcp.set-enabled": { outside: true, params: async () => ({ server: "a", enabled: false }) },
  "mcp.reload": { outside: true, params: async () => ({ server: "a" }) },
  "mcp.sign-in": { outside: true, params: async () => ({ server: "web" }) },
  "mcp.sign-out": { outside: true, params: async () => ({ server: "web" }) },
  "mcp.offers": "reads",
  "mcp.attach": "reads",
  "mcp.prompt": "reads",
  "mcp.view": "reads",
  "mcp.accept-tool": { outside: true, params: async () => ({ server: "a", tool: "b", hash: "0".repeat(64) }) },
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-once-"));
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "a.md"), "one\n");
  closing.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

const names = Object.keys(commands) as readonly CommandName[];
const changing = names.filter((name) => cases[name] !== "reads");

describe("C-38 a command repeated with its request id takes effect once and gets the same answer", () => {
  test.each(changing)("%s", async (name) => {
    const given = cases[name];
    if (given === "reads") throw new Error("the command changes something");
    const setup = await Setup.open(newFolder());
    const params = await given.params(setup);
    const { perform } = { perform: (at: Setup) => at.perform(name, params, "the-same") };
    const commitsBefore = setup.commits.length;
    // The second request arrives while the first runs.
    const [answer, twin] = await Promise.all([perform(setup), perform(setup)]);
    expect(answer).toMatchObject({ ok: true });
    expect(twin).toEqual(answer);
    await setup.rest();

    const records = setup.commits.slice(commitsBefore).filter(hasRecord);
    expect(records).toHaveLength(1);
    // The record is in the transaction of the effect, so that a crash cannot separate them.
    expect(records[0]?.length === 1).toBe(given.outside === true);

    const [commits, changes] = [setup.commits.length, setup.outside.count];
    expect(await perform(setup)).toEqual(answer);
    await setup.rest();
    expect([setup.commits.length, setup.outside.count]).toEqual([commits, changes]);

    const other = await setup.perform("preset.put", { name: "another request" }, "the-same");
    expect(other).toMatchObject({ ok: false, error: { code: "REQUEST_ID_REUSED" } });

    const later = await Setup.open(setup.folder, setup.store.image());
    const commitsThere = later.commits.length;
    expect(await perform(later)).toEqual(answer);
    await later.rest();
    expect([later.commits.slice(commitsThere), later.outside.count]).toEqual([[], 0]);
  });

  test("every command listed as a read only reads", () => {
    const wrong = names.filter((name) => {
      const params = { rootId: "r", canvasId: "c", blockId: "b", nodeId: "n", runId: "r", turnId: "t" };
      const [verb] = (commands[name].access as (given: unknown) => Access)(params);
      return !verbRow(verb).changes !== (cases[name] === "reads");
    });
    expect(wrong).toEqual([]);
  });
});

function hasRecord(writes: readonly StoreWrite[]): boolean {
  return writes.some(({ type }) => type === "put-request");
}
