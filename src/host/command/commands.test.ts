import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { must } from "../../core/base/assert.ts";
import type { DocumentId, DraftId, GroupId, LinkId, NodeId, PersonId, RunId, TrashId } from "../../core/base/ids.ts";
import type { RunRecord } from "../../core/port/store.ts";
import { newBrowser } from "./every-command.test-support.ts";
import { commands, type CommandAnswer, type CommandName, type CommandParams } from "../../core/protocol/commands.ts";
import type { ReplicaId } from "../../core/text/types.ts";
import { accepted, ada, checkOut, inOrder, patches, Studio } from "../canvas/canvas.test-support.ts";
import type { Folders } from "../files/folder-types.ts";
import { openFolders } from "../files/folders.ts";
import { plainOpener } from "../../testing/plain-opener.ts";
import { McpWorld, tool } from "../mcp-servers/mcp.test-support.ts";
import { openKeyStore } from "../models/key-store.ts";
import { memorySealedValues } from "../base/sealed-values.ts";
import { AddedServers } from "../mcp-servers/added-servers.ts";
import { openStoredChoices } from "../models/stored-choices.ts";
import { openStoredWindows } from "../models/stored-windows.ts";
import { PersonKeys } from "../models/person-keys.ts";
import { openModelSettings } from "../models/model-settings.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Asking } from "../access/member.ts";
import { RightsKeeper } from "../access/rights-keeper.ts";
import { createDispatch, type Dispatch } from "./dispatch.ts";

/** A workspace with an object of every kind that commands use. */
class Setup {
  readonly folder: string;
  readonly studio: Studio;
  readonly mcp: McpWorld;
  readonly folders: Folders;
  readonly #dispatch: Dispatch;
  readonly #workspace: Workspace;
  readonly #closing: readonly (() => unknown)[];
  /** Begins a thread on the first line of the canvas. */
  async commented(): Promise<CommandAnswer<"comment.add">["thread"]> {
    const blockId = this.studio.canvasId;
    return (await this.ask("comment.add", { blockId, range: { lines: "1" }, text: "Which?" })).thread;
  }

  private constructor(
    parts: Pick<Setup, "folder" | "studio" | "mcp" | "folders">,
    workspace: Workspace,
    close: () => unknown,
  ) {
    this.folder = parts.folder;
    this.studio = parts.studio;
    this.mcp = parts.mcp;
    this.folders = parts.folders;
    this.#dispatch = createDispatch(workspace);
    this.#workspace = workspace;
    this.#closing = [close, () => parts.folders.close(), () => parts.studio.close(), () => parts.mcp.end()];
  }

  static async open(): Promise<Setup> {
    const folder = await mkdtemp(join(tmpdir(), "heddle-commands-"));
    await writeFile(join(folder, "a.md"), "one\n");
    await mkdir(join(folder, "sub"));
    const studio = await Studio.open();
    const { workspace } = studio;
    const { hub, store, replicas, platform, blobs } = workspace;
    const tree = await openFolderTree(folder, platform.clock);
    const newDocumentId = (): DocumentId => `doc_${crypto.randomUUID()}` as DocumentId;
    const opener = plainOpener(platform.clock);
    const atHand = { tree, shell: null };
    const folders = await openFolders({ hub, store, replicas, blobs, platform, newDocumentId, opener, atHand });
    const mcp = await McpWorld.make();
    const added = new AddedServers({ file: join(folder, "mcp-added.json"), sealed: memorySealedValues() });
    await mcp.write({ a: { command: "a" }, web: { url: "https://web.example/mcp", enabled: false } });
    const keys = accepted(
      await openKeyStore({ file: join(folder, "keys"), masterKeyFile: join(folder, "config", "key"), note: () => {} }),
    );
    const deps = { fetch: () => Promise.reject(new Error("no network")), clock: platform.clock, sleep: async () => {} };
    const windows = await openStoredWindows(store);
    const choices = await openStoredChoices(store);
    const settings = accepted(
      await openModelSettings({ config: {}, deps, logger: platform.logger, keys, windows, choices }),
    );
    const team = await RightsKeeper.open(store, platform.clock);
    accepted(await team.begin(ada.id as string as PersonId, ada.name));
    const openAll = { providers: () => settings.providers().map((each) => ({ ...each, open: true })) };
    const personKeys = await PersonKeys.open({
      store,
      sealed: memorySealedValues(),
      keeper: team,
      settings: { ...openAll, modelWith: () => undefined },
      logger: platform.logger,
    });
    const whole: Workspace = {
      ...workspace,
      team,
      personKeys,
      folders,
      mcp: await mcp.open({ added }),
      modelSettings: settings,
    };
    return new Setup({ folder, studio, mcp, folders }, whole, () => settings.close());
  }

  /** Performs a command and returns its answer, which its schema must describe to the last field. */
  async ask<Name extends CommandName>(name: Name, params: CommandParams<Name>): Promise<CommandAnswer<Name>> {
    const { replica } = await this.studio.author(ada);
    const answer: unknown = accepted(
      await this.#dispatch({ caller: { actor: ada, clientId: "page", replica, ...this.#asking(name) }, name, params }),
    );
    const sent: unknown = JSON.parse(JSON.stringify(answer));
    const schema: v.GenericSchema = commands[name].answer;
    // A schema drops fields it does not name, so equality means that the answer has no others.
    expect(v.parse(schema, sent)).toEqual(sent);
    return answer as CommandAnswer<Name>;
  }

  /** People and sharing are a team's alone: its owner asks for them. */
  #asking(name: CommandName): Asking {
    const { team: keeper } = this.#workspace;
    if (keeper === null || !/^(?:share|person|group|budget|own-key|lock|audit)\./u.test(name)) return {};
    return { member: { id: ada.id as string as PersonId, keeper, authenticatedAt: Date.now() } };
  }

  get shared() {
    return { type: "document", id: this.studio.canvasId } as const;
  }

  /** Sends a question and waits for its reply. */
  async talk(): Promise<{ readonly runId: RunId; readonly question: NodeId; readonly reply: NodeId }> {
    const runId = await this.studio.ask("How are you?", null);
    const nodes = await this.studio.nodes();
    return { runId, question: must(nodes.at(-2), "a question").id, reply: must(nodes.at(-1), "a reply").id };
  }

  /** A message that waits for a run. */
  async waits(): Promise<{ readonly runId: RunId; readonly id: NodeId }> {
    this.studio.mind = () => ({ hang: "Let me see" });
    const runId = await this.studio.send("Hello");
    const { rootId } = this.studio;
    const parentNodeId = (await this.run(runId)).headNodeId;
    const sent = await this.ask("message.send", { rootId, parentNodeId, text: "And?", deliver: "queue" });
    return { runId, id: must(sent.waitingId, "it waits") };
  }

  /** Sums a long question and its reply up; returns the compaction node. */
  async summedUp(): Promise<NodeId> {
    await this.studio.ask("word ".repeat(2_000), null);
    const { runId } = await this.ask("branch.compact", {
      nodeId: must((await this.studio.nodes()).at(-1), "a reply").id,
    });
    await this.studio.rest();
    return must((await this.run(runId)).headNodeId, "a head");
  }

  async run(runId: RunId): Promise<RunRecord> {
    return must(await this.studio.store.run(runId), "a run");
  }

  /** Runs a turn of the agent in the canvas. */
  async edited(): Promise<RunRecord & { readonly lastTurn: NonNullable<RunRecord["turnId"]> }> {
    this.studio.mind = inOrder(checkOut, patches(1, "one", "1"));
    const run = await this.run(await this.studio.ask("edit"));
    const author = (await this.studio.nodes()).find(({ turnId }) => turnId !== null);
    return { ...run, lastTurn: must(author?.turnId, "a turn") };
  }

  /** Moves the canvas to the trash. */
  async trashed(): Promise<TrashId> {
    return (await this.ask("block.delete", { blockId: this.studio.canvasId })).entry.id;
  }

  async suggested(): Promise<void> {
    await this.ask("canvas.set-policy", { canvasId: this.studio.canvasId, policy: "suggest" });
    await this.edited();
  }

  /** A draft of one edit. */
  async drafted(): Promise<DraftId> {
    const { studio } = this;
    studio.mind = inOrder(checkOut, patches(2, "two", "TWO"));
    await this.ask("message.send", { rootId: studio.rootId, parentNodeId: null, text: "Edit.", inDraft: true });
    await studio.rest();
    const { drafts } = await this.ask("draft.list", { canvasId: studio.canvasId });
    return must(drafts[0], "a draft").draftId;
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

let setup: Setup;

beforeEach(async () => {
  setup = await Setup.open();
});
afterEach(() => setup.close());

type Drive<Name extends CommandName> = () => Promise<CommandAnswer<Name>>;

/** Performs each command, in a workspace of its own. */
const drives: { readonly [Name in CommandName]: Drive<Name> } = {
  "conversation.create": () => setup.ask("conversation.create", { title: "Talk", canvasId: setup.studio.canvasId }),
  "conversation.for-settings": () => setup.ask("conversation.for-settings", { systemPrompt: "Be brief." }),
  "conversation.find": () => setup.ask("conversation.find", { name: setup.studio.rootId }),
  async "conversation.delete"() {
    const { rootId } = await setup.ask("conversation.create", {});
    return setup.ask("conversation.delete", { rootId });
  },
  "conversation.rename": () => setup.ask("conversation.rename", { rootId: setup.studio.rootId, title: "Other" }),
  "conversation.arrange": () =>
    setup.ask("conversation.arrange", { rootId: setup.studio.rootId, pinned: true, tags: ["tea"] }),
  "conversation.archive": () => setup.ask("conversation.archive", { rootId: setup.studio.rootId, archived: true }),
  "conversation.set-model": () =>
    setup.ask("conversation.set-model", { rootId: setup.studio.rootId, model: "other/voice" }),
  "conversation.set-tool-syntax": () =>
    setup.ask("conversation.set-tool-syntax", { rootId: setup.studio.rootId, toolSyntax: null }),
  "conversation.rules": () =>
    setup.ask("conversation.rules", { rootId: setup.studio.rootId, approvals: "all", budget: { tokens: 1_000 } }),
  async "conversation.trace"() {
    await setup.talk();
    return setup.ask("conversation.trace", { rootId: setup.studio.rootId });
  },
  async "conversation.usage"() {
    await setup.talk();
    await setup.ask("conversation.rules", { rootId: setup.studio.rootId, budget: { tokens: 1_000, dollars: 2 } });
    return setup.ask("conversation.usage", { rootId: setup.studio.rootId });
  },
  async "conversation.segment"() {
    await setup.talk();
    const { rootId } = setup.studio;
    return setup.ask("conversation.segment", { rootId, nodeId: null, end: "leaf", messages: 1, bytes: 1_000 });
  },
  "conversation.set-canvas": () =>
    setup.ask("conversation.set-canvas", { rootId: setup.studio.rootId, canvasId: null }),
  async "message.send"() {
    const params = { rootId: setup.studio.rootId, parentNodeId: null, text: "Hello", n: 2 };
    const sent = await setup.ask("message.send", params);
    await setup.studio.rest();
    return sent;
  },
  "message.add": () => setup.ask("message.add", { rootId: setup.studio.rootId, parentNodeId: null, text: "Hello" }),
  async "message.graft"() {
    const { question, reply } = await setup.talk();
    // A stretch goes up its branch: what lies below its end is none of it.
    const upward = { nodeId: question, fromNodeId: reply, parentNodeId: reply } as const;
    await expect(setup.ask("message.graft", upward)).rejects.toThrow("NODE_NOT_FOUND");
    const grafted = await setup.ask("message.graft", { nodeId: reply, fromNodeId: question, parentNodeId: reply });
    expect((await setup.studio.told()).slice(-4)).toEqual([
      "user: How are you?",
      "assistant: Well.",
      "user: How are you?",
      "assistant: Well.",
    ]);
    return grafted;
  },
  async "message.edit"() {
    const { question } = await setup.talk();
    const edited = await setup.ask("message.edit", {
      nodeId: question,
      text: "And now?",
    });
    await setup.studio.rest();
    return edited;
  },
  async "message.continue"() {
    const { reply } = await setup.talk();
    const asked = await setup.ask("message.continue", { nodeId: reply });
    await setup.studio.rest();
    return asked;
  },
  async "message.regenerate"() {
    const { reply } = await setup.talk();
    const asked = await setup.ask("message.regenerate", { nodeId: reply });
    await setup.studio.rest();
    return asked;
  },
  async "message.split"() {
    const { question } = await setup.talk();
    return setup.ask("message.split", { nodeId: question, at: 3 });
  },
  async "message.rewrite"() {
    const { question } = await setup.talk();
    return setup.ask("message.rewrite", { nodeId: question, text: "How is it?" });
  },
  async "message.delete"() {
    const { question } = await setup.talk();
    const deleted = await setup.ask("message.delete", { nodeId: question });
    expect(deleted.nodeIds).toHaveLength(2);
    return deleted;
  },
  async "message.exclude"() {
    const { question } = await setup.talk();
    return setup.ask("message.exclude", { nodeId: question, excluded: true });
  },
  async "message.collapse"() {
    const { question } = await setup.talk();
    return setup.ask("message.collapse", { nodeId: question, collapsed: true });
  },
  async "message.label"() {
    const { question } = await setup.talk();
    return setup.ask("message.label", { nodeId: question, tags: ["good"], customData: { rating: 5 } });
  },
  async "bookmark.list"() {
    await drives["bookmark.put"]();
    const listed = await setup.ask("bookmark.list", {});
    expect(listed.bookmarks).toHaveLength(1);
    return listed;
  },
  "bookmark.put": () => setup.ask("bookmark.put", { title: "here", rootId: setup.studio.rootId, nodeId: null }),
  async "bookmark.rename"() {
    await drives["bookmark.put"]();
    return setup.ask("bookmark.rename", { title: "here", newTitle: "there" });
  },
  "bookmark.delete": () => setup.ask("bookmark.delete", { title: "here" }),
  "conversation.settings": () =>
    setup.ask("conversation.settings", {
      rootId: setup.studio.rootId,
      systemPrompt: "Be brief.",
      thinking: "low",
      toolsOff: ["shell"],
      fallbacks: ["other/voice"],
    }),
  "share.list": async () => {
    await drives["share.link"]();
    return setup.ask("share.list", { on: setup.shared });
  },
  "share.give": async () => {
    const { groupId } = await drives["group.create"]();
    return setup.ask("share.give", {
      on: setup.shared,
      to: { type: "group", id: groupId as GroupId },
      role: "commenter",
    });
  },
  "share.inherit": () => setup.ask("share.inherit", { on: setup.shared, inherits: false }),
  "share.quoting": () => setup.ask("share.quoting", { rootId: setup.studio.rootId, by: "askers" }),
  "share.unseen": () => setup.ask("share.unseen", { rootId: setup.studio.rootId, to: { type: "everyone" } }),
  "share.link": () =>
    setup.ask("share.link", {
      on: setup.shared,
      hash: "1".repeat(64),
      role: "commenter",
      expiresAt: Date.now() + 1_000,
    }),
  "share.end-link": async () => {
    const { linkId } = await drives["share.link"]();
    return setup.ask("share.end-link", { on: setup.shared, linkId: linkId as LinkId });
  },
  "person.list": () => setup.ask("person.list", {}),
  "person.set-role": async () =>
    setup.ask("person.set-role", { personId: ada.id as string as PersonId, role: "owner" }),
  "group.list": async () => {
    await drives["group.set-member"]();
    return setup.ask("group.list", {});
  },
  "group.create": () => setup.ask("group.create", { name: "Weavers" }),
  "group.rename": async () => {
    const { groupId } = await drives["group.create"]();
    return setup.ask("group.rename", { groupId: groupId as GroupId, name: "Dyers" });
  },
  "group.set-member": async () => {
    const { groupId } = await drives["group.create"]();
    const personId = ada.id as string as PersonId;
    return setup.ask("group.set-member", { groupId: groupId as GroupId, personId, member: true });
  },
  "group.remove": async () => {
    const { groupId } = await drives["group.create"]();
    return setup.ask("group.remove", { groupId: groupId as GroupId });
  },
  "own-key.list": async () => {
    await drives["own-key.set"]();
    return setup.ask("own-key.list", {});
  },
  "own-key.set": () => setup.ask("own-key.set", { provider: "openai", key: "sk-0123456789" }),
  "own-key.remove": async () => {
    await drives["own-key.set"]();
    return setup.ask("own-key.remove", { provider: "openai" });
  },
  "audit.list": async () => {
    await drives["lock.set"]();
    return setup.ask("audit.list", {});
  },
  "lock.list": async () => {
    await drives["lock.set"]();
    return setup.ask("lock.list", {});
  },
  "lock.set": () => setup.ask("lock.set", { setting: "presets", locked: true }),
  "budget.list": async () => {
    await drives["budget.set"]();
    return setup.ask("budget.list", {});
  },
  "budget.set": async () => {
    const of = { type: "person", id: ada.id as string as PersonId } as const;
    return setup.ask("budget.set", { of, per: "month", tokens: null, dollars: 2.5 });
  },
  async "token.list"() {
    await drives["token.create"]();
    return setup.ask("token.list", {});
  },
  "token.create": () => setup.ask("token.create", { name: "Loom", hash: "0".repeat(64), rights: ["read"] }),
  async "token.revoke"() {
    const { tokenId } = await drives["token.create"]();
    return setup.ask("token.revoke", { tokenId });
  },
  async "webhook.list"() {
    await drives["webhook.create"]();
    return setup.ask("webhook.list", {});
  },
  "push.key": () => setup.ask("push.key", {}),
  "push.subscribe": () => setup.ask("push.subscribe", newBrowser),
  async "push.unsubscribe"() {
    await drives["push.subscribe"]();
    return setup.ask("push.unsubscribe", { endpoint: newBrowser.endpoint });
  },
  "webhook.create": () =>
    setup.ask("webhook.create", {
      url: "https://hooks.invalid/heddle",
      events: ["conversation.ended"],
      secret: `whsec_${"A".repeat(32)}`,
    }),
  async "webhook.delete"() {
    const { webhookId } = await drives["webhook.create"]();
    return setup.ask("webhook.delete", { webhookId });
  },
  async "webhook.log"() {
    const { webhookId } = await drives["webhook.create"]();
    return setup.ask("webhook.log", { webhookId });
  },
  async "webhook.send"() {
    const { webhookId } = await drives["webhook.create"]();
    return setup.ask("webhook.send", { webhookId });
  },
  "prompt.list": () => setup.ask("prompt.list", {}),
  "prompt.put": () => setup.ask("prompt.put", { name: "terse", text: "Be brief." }),
  async "prompt.delete"() {
    await drives["prompt.put"]();
    return setup.ask("prompt.delete", { name: "terse" });
  },
  "models.set-window": () => setup.ask("models.set-window", { model: "scripted/scribe", contextTokens: 8_192 }),
  "preset.list": () => setup.ask("preset.list", {}),
  "preset.put": () => setup.ask("preset.put", { name: "wild", n: 2, temperature: 1.5, maxTokens: 100 }),
  async "preset.delete"() {
    await drives["preset.put"]();
    return setup.ask("preset.delete", { name: "wild" });
  },
  async "preset.activate"() {
    await drives["preset.put"]();
    return setup.ask("preset.activate", { name: "wild" });
  },
  async "search.words"() {
    await setup.talk();
    const found = await setup.ask("search.words", { words: "how", in: "messages" });
    expect(found.matches).toHaveLength(1);
    return found;
  },
  async "run.cancel"() {
    setup.studio.mind = () => ({ hang: "Let me see" });
    const runId = await setup.studio.send("Hello");
    return setup.ask("run.cancel", { runId });
  },
  async "waiting.change"() {
    const place = await setup.waits();
    const changed = await setup.ask("waiting.change", { ...place, version: 1, text: "No.", state: "held" });
    expect(changed).toEqual({ version: 2, nodeId: null });
    return changed;
  },
  async "waiting.withdraw"() {
    const withdrawn = await setup.ask("waiting.withdraw", { ...(await setup.waits()), version: 1 });
    expect(withdrawn).toEqual({ text: "And?" });
    return withdrawn;
  },
  async "run.retry"() {
    setup.studio.mind = () => ({ fail: "auth" });
    const runId = await setup.studio.ask("Hello");
    setup.studio.mind = () => ({ say: "Well." });
    const retried = await setup.ask("run.retry", { runId });
    await setup.studio.rest();
    return retried;
  },
  async "branch.compact"() {
    const { reply } = await setup.talk();
    const tooLittle = await setup.studio.workspace.conversations.branches.compact(ada, { nodeId: reply });
    expect(tooLittle).toMatchObject({ ok: false, error: { code: "NOTHING_TO_COMPACT" } });
    setup.studio.mind = () => ({ say: "word after word ".repeat(40) });
    await setup.studio.ask("Say more.");
    setup.studio.mind = () => ({ say: "Well." });
    const nodeId = must((await setup.studio.nodes()).at(-1), "a reply").id;
    const asked = await setup.ask("branch.compact", { nodeId, focus: "all names" });
    await setup.studio.rest();
    return asked;
  },
  async "branch.originals"() {
    return setup.ask("branch.originals", { nodeId: await setup.summedUp() });
  },
  async "branch.summary"() {
    const nodeId = await setup.summedUp();
    await setup.ask("branch.originals", { nodeId });
    return setup.ask("branch.summary", { nodeId });
  },
  async "branch.context"() {
    const nodeId = await setup.summedUp();
    await setup.ask("message.exclude", {
      nodeId: must((await setup.studio.nodes())[0], "a question").id,
      excluded: true,
    });
    const context = await setup.ask("branch.context", { rootId: setup.studio.rootId, nodeId });
    expect(context.tools.list.length).toBeGreaterThan(3);
    return context;
  },
  async "run.summarize"() {
    const { runId } = await setup.talk();
    const asked = await setup.ask("run.summarize", { runId });
    await setup.studio.rest();
    return asked;
  },
  async "run.continue"() {
    const { runId } = await setup.talk();
    await setup.ask("run.summarize", { runId });
    await setup.studio.rest();
    return setup.ask("run.continue", { runId });
  },
  async "approval.answer"() {
    await setup.ask("conversation.rules", { rootId: setup.studio.rootId, approvals: "all" });
    setup.studio.mind = inOrder(checkOut);
    const runId = await setup.studio.send("edit");
    await expect.poll(async () => (await setup.run(runId)).state.type).toBe("awaiting-approval");
    const { state } = await setup.run(runId);
    if (state.type !== "awaiting-approval") throw new Error("the run waits");
    const { callId, argumentsHash } = state.request;
    const word = { runId, callId, argumentsHash, decision: "allow", remember: "conversation" } as const;
    const answered = await setup.ask("approval.answer", word);
    await setup.studio.rest();
    return answered;
  },
  async "approval.rules"() {
    await drives["approval.answer"]();
    const listed = await setup.ask("approval.rules", { rootId: setup.studio.rootId });
    expect(listed.rules).toHaveLength(1);
    return listed;
  },
  "approval.forget": () => setup.ask("approval.forget", { ruleId: "rule_1" }),
  async "question.answer"() {
    const questions = [{ question: "Which?", options: [{ label: "This" }, { label: "That" }] }];
    setup.studio.mind = inOrder({ call: "ask_user", with: { questions } });
    const runId = await setup.studio.send("Hello");
    await expect.poll(async () => (await setup.run(runId)).state.type).toBe("awaiting-answer");
    const { state } = await setup.run(runId);
    if (state.type !== "awaiting-answer") throw new Error("the run waits");
    const answers = [{ chosen: ["This"], note: "Soon." }];
    const answered = await setup.ask("question.answer", { runId, callId: state.callId, answers });
    await setup.studio.rest();
    return answered;
  },
  "canvas.create": () => setup.ask("canvas.create", { title: "Notes", text: "one\n" }),
  "canvas.duplicate": () => setup.ask("canvas.duplicate", { canvasId: setup.studio.canvasId }),
  "canvas.arrange": () => setup.ask("canvas.arrange", { canvasId: setup.studio.canvasId, folderPath: "Plans" }),
  async "canvas.move-folder"() {
    await drives["canvas.arrange"]();
    const done = await setup.ask("canvas.move-folder", { from: "Plans", to: "Work/Plans" });
    expect(done.moved).toBe(1);
    return done;
  },
  "canvas.set-policy": () => setup.ask("canvas.set-policy", { canvasId: setup.studio.canvasId, policy: "suggest" }),
  "canvas.default-policy": () => setup.ask("canvas.default-policy", {}),
  "canvas.set-default-policy": () => setup.ask("canvas.set-default-policy", { policy: "lease" }),
  "canvas.take-control": () => setup.ask("canvas.take-control", { canvasId: setup.studio.canvasId }),
  async "canvas.hashes"() {
    await setup.talk();
    return setup.ask("canvas.hashes", { canvasId: setup.studio.canvasId });
  },
  async "canvas.revisions"() {
    await setup.talk();
    const listed = await setup.ask("canvas.revisions", { canvasId: setup.studio.canvasId });
    expect(listed.revisions).toHaveLength(1);
    return listed;
  },
  async "canvas.compare"() {
    const { revisions } = await drives["canvas.revisions"]();
    await setup.studio.write("one\n2\n");
    const from = must(revisions[0], "a revision").revisionId;
    return setup.ask("canvas.compare", { canvasId: setup.studio.canvasId, from, to: null });
  },
  async "canvas.restore"() {
    const { revisions } = await drives["canvas.revisions"]();
    await setup.studio.write("one\n2\n");
    const { revisionId } = must(revisions[0], "a revision");
    return setup.ask("canvas.restore", { canvasId: setup.studio.canvasId, revisionId });
  },
  async "canvas.name-version"() {
    const { canvasId } = setup.studio;
    const answer = await setup.ask("canvas.name-version", { canvasId, revisionId: null, name: "First" });
    const listed = await setup.ask("canvas.revisions", { canvasId, named: true });
    expect(listed.revisions.map(({ revisionId, name }) => [revisionId, name])).toEqual([[answer.revisionId, "First"]]);
    return answer;
  },
  async "canvas.suggestions"() {
    await setup.suggested();
    await setup.ask("canvas.keep-hunks", { canvasId: setup.studio.canvasId });
    const listed = await setup.ask("canvas.suggestions", { canvasId: setup.studio.canvasId, decided: true });
    expect(listed.suggestions[0]?.hunks[0]?.decision?.outcome).toBe("kept");
    return listed;
  },
  async "canvas.text"() {
    await setup.studio.write("one\n2\n");
    const now = await setup.ask("canvas.text", { canvasId: setup.studio.canvasId, revisionId: null });
    expect(now.text).toBe("one\n2\n");
    return now;
  },
  async "canvas.bring"() {
    const { revisions } = await drives["canvas.revisions"]();
    await setup.studio.write("one\n2\n");
    const { revisionId } = must(revisions[0], "a revision");
    const { canvasId } = setup.studio;
    await setup.ask("canvas.bring", { canvasId, revisionId });
    const brought = await setup.ask("canvas.bring", { canvasId, revisionId });
    const { suggestions } = await setup.ask("canvas.suggestions", { canvasId });
    expect(suggestions).toMatchObject([{ reason: "brought", author: { type: "person" } }]);
    await setup.ask("canvas.keep-hunks", { canvasId });
    expect(await setup.studio.text()).toBe("one\ntwo\nthree\n");
    return brought;
  },
  async "draft.documents"() {
    const draftId = await setup.drafted();
    const listed = await setup.ask("draft.documents", { draftId });
    expect(listed.documents).toMatchObject([
      { canvasId: setup.studio.canvasId, does: "edits", from: null, linesAdded: 1, linesRemoved: 1, conflicts: [] },
    ]);
    expect(await setup.ask("draft.documents", { draftId: "draft_none" as DraftId })).toEqual({ documents: [] });
    return listed;
  },
  async "draft.list"() {
    const draftId = await setup.drafted();
    const listed = await setup.ask("draft.list", { canvasId: setup.studio.canvasId });
    expect(listed.drafts).toMatchObject([{ draftId, linesAdded: 1, linesRemoved: 1, conflicts: [] }]);
    return listed;
  },
  async "draft.read"() {
    const read = await setup.ask("draft.read", {
      canvasId: setup.studio.canvasId,
      draftId: await setup.drafted(),
    });
    expect(read).toMatchObject({ text: "one\nTWO\nthree\n", shared: "one\ntwo\nthree\n" });
    return read;
  },
  async "draft.write"() {
    const { canvasId } = setup.studio;
    const draftId = await setup.drafted();
    const { text } = await setup.ask("draft.read", { canvasId, draftId });
    const baseHash = createHash("sha256").update(text).digest("hex");
    const changes = [{ from: 0, to: 0, insert: "Mine. " }];
    const written = await setup.ask("draft.write", { canvasId, draftId, baseHash, changes });
    const now = await setup.ask("draft.read", { canvasId, draftId });
    expect(now).toMatchObject({ text: `Mine. ${text}`, writer: { isAgent: false, isYou: true } });
    return written;
  },
  async "draft.take"() {
    const taken = await setup.ask("draft.take", {
      canvasId: setup.studio.canvasId,
      draftId: await setup.drafted(),
    });
    expect(await setup.studio.text()).toBe("one\nTWO\nthree\n");
    return taken;
  },
  async "draft.drop"() {
    return setup.ask("draft.drop", { canvasId: setup.studio.canvasId, draftId: await setup.drafted() });
  },
  async "canvas.keep-hunks"() {
    await setup.suggested();
    return setup.ask("canvas.keep-hunks", { canvasId: setup.studio.canvasId });
  },
  async "canvas.reject-hunks"() {
    await setup.suggested();
    return setup.ask("canvas.reject-hunks", { canvasId: setup.studio.canvasId });
  },
  async "block.undo-mine"() {
    await setup.studio.write("1\n");
    return setup.ask("block.undo-mine", { blockId: setup.studio.canvasId });
  },
  async "block.redo-mine"() {
    await drives["block.undo-mine"]();
    return setup.ask("block.redo-mine", { blockId: setup.studio.canvasId });
  },
  async "block.turns"() {
    await setup.edited();
    const listed = await setup.ask("block.turns", { blockId: setup.studio.canvasId });
    expect(listed.turns).toHaveLength(1);
    return listed;
  },
  async "comment.list"() {
    await setup.commented();
    return setup.ask("comment.list", { blockId: setup.studio.canvasId, state: "all" });
  },
  "comment.add": async () => ({ thread: await setup.commented() }),
  async "comment.export"() {
    const { id } = await setup.commented();
    const blockId = setup.studio.canvasId;
    const exported = await setup.ask("comment.export", { blockId, comments: "footnotes" });
    expect(exported.text).toContain(`[^${id}]: Ada`);
    const plain = await setup.ask("comment.export", { blockId, comments: "none" });
    expect(plain.text).toBe(await setup.studio.text());
    return exported;
  },
  "comment.reply": async () =>
    setup.ask("comment.reply", { threadId: (await setup.commented()).id, text: "This one." }),
  "comment.edit": async () =>
    setup.ask("comment.edit", { threadId: (await setup.commented()).id, seq: 1, text: "Which loom?" }),
  "comment.withdraw": async () => setup.ask("comment.withdraw", { threadId: (await setup.commented()).id, seq: 1 }),
  "comment.resolve": async () =>
    setup.ask("comment.resolve", { threadId: (await setup.commented()).id, text: "Done." }),
  async "comment.reopen"() {
    const { id } = await setup.commented();
    await setup.ask("comment.resolve", { threadId: id });
    return setup.ask("comment.reopen", { threadId: id });
  },
  "comment.move": async () => setup.ask("comment.move", { threadId: (await setup.commented()).id }),
  async "comment.paste"() {
    const { anchor } = await setup.commented();
    const units = [...(anchor?.own[0]?.spans ?? [])];
    const blockId = setup.studio.canvasId;
    // Words that are still where they were are not cut: their thread stays.
    const stays = await setup.ask("comment.paste", { blockId, units, from: { blockId, units } });
    expect(stays.threads).toEqual([]);
    return stays;
  },
  "comment.delete": async () => setup.ask("comment.delete", { threadId: (await setup.commented()).id }),
  async "block.turn-change"() {
    const { lastTurn } = await setup.edited();
    return setup.ask("block.turn-change", { blockId: setup.studio.canvasId, turnId: lastTurn });
  },
  async "block.origins"() {
    await setup.edited();
    const { canvasId: blockId } = setup.studio;
    const spans = (await setup.studio.store.changes({ blockId, afterVersion: 0 })).flatMap(({ body }) =>
      "spans" in body ? body.spans : [],
    );
    const ops = [...spans.map(({ replica, seq }) => ({ replica, seq })), { replica: 999 as ReplicaId, seq: 0 }];
    const answer = await setup.ask("block.origins", { blockId, ops });
    expect(answer.origins.map((origin) => origin?.actor.type)).toEqual([
      "person",
      ...spans.slice(1).map(() => "model"),
      undefined,
    ]);
    return answer;
  },
  async "turn.undo"() {
    const { lastTurn: turnId } = await setup.edited();
    const undone = await setup.ask("turn.undo", { turnId });
    expect(undone.blocks).toHaveLength(1);
    return undone;
  },
  async "turn.redo"() {
    const { lastTurn: turnId } = await setup.edited();
    await setup.ask("turn.undo", { turnId });
    return setup.ask("turn.redo", { turnId });
  },
  "block.delete": () => setup.ask("block.delete", { blockId: setup.studio.canvasId }),
  async "trash.list"() {
    await setup.trashed();
    return setup.ask("trash.list", {});
  },
  "trash.restore": async () => setup.ask("trash.restore", { trashId: await setup.trashed() }),
  "trash.purge": async () => setup.ask("trash.purge", { trashId: await setup.trashed() }),
  "trash.settings": () => setup.ask("trash.settings", {}),
  "trash.set-settings": () => setup.ask("trash.set-settings", { keptDays: 90 }),
  async "folder.list"() {
    await drives["folder.add"]();
    return setup.ask("folder.list", {});
  },
  async "folder.instructions"() {
    await writeFile(join(setup.folder, "AGENTS.md"), "Be brief.\n");
    await mkdir(join(setup.folder, ".agents/skills/x"), { recursive: true });
    await writeFile(join(setup.folder, ".agents/skills/x/SKILL.md"), "---\nname: x\ndescription: y\n---\n");
    const found = await setup.ask("folder.instructions", { folderId: setup.folders.defaultId });
    expect([found.agentsFiles.length, found.skills.length]).toEqual([1, 1]);
    return found;
  },
  "folder.add": () => setup.ask("folder.add", { path: join(setup.folder, "sub"), rights: "write", branch: null }),
  "folder.rename": async () => setup.ask("folder.rename", { ...(await drives["folder.add"]()), name: "Other" }),
  "folder.set-rights": async () =>
    setup.ask("folder.set-rights", { ...(await drives["folder.add"]()), rights: "read" }),
  "folder.set-branch": async () => setup.ask("folder.set-branch", { ...(await drives["folder.add"]()), branch: "b" }),
  "folder.trust": async () => setup.ask("folder.trust", { ...(await drives["folder.add"]()), trusted: true }),
  "folder.remove": async () => setup.ask("folder.remove", await drives["folder.add"]()),
  "file.list": () => setup.ask("file.list", { containing: "a" }),
  "file.open": () => setup.ask("file.open", { path: "a.md" }),
  "file.attach": () => setup.ask("file.attach", { path: "a.md" }),
  async "file.put"() {
    const put = await setup.studio.workspace.blobs.put(new TextEncoder().encode("a picture"));
    if (!put.ok) throw new Error(put.error.code);
    const wish = { path: "images/a.png", blobId: put.value.id };
    await setup.ask("file.put", wish);
    // Sent again, it changes nothing; another content is refused.
    await setup.ask("file.put", wish);
    await writeFile(join(setup.folder, "images/a.png"), "another");
    await expect(setup.ask("file.put", wish)).rejects.toThrow("FILE_EXISTS");
    return setup.ask("file.put", { ...wish, path: "images/b.png" });
  },
  "file.delete": () => setup.ask("file.delete", { path: "a.md" }),
  "file.move": () => setup.ask("file.move", { path: "a.md", to: "sub/b.md" }),
  async "file.conflict"() {
    const { blockId } = await setup.ask("file.open", { path: "a.md" });
    await setup.studio.write("ours\n", ada, blockId);
    await writeFile(join(setup.folder, "a.md"), "theirs\n");
    await setup.folders.flush();
    const found = await setup.ask("file.conflict", { blockId });
    expect(found).toEqual({ theirs: "theirs\n", hash: createHash("sha256").update("theirs\n").digest("hex") });
    return found;
  },
  async "file.bring-back"() {
    const { blockId } = await setup.ask("file.open", { path: "a.md" });
    await rm(join(setup.folder, "a.md"));
    await setup.ask("file.open", { path: "a.md" });
    const answer = await setup.ask("file.bring-back", { blockId });
    expect(await readFile(join(setup.folder, "a.md"), "utf8")).toBe("one\n");
    return answer;
  },
  async "file.resolve"() {
    const { blockId } = await setup.ask("file.open", { path: "a.md" });
    await setup.studio.write("ours\n", ada, blockId);
    await writeFile(join(setup.folder, "a.md"), "theirs\n");
    await setup.folders.flush();
    const hash = createHash("sha256").update("theirs\n").digest("hex");
    return setup.ask("file.resolve", { blockId, keep: "both", hash });
  },
  "models.syntaxes": () => setup.ask("models.syntaxes", {}),
  "models.ask": () => setup.ask("models.ask", {}),
  "models.list": () => setup.ask("models.list", {}),
  async "provider.list"() {
    await drives["provider.set-key"]();
    return setup.ask("provider.list", {});
  },
  "search.all": () => setup.ask("search.all", { words: "one" }),
  "provider.test": () => setup.ask("provider.test", { address: "http://127.0.0.1:9/v1" }),
  "provider.add": () => setup.ask("provider.add", { name: "House", address: "http://127.0.0.1:9/v1" }),
  "provider.change": () => setup.ask("provider.change", { provider: "groq", models: ["llama"] }),
  async "provider.remove"() {
    const { provider } = await drives["provider.add"]();
    return setup.ask("provider.remove", { provider });
  },
  "models.set-default": () => setup.ask("models.set-default", { model: "scripted/scribe" }),
  "mcp.add": () => setup.ask("mcp.add", { server: "b", reach: { type: "stdio", command: "b", env: { KEY: "x" } } }),
  async "mcp.remove"() {
    await drives["mcp.add"]();
    return setup.ask("mcp.remove", { server: "b" });
  },
  "mcp.test": () => setup.ask("mcp.test", { server: "a" }),
  "provider.set-key": () => setup.ask("provider.set-key", { provider: "openai", key: "sk-0123456789" }),
  async "provider.remove-key"() {
    await drives["provider.set-key"]();
    return setup.ask("provider.remove-key", { provider: "openai" });
  },
  async "mcp.list"() {
    setup.mcp.at("a").tools = [tool("read", "Another.")];
    setup.mcp.at("a").events?.onToolsChanged();
    await setup.mcp.settle();
    const listed = await setup.ask("mcp.list", {});
    expect(listed.servers[0]?.tools[0]?.changed).not.toBeNull();
    return listed;
  },
  "mcp.set-enabled": () => setup.ask("mcp.set-enabled", { server: "a", enabled: false }),
  "mcp.reload": () => setup.ask("mcp.reload", {}),
  "mcp.sign-in": () => setup.ask("mcp.sign-in", { server: "web" }),
  "mcp.sign-out": () => setup.ask("mcp.sign-out", { server: "web" }),
  async "mcp.offers"() {
    const a = setup.mcp.at("a");
    a.offers = {
      resources: [{ uri: "notes://a", name: "A", description: "", mediaType: null }],
      prompts: [{ name: "review", title: "Review", description: "", parameters: [] }],
    };
    a.contents = [{ uri: "notes://a", mediaType: "text/html;profile=mcp-app", content: { text: "warp" } }];
    return setup.ask("mcp.offers", {});
  },
  async "mcp.attach"() {
    await drives["mcp.offers"]();
    return setup.ask("mcp.attach", { server: "a", uri: "notes://a" });
  },
  async "mcp.prompt"() {
    await drives["mcp.offers"]();
    return setup.ask("mcp.prompt", { server: "a", prompt: "review", values: {} });
  },
  async "mcp.view"() {
    await drives["mcp.offers"]();
    const a = setup.mcp.at("a");
    a.tools = [...a.tools, { ...tool("show"), view: "notes://a" }];
    a.events?.onToolsChanged();
    await setup.mcp.settle();
    return setup.ask("mcp.view", { tool: "a_show" });
  },
  async "mcp.accept-tool"() {
    const { servers } = await drives["mcp.list"]();
    const changed = must(servers[0]?.tools[0]?.changed, "a changed tool");
    return setup.ask("mcp.accept-tool", { server: "a", ...changed });
  },
};

test.each(Object.keys(drives) as readonly CommandName[])("%s answers as its row describes", async (name) => {
  await drives[name]();
});
