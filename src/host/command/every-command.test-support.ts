import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  PersonId,
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
import type { OpSpan } from "../../core/text/types.ts";
import type { CommandAnswer, CommandName, CommandParams } from "../../core/protocol/commands.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { model as modelActor } from "../document/world.test-support.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import type { Asking, Member } from "../access/member.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import type { ProviderState } from "../../core/protocol/base/provider-state.ts";
import type { ModelSettings } from "../models/types.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { personNamed } from "../base/people.ts";
import { createDispatch } from "./dispatch.ts";

const openProvider: ProviderState = {
  id: "openai",
  name: "OpenAI",
  open: true,
  address: "http://127.0.0.1:9/v1",
  addressFrom: "heddle",
  added: false,
  chosen: false,
  key: { state: "none" },
  models: [],
};

export const person = personNamed("Tester");
export const clientId = "a-page-that-asks-again";
/** What a test opened, which it closes at its end with `closeAll`. */
const closing: (() => unknown)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}

export const newWebhook = {
  url: "https://hooks.invalid/heddle",
  events: ["conversation.ended" as const],
  secret: `whsec_${"A".repeat(32)}`,
};
/** What a browser gives for its pushes; the keys are those of the example in RFC 8291. */
export const newBrowser = {
  endpoint: "https://push.invalid/send/1",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  page: "https://heddle.invalid",
};
/** The draft of `suggested`. */
export const someDraft = "draft_1" as DraftId;
export const newToken = { name: "Loom", hash: "0".repeat(64), rights: ["read" as const] };

/** A model that follows the last message: asks, calls a tool, fails, or answers. */
export const obedient: LanguageModel = {
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
export class Setup {
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
      providers: () => [openProvider],
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
      team: true,
      files: await openFolderTree(folder, platform.clock),
      folders: plainOpener(platform.clock),
      // Only the parts that commands change exist.
      modelSettings: modelSettings as Partial<ModelSettings> as ModelSettings,
      mcp: mcp as Partial<McpServers> as McpServers,
    });
    const setup = new Setup({ workspace, store, folder, commits, outside });
    closing.push(() => workspace.close());
    const begun = await setup.keeper.begin(person.id as string as PersonId, person.name);
    if (!begun.ok && begun.error.code !== "FORBIDDEN") throw new Error(begun.error.message);
    await setup.rest();
    return setup;
  }

  async perform<Name extends CommandName>(
    name: Name,
    params: CommandParams<Name>,
    requestId: string,
    asking: Asking = {},
  ) {
    const replica = await this.workspace.replicas.forClient(clientId, person);
    // People, sharing and what somebody uploaded are a team's alone: without an account nobody asks for them.
    const isOfTeam = /^(?:share\.|person\.|group\.|budget\.|audit\.|own-key\.|lock\.|file\.put$)/u.test(name);
    const caller = { actor: person, clientId, replica, ...(isOfTeam ? { member: this.owner() } : {}), ...asking };
    return createDispatch(this.workspace)({ caller, name, params, requestId: requestId as RequestId });
  }

  get keeper(): RightsKeeper {
    return must(this.workspace.team, "the workspace has a team");
  }

  /** The person of the tests as the owner of the workspace, with an account. */
  owner(): Member {
    return { id: person.id as string as PersonId, keeper: this.keeper, authenticatedAt: Date.now() };
  }

  /** Another person with an account. */
  async colleague(): Promise<PersonId> {
    const id = "colleague" as PersonId;
    const asker = { type: "person", id: this.owner().id, authenticatedAt: Date.now(), token: null } as const;
    const by = { asker, credential: null, address: null, verb: "workspace.people", chain: [workspaceKey] } as const;
    accept(await this.keeper.change({ ...by, changes: [{ type: "person-added", id, name: "Colleague" }] }));
    return id;
  }

  /** Performs a preparing command, with an id of its own. */
  async call<Name extends CommandName>(name: Name, params: CommandParams<Name>): Promise<CommandAnswer<Name>> {
    this.#requests += 1;
    const answer = accept(await this.perform(name, params, `before-${this.#requests}`)) as CommandAnswer<Name>;
    await this.rest();
    return answer;
  }

  /** From now on each commit that records a request is made, and its answer is lost. */
  loseAnswers(): void {
    const commit = this.store.commit.bind(this.store);
    this.store.commit = async (writes) => {
      const stored = await commit(writes);
      if (writes.some(({ type }) => type === "put-request")) throw new Error("the connection broke after COMMIT");
      return stored;
    };
  }

  /** Waits until no run works and nothing has been stored for a while. */
  async rest(quietMs = 15): Promise<void> {
    for (let seen = -1; seen !== this.commits.length;) {
      seen = this.commits.length;
      await new Promise((resolve) => void setTimeout(resolve, quietMs));
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

  /** A canvas in which a word with a comment was cut and pasted. */
  async pasted(): Promise<{ blockId: BlockId; cut: readonly OpSpan[]; pasted: readonly OpSpan[] }> {
    const blockId = await this.written();
    const { replicas, hub } = this.workspace;
    const unitsOfWord = async (): Promise<readonly OpSpan[]> => {
      const { thread } = await this.call("comment.add", { blockId, range: { quote: "mine" }, text: "Whose?" });
      return thread.anchor?.own[0]?.spans ?? [];
    };
    const cut = await unitsOfWord();
    for (const change of [
      { from: 0, to: 4, insert: "" },
      { from: 0, to: 0, insert: "mine" },
    ]) {
      const author = this.workspace.author(person, await replicas.forClient(clientId, person));
      accept(await hub.editor.edit(author, blockId, { changes: [change] }));
    }
    return { blockId, cut, pasted: await unitsOfWord() };
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

/** Makes a folder with a file and an empty folder. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-once-"));
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "a.md"), "one\n");
  closing.push(() => rmSync(folder, { recursive: true }));
  return folder;
}
