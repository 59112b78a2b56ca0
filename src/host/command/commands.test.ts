import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { must } from "../../core/base/assert.ts";
import type { DocumentId, NodeId, RunId } from "../../core/base/ids.ts";
import type { RunRecord } from "../../core/port/store.ts";
import { commands, type CommandAnswer, type CommandName, type CommandParams } from "../../core/protocol/commands.ts";
import type { ReplicaId } from "../../core/text/types.ts";
import { accepted, ada, checkOut, inOrder, patches, Studio } from "../canvas/canvas.test-support.ts";
import { openWorkspaceFiles, type WorkspaceFiles } from "../files/workspace-files.ts";
import { McpWorld, tool } from "../mcp-servers/mcp.test-support.ts";
import { openKeyStore } from "../models/key-store.ts";
import { openModelSettings } from "../models/model-settings.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createDispatch, type Dispatch } from "./dispatch.ts";

/** A workspace with everything that a command can be about. */
class Scene {
  readonly folder: string;
  readonly studio: Studio;
  readonly mcp: McpWorld;
  readonly files: WorkspaceFiles;
  readonly #dispatch: Dispatch;
  readonly #closing: readonly (() => unknown)[];
  private constructor(
    parts: Pick<Scene, "folder" | "studio" | "mcp" | "files">,
    workspace: Workspace,
    close: () => unknown,
  ) {
    this.folder = parts.folder;
    this.studio = parts.studio;
    this.mcp = parts.mcp;
    this.files = parts.files;
    this.#dispatch = createDispatch(workspace);
    this.#closing = [close, () => parts.files.close(), () => parts.studio.close(), () => parts.mcp.end()];
  }

  static async open(): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), "heddle-commands-"));
    await writeFile(join(folder, "a.md"), "one\n");
    const studio = await Studio.open();
    const { workspace } = studio;
    const { hub, store, replicas, platform } = workspace;
    const tree = await openFolderTree(folder, platform.clock);
    const newDocumentId = (): DocumentId => `doc_${crypto.randomUUID()}` as DocumentId;
    const files = await openWorkspaceFiles({ tree, hub, store, replicas, platform, newDocumentId });
    const mcp = await McpWorld.make();
    await mcp.write({ a: { command: "a" } });
    const keys = accepted(
      await openKeyStore({ file: join(folder, "keys"), masterKeyFile: join(folder, "config", "key"), note: () => {} }),
    );
    const deps = { fetch: () => Promise.reject(new Error("no network")), clock: platform.clock, sleep: async () => {} };
    const settings = accepted(await openModelSettings({ config: {}, deps, logger: platform.logger, keys }));
    const whole: Workspace = { ...workspace, files, mcp: await mcp.open(), modelSettings: settings };
    return new Scene({ folder, studio, mcp, files }, whole, () => settings.close());
  }

  /** Carries out a command and gives its answer, which its schema describes to the last field. */
  async ask<Name extends CommandName>(name: Name, params: CommandParams<Name>): Promise<CommandAnswer<Name>> {
    const { replica } = await this.studio.author(ada);
    const answer: unknown = accepted(
      await this.#dispatch({ caller: { actor: ada, clientId: "page", replica }, name, params }),
    );
    const sent: unknown = JSON.parse(JSON.stringify(answer));
    const schema: v.GenericSchema = commands[name].answer;
    // A schema leaves out what it does not name: so the answer has nothing else.
    expect(v.parse(schema, sent)).toEqual(sent);
    return answer as CommandAnswer<Name>;
  }

  /** A question and its reply. */
  async talk(): Promise<{ readonly runId: RunId; readonly question: NodeId; readonly reply: NodeId }> {
    const runId = await this.studio.ask("How are you?", null);
    const nodes = await this.studio.nodes();
    return { runId, question: must(nodes.at(-2), "a question").id, reply: must(nodes.at(-1), "a reply").id };
  }

  async run(runId: RunId): Promise<RunRecord> {
    return must(await this.studio.store.run(runId), "a run");
  }

  /** A turn of the agent in the canvas. */
  async edited(): Promise<RunRecord & { readonly lastTurn: NonNullable<RunRecord["turnId"]> }> {
    this.studio.mind = inOrder(checkOut, patches(1, "one", "1"));
    const run = await this.run(await this.studio.ask("edit"));
    const author = (await this.studio.nodes()).find(({ turnId }) => turnId !== null);
    return { ...run, lastTurn: must(author?.turnId, "a turn") };
  }

  async suggested(): Promise<void> {
    await this.ask("canvas.set-policy", { canvasId: this.studio.canvasId, policy: "suggest" });
    await this.edited();
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});
afterEach(() => scene.close());

type Drive<Name extends CommandName> = () => Promise<CommandAnswer<Name>>;

/** Brings each command about, in a scene of its own. */
const drives: { readonly [Name in CommandName]: Drive<Name> } = {
  "conversation.create": () => scene.ask("conversation.create", { title: "Talk", canvasId: scene.studio.canvasId }),
  "conversation.for-settings": () => scene.ask("conversation.for-settings", { systemPrompt: "Be brief." }),
  async "conversation.delete"() {
    const { rootId } = await scene.ask("conversation.create", {});
    return scene.ask("conversation.delete", { rootId });
  },
  "conversation.rename": () => scene.ask("conversation.rename", { rootId: scene.studio.rootId, title: "Other" }),
  "conversation.set-model": () =>
    scene.ask("conversation.set-model", { rootId: scene.studio.rootId, model: "other/voice" }),
  "conversation.set-tool-syntax": () =>
    scene.ask("conversation.set-tool-syntax", { rootId: scene.studio.rootId, toolSyntax: null }),
  "conversation.rules": () =>
    scene.ask("conversation.rules", { rootId: scene.studio.rootId, approvals: "all", budget: { tokens: 1_000 } }),
  async "conversation.trace"() {
    await scene.talk();
    return scene.ask("conversation.trace", { rootId: scene.studio.rootId });
  },
  async "conversation.usage"() {
    await scene.talk();
    await scene.ask("conversation.rules", { rootId: scene.studio.rootId, budget: { tokens: 1_000, dollars: 2 } });
    return scene.ask("conversation.usage", { rootId: scene.studio.rootId });
  },
  "conversation.set-canvas": () =>
    scene.ask("conversation.set-canvas", { rootId: scene.studio.rootId, canvasId: null }),
  async "message.send"() {
    const params = { rootId: scene.studio.rootId, parentNodeId: null, text: "Hello", n: 2 };
    const sent = await scene.ask("message.send", params);
    await scene.studio.rest();
    return sent;
  },
  "message.add": () => scene.ask("message.add", { rootId: scene.studio.rootId, parentNodeId: null, text: "Hello" }),
  async "message.edit"() {
    const { question } = await scene.talk();
    const edited = await scene.ask("message.edit", {
      nodeId: question,
      text: "And now?",
    });
    await scene.studio.rest();
    return edited;
  },
  async "message.regenerate"() {
    const { reply } = await scene.talk();
    const asked = await scene.ask("message.regenerate", { nodeId: reply });
    await scene.studio.rest();
    return asked;
  },
  async "message.split"() {
    const { question } = await scene.talk();
    return scene.ask("message.split", { nodeId: question, at: 3 });
  },
  async "message.rewrite"() {
    const { question } = await scene.talk();
    return scene.ask("message.rewrite", { nodeId: question, text: "How is it?" });
  },
  async "message.delete"() {
    const { question } = await scene.talk();
    const deleted = await scene.ask("message.delete", { nodeId: question });
    expect(deleted.nodeIds).toHaveLength(2);
    return deleted;
  },
  async "message.label"() {
    const { question } = await scene.talk();
    return scene.ask("message.label", { nodeId: question, tags: ["good"], customData: { rating: 5 } });
  },
  async "bookmark.list"() {
    await drives["bookmark.put"]();
    const listed = await scene.ask("bookmark.list", {});
    expect(listed.bookmarks).toHaveLength(1);
    return listed;
  },
  "bookmark.put": () => scene.ask("bookmark.put", { title: "here", rootId: scene.studio.rootId, nodeId: null }),
  async "bookmark.rename"() {
    await drives["bookmark.put"]();
    return scene.ask("bookmark.rename", { title: "here", newTitle: "there" });
  },
  "bookmark.delete": () => scene.ask("bookmark.delete", { title: "here" }),
  "preset.list": () => scene.ask("preset.list", {}),
  "preset.put": () => scene.ask("preset.put", { name: "wild", n: 2, temperature: 1.5, maxTokens: 100 }),
  async "preset.delete"() {
    await drives["preset.put"]();
    return scene.ask("preset.delete", { name: "wild" });
  },
  async "preset.activate"() {
    await drives["preset.put"]();
    return scene.ask("preset.activate", { name: "wild" });
  },
  async "search.words"() {
    await scene.talk();
    const found = await scene.ask("search.words", { words: "how", in: "messages" });
    expect(found.matches).toHaveLength(1);
    return found;
  },
  async "run.cancel"() {
    scene.studio.mind = () => ({ hang: "Let me see" });
    const runId = await scene.studio.send("Hello");
    return scene.ask("run.cancel", { runId });
  },
  async "run.retry"() {
    scene.studio.mind = () => ({ fail: "auth" });
    const runId = await scene.studio.ask("Hello");
    scene.studio.mind = () => ({ say: "Well." });
    const retried = await scene.ask("run.retry", { runId });
    await scene.studio.rest();
    return retried;
  },
  async "run.summarize"() {
    const { runId } = await scene.talk();
    const asked = await scene.ask("run.summarize", { runId });
    await scene.studio.rest();
    return asked;
  },
  async "run.continue"() {
    const { runId } = await scene.talk();
    await scene.ask("run.summarize", { runId });
    await scene.studio.rest();
    return scene.ask("run.continue", { runId });
  },
  async "approval.answer"() {
    await scene.ask("conversation.rules", { rootId: scene.studio.rootId, approvals: "all" });
    scene.studio.mind = inOrder(checkOut);
    const runId = await scene.studio.send("edit");
    await expect.poll(async () => (await scene.run(runId)).state.type).toBe("awaiting-approval");
    const { state } = await scene.run(runId);
    if (state.type !== "awaiting-approval") throw new Error("the run waits");
    const { callId, argumentsHash } = state.request;
    const word = { runId, callId, argumentsHash, decision: "allow", remember: "conversation" } as const;
    const answered = await scene.ask("approval.answer", word);
    await scene.studio.rest();
    return answered;
  },
  async "approval.rules"() {
    await drives["approval.answer"]();
    const listed = await scene.ask("approval.rules", { rootId: scene.studio.rootId });
    expect(listed.rules).toHaveLength(1);
    return listed;
  },
  "approval.forget": () => scene.ask("approval.forget", { ruleId: "rule_1" }),
  async "question.answer"() {
    const questions = [{ question: "Which?", options: [{ label: "This" }, { label: "That" }] }];
    scene.studio.mind = inOrder({ call: "ask_user", with: { questions } });
    const runId = await scene.studio.send("Hello");
    await expect.poll(async () => (await scene.run(runId)).state.type).toBe("awaiting-answer");
    const { state } = await scene.run(runId);
    if (state.type !== "awaiting-answer") throw new Error("the run waits");
    const answers = [{ chosen: ["This"], note: "Soon." }];
    const answered = await scene.ask("question.answer", { runId, callId: state.callId, answers });
    await scene.studio.rest();
    return answered;
  },
  "canvas.create": () => scene.ask("canvas.create", { title: "Notes", text: "one\n" }),
  "canvas.set-policy": () => scene.ask("canvas.set-policy", { canvasId: scene.studio.canvasId, policy: "suggest" }),
  "canvas.default-policy": () => scene.ask("canvas.default-policy", {}),
  "canvas.set-default-policy": () => scene.ask("canvas.set-default-policy", { policy: "lease" }),
  "canvas.take-control": () => scene.ask("canvas.take-control", { canvasId: scene.studio.canvasId }),
  async "canvas.hashes"() {
    await scene.talk();
    return scene.ask("canvas.hashes", { canvasId: scene.studio.canvasId });
  },
  async "canvas.revisions"() {
    await scene.talk();
    const listed = await scene.ask("canvas.revisions", { canvasId: scene.studio.canvasId });
    expect(listed.revisions).toHaveLength(1);
    return listed;
  },
  async "canvas.compare"() {
    const { revisions } = await drives["canvas.revisions"]();
    await scene.studio.write("one\n2\n");
    const from = must(revisions[0], "a revision").revisionId;
    return scene.ask("canvas.compare", { canvasId: scene.studio.canvasId, from, to: null });
  },
  async "canvas.restore"() {
    const { revisions } = await drives["canvas.revisions"]();
    await scene.studio.write("one\n2\n");
    const { revisionId } = must(revisions[0], "a revision");
    return scene.ask("canvas.restore", { canvasId: scene.studio.canvasId, revisionId });
  },
  async "canvas.suggestions"() {
    await scene.suggested();
    await scene.ask("canvas.keep-hunks", { canvasId: scene.studio.canvasId });
    const listed = await scene.ask("canvas.suggestions", { canvasId: scene.studio.canvasId, decided: true });
    expect(listed.suggestions[0]?.hunks[0]?.decision?.outcome).toBe("kept");
    return listed;
  },
  async "canvas.keep-hunks"() {
    await scene.suggested();
    return scene.ask("canvas.keep-hunks", { canvasId: scene.studio.canvasId });
  },
  async "canvas.reject-hunks"() {
    await scene.suggested();
    return scene.ask("canvas.reject-hunks", { canvasId: scene.studio.canvasId });
  },
  async "block.undo-mine"() {
    await scene.studio.write("1\n");
    return scene.ask("block.undo-mine", { blockId: scene.studio.canvasId });
  },
  async "block.redo-mine"() {
    await drives["block.undo-mine"]();
    return scene.ask("block.redo-mine", { blockId: scene.studio.canvasId });
  },
  async "block.turns"() {
    await scene.edited();
    const listed = await scene.ask("block.turns", { blockId: scene.studio.canvasId });
    expect(listed.turns).toHaveLength(1);
    return listed;
  },
  async "block.turn-change"() {
    const { lastTurn } = await scene.edited();
    return scene.ask("block.turn-change", { blockId: scene.studio.canvasId, turnId: lastTurn });
  },
  async "block.origins"() {
    await scene.edited();
    const { canvasId: blockId } = scene.studio;
    const spans = (await scene.studio.store.changes({ blockId, afterVersion: 0 })).flatMap(({ body }) =>
      "spans" in body ? body.spans : [],
    );
    const ops = [...spans.map(({ replica, seq }) => ({ replica, seq })), { replica: 999 as ReplicaId, seq: 0 }];
    const told = await scene.ask("block.origins", { blockId, ops });
    expect(told.origins.map((origin) => origin?.actor.type)).toEqual([
      "person",
      ...spans.slice(1).map(() => "model"),
      undefined,
    ]);
    return told;
  },
  async "turn.undo"() {
    const { lastTurn: turnId } = await scene.edited();
    const undone = await scene.ask("turn.undo", { turnId });
    expect(undone.blocks).toHaveLength(1);
    return undone;
  },
  async "turn.redo"() {
    const { lastTurn: turnId } = await scene.edited();
    await scene.ask("turn.undo", { turnId });
    return scene.ask("turn.redo", { turnId });
  },
  "file.list": () => scene.ask("file.list", { containing: "a" }),
  "file.open": () => scene.ask("file.open", { path: "a.md" }),
  async "file.resolve"() {
    const { blockId } = await scene.ask("file.open", { path: "a.md" });
    await scene.studio.write("ours\n", ada, blockId);
    await writeFile(join(scene.folder, "a.md"), "theirs\n");
    await scene.files.flush();
    const hash = createHash("sha256").update("theirs\n").digest("hex");
    return scene.ask("file.resolve", { blockId, keep: "both", hash });
  },
  "models.list": () => scene.ask("models.list", {}),
  async "provider.list"() {
    await drives["provider.set-key"]();
    return scene.ask("provider.list", {});
  },
  "provider.set-key": () => scene.ask("provider.set-key", { provider: "openai", key: "sk-0123456789" }),
  async "provider.remove-key"() {
    await drives["provider.set-key"]();
    return scene.ask("provider.remove-key", { provider: "openai" });
  },
  async "mcp.list"() {
    scene.mcp.at("a").tools = [tool("read", "Another.")];
    scene.mcp.at("a").events?.onToolsChanged();
    await scene.mcp.settle();
    const listed = await scene.ask("mcp.list", {});
    expect(listed.servers[0]?.tools[0]?.changed).not.toBeNull();
    return listed;
  },
  "mcp.set-enabled": () => scene.ask("mcp.set-enabled", { server: "a", enabled: false }),
  "mcp.reload": () => scene.ask("mcp.reload", {}),
  async "mcp.accept-tool"() {
    const { servers } = await drives["mcp.list"]();
    const changed = must(servers[0]?.tools[0]?.changed, "a changed tool");
    return scene.ask("mcp.accept-tool", { server: "a", ...changed });
  },
};

test.each(Object.keys(drives) as readonly CommandName[])("%s answers as its row describes", async (name) => {
  await drives[name]();
});
