import type {
  ConnectionState,
  ConversationView,
  HeddleClient,
  LiveBlock,
  RunView,
  WorkspaceView,
} from "../../src/client/types.ts";
import type { Actor } from "../../src/core/base/actor.ts";
import { refusal, type Refusal } from "../../src/core/base/errors.ts";
import type {
  ActorId,
  BlockId,
  DocumentId,
  NodeId,
  RootId,
  RunId,
  ToolCallId,
  TurnId,
} from "../../src/core/base/ids.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { err, ok, type Result } from "../../src/core/base/result.ts";
import type { BlockKind } from "../../src/core/block/types.ts";
import type { ForestNode, ForestRoot } from "../../src/core/forest/types.ts";
import type { Message, ToolMessage } from "../../src/core/message/types.ts";
import type { CommandAnswer, CommandName, CommandParams } from "../../src/core/protocol/commands.ts";
import { Cell, FakeText } from "./fake-text.ts";

const amy: Actor = { type: "person", id: "p-amy" as ActorId, name: "Amy" };
const bo: Actor = { type: "person", id: "p-bo" as ActorId, name: "Bo" };
const system: Actor = { type: "system", id: "heddle" as ActorId, name: "Heddle" };
const scribe: Actor = {
  type: "model",
  id: "m-scribe" as ActorId,
  name: "scribe",
  model: "scripted/scribe",
  runId: "run1" as RunId,
  turnId: "turn1" as TurnId,
};

const welcome = `# Welcome to Heddle

Heddle is a place where people and language models write together. The text you are reading is a **canvas**: a live document that you and an agent can edit at the same time.

## Try it

- Ask for a change in the conversation beside this page.
- Type here while the agent works; *nothing you write is lost*.
- Press \`Esc\` in this text to take control.

## How it is woven

Each conversation is a tree. Editing a question makes a new branch, and the old one stays where it was. A canvas remembers who wrote every character of it, so that one author's work can be undone without touching another's.

> A heddle is the part of a loom that guides each thread.

1. The warp: conversations.
2. The weft: documents.
`;

let counter = 0;
const fresh = (prefix: string): string => `${prefix}-${(counter += 1)}`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A server in the page, for looking at the app in every state. */
export class FakeClient implements HeddleClient {
  readonly state = new Cell<ConnectionState>({ type: "live", since: 0, reconnected: false });
  readonly actor = new Cell<Actor | null>(amy);
  readonly workspace: Cell<WorkspaceView | null>;
  readonly conversations = new Map<string, Cell<ConversationView | null>>();
  readonly texts = new Map<string, FakeText>();
  speed = 1;
  fail: "none" | "network" | "auth" = "none";
  #cancelled = new Set<string>();

  constructor() {
    const empty = new URLSearchParams(location.search).has("empty");
    this.workspace = new Cell<WorkspaceView | null>({
      roots: [],
      canvases: [],
      models: [
        { id: "scripted/scribe", name: "Scribe (scripted)", contextTokensMax: 32_000, tools: true, local: true },
        {
          id: "anthropic/claude-sonnet-5",
          name: "Claude Sonnet 5",
          contextTokensMax: 200_000,
          tools: true,
          local: false,
        },
        { id: "ollama/llama", name: "Llama", contextTokensMax: 8_192, tools: false, local: true },
      ],
      people: [
        { clientId: "dev", actor: amy, self: true },
        { clientId: "b", actor: bo, self: false },
      ],
    });
    if (empty) return;
    const canvas = this.addCanvas("Welcome", welcome);
    this.addCanvas("Release notes", "# Release notes\n\n");
    canvas.apply(
      [
        {
          from: canvas.text().indexOf("Each conversation"),
          to: canvas.text().indexOf("> A heddle"),
          insert:
            "Each conversation is a tree: editing a question makes a branch, and the old one stays. A canvas remembers who wrote every character, so one author’s work can be undone without touching another’s.\n\n",
        },
      ],
      3,
      { type: "remote", actor: scribe },
    );
    canvas.apply(
      [{ from: canvas.length, to: canvas.length, insert: "3. The pattern: what both make together.\n" }],
      2,
      { type: "local" },
    );
    canvas.apply(
      [
        {
          from: canvas.text().indexOf(" in the conversation"),
          to: canvas.text().indexOf(" in the conversation"),
          insert: " or a whole section",
        },
      ],
      4,
      { type: "remote", actor: bo },
    );
    this.#sampleConversation("Welcome", canvas.blockId);
    for (const title of ["Plan for the spring release", "Interview notes", "A letter to the editor"])
      this.addRoot(title, canvas.blockId);
  }

  addCanvas(title: string, text: string): FakeText {
    const canvas = new FakeText(fresh("canvas"), title, text);
    canvas.actors.set(1, system).set(2, amy).set(3, scribe).set(4, bo);
    this.texts.set(canvas.blockId, canvas);
    const workspace = this.#workspace();
    this.workspace.set({ ...workspace, canvases: [...workspace.canvases, { id: canvas.blockId, title }] });
    return canvas;
  }

  addRoot(title: string, canvasId: BlockId | null): ForestRoot {
    const root: ForestRoot = {
      id: fresh("root") as RootId,
      slug: title.toLowerCase(),
      title,
      systemPrompt: "",
      model: "scripted/scribe",
      canvasId,
      cwd: "/",
      archived: false,
      createdAt: Date.now(),
      updatedAt: Date.now() - counter * 1000,
    };
    const workspace = this.#workspace();
    this.workspace.set({ ...workspace, roots: [root, ...workspace.roots] });
    this.conversations.set(
      root.id,
      new Cell<ConversationView | null>({
        root,
        nodesById: new Map(),
        childrenByParent: new Map(),
        runs: [],
        notices: [],
        seq: 1,
      }),
    );
    return root;
  }

  #sampleConversation(title: string, canvasId: BlockId): void {
    const root = this.addRoot(title, canvasId);
    const say = (parent: NodeId | null, message: Message, actor: Actor = amy): NodeId =>
      this.addNode(root.id, parent, message, actor);
    const text = (words: string): [{ type: "text"; text: string }] => [{ type: "text", text: words }];
    const q1 = say(null, { role: "user", content: text("What is this place?") });
    const r1 = say(
      q1,
      {
        role: "assistant",
        content: text(
          "A workspace where **you and an agent** write the same text. Three things to know:\n\n1. The page on the right is a *canvas*. Both of us can type in it.\n2. Every question can be edited; that makes a **branch**, and nothing is lost.\n3. `Esc` in the canvas takes control from me at once.\n\nSee [the guide](https://example.org/guide) or ask me for a change.\n\n| pane | what it holds |\n|---|---|\n| Forest | conversations and their branches |\n| Canvas | the live document |\n",
        ),
      },
      scribe,
    );
    const q2 = say(r1, { role: "user", content: text("Tighten the paragraph on how it is woven.") });
    this.#toolTurn(root.id, q2, "5-bbbbbbbb");
    const q2b = say(r1, { role: "user", content: text("Make the paragraph on weaving shorter and funnier, please.") });
    const r2b = say(
      q2b,
      {
        role: "assistant",
        interrupted: true,
        content: text("I could say that a tree walks into a loom, but first let me rea"),
      },
      scribe,
    );
    const q3b = say(r2b, { role: "user", content: text("Go on.") });
    say(q3b, { role: "assistant", content: text("…and asks for a branch manager.") }, scribe);
    const q2c = say(r1, {
      role: "user",
      content: text("Tighten the paragraph on how it is woven, and keep both sentences."),
    });
    const last = this.#toolTurn(root.id, q2c, "6-cccccccc", true);
    const q4 = say(last, { role: "user", content: text("Thanks. Show me how a test for that could look.") }, bo);
    say(
      q4,
      {
        role: "assistant",
        content: text(
          'Here is one:\n\n```ts\ntest("undoing one author leaves the others\' words", () => {\n  const text = documentOf("amy", "hello ").by("scribe", "world");\n  expect(undo(text, "scribe").text()).toBe("hello ");\n});\n```\n\n> It breaks as soon as undo forgets who wrote what.',
        ),
      },
      scribe,
    );
  }

  #toolTurn(rootId: RootId, parent: NodeId, revision: string, refused = false): NodeId {
    const callId = (name: string): ToolCallId => `${name}-${parent}` as ToolCallId;
    const call = (name: string, parameters: JsonObject) =>
      ({ type: "tool-use", id: callId(name), name, parameters }) as const;
    const a = this.addNode(
      rootId,
      parent,
      {
        role: "assistant",
        content: [
          {
            type: "thinking",
            text: "The paragraph says the same thing twice. I should look at the lines first, then make one patch.",
          },
          { type: "text", text: "I’ll look at that paragraph and tighten it." },
          call("canvas_check_out", {}),
        ],
      },
      scribe,
    );
    const t = this.addTool(rootId, a, callId("canvas_check_out"), "canvas_check_out", {
      lease_id: "lease_1",
      revision_id_at_checkout: "4-aaaaaaaa",
    });
    const b = this.addNode(
      rootId,
      t,
      {
        role: "assistant",
        content: [
          call("canvas_grep", { query: "Each conversation" }),
          call("canvas_read_lines", { start_line: 13, end_line: 15 }),
        ],
      },
      scribe,
    );
    const t2 = this.addTool(rootId, b, callId("canvas_grep"), "canvas_grep", {
      matches: [{ line: 15, text: "Each conversation is a tree." }],
    });
    const t3 = this.addTool(rootId, t2, callId("canvas_read_lines"), "canvas_read_lines", {
      text: "## How it is woven\n\nEach conversation is a tree.",
      revision_id: "4-aaaaaaaa",
    });
    const patch =
      "@@ -15,1 +15,1 @@\n-Each conversation is a tree. Editing a question makes a new branch, and the old one stays where it was.\n+Each conversation is a tree: editing a question makes a branch, and the old one stays.\n";
    const c = this.addNode(
      rootId,
      t3,
      { role: "assistant", content: [call("canvas_apply_patch", { patch, base_revision_id: "4-aaaaaaaa" })] },
      scribe,
    );
    const t4 = refused
      ? this.addTool(
          rootId,
          c,
          callId("canvas_apply_patch"),
          "canvas_apply_patch",
          { ...refusal("STALE_EPOCH") } as unknown as JsonObject,
          "error",
        )
      : this.addTool(rootId, c, callId("canvas_apply_patch"), "canvas_apply_patch", {
          ok: true,
          applied_hunks: 1,
          new_revision_id: revision,
        });
    return this.addNode(
      rootId,
      t4,
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: refused
              ? "You took control before my patch arrived, so I stopped. Your text is as you left it."
              : "Done: the paragraph now says it once.",
          },
        ],
      },
      scribe,
    );
  }

  addTool(
    rootId: RootId,
    parent: NodeId,
    id: ToolCallId,
    name: string,
    answer: JsonObject,
    outcome: ToolMessage["outcome"] = "ok",
  ): NodeId {
    return this.addNode(
      rootId,
      parent,
      {
        role: "tool",
        tool_call_id: id,
        tool_name: name,
        outcome,
        content: [{ type: "text", text: JSON.stringify(answer) }],
      },
      scribe,
    );
  }

  addNode(rootId: RootId, parentId: NodeId | null, message: Message, actor: Actor): NodeId {
    const cell = this.#cell(rootId);
    const view = cell.get();
    const id = fresh("node") as NodeId;
    if (view === null) return id;
    const node: ForestNode = {
      id,
      rootId,
      parentId,
      prefixHash: "",
      message,
      actor,
      runId: "run1" as RunId,
      turnId: "turn1" as TurnId,
      usage:
        message.role === "assistant"
          ? { inputTokens: 1800, outputTokens: 220, cachedInputTokens: 0, thinkingTokens: 40 }
          : null,
      createdAt: Date.now(),
    };
    const childrenByParent = new Map(view.childrenByParent);
    childrenByParent.set(parentId, [...(childrenByParent.get(parentId) ?? []), id]);
    cell.set({ ...view, nodesById: new Map(view.nodesById).set(id, node), childrenByParent, seq: view.seq + 1 });
    return id;
  }

  conversation(rootId: RootId): Cell<ConversationView | null> {
    return this.#cell(rootId);
  }
  openText(blockId: BlockId): FakeText {
    const text = this.texts.get(blockId);
    if (text === undefined) throw new Error("no such canvas");
    return text;
  }
  reconnectNow(): void {
    this.state.set({ type: "live", since: Date.now(), reconnected: true });
  }
  close(): void {}

  async call<Name extends CommandName>(
    name: Name,
    params: CommandParams<Name>,
  ): Promise<Result<CommandAnswer<Name>, Refusal>> {
    await pause(20);
    const answer = this.#answer(name, params as never);
    return answer as Result<CommandAnswer<Name>, Refusal>;
  }

  #answer(name: CommandName, params: never): Result<unknown, Refusal> {
    const given: Readonly<Record<string, string | null>> = params;
    const workspace = this.#workspace();
    switch (name) {
      case "conversation.create":
        return ok({
          rootId: this.addRoot(given["title"] ?? "New conversation", (given["canvasId"] as BlockId | null) ?? null).id,
        });
      case "conversation.rename":
        this.#changeRoot(given["rootId"] as RootId, { title: given["title"] ?? "" });
        return ok({});
      case "conversation.set-model":
        this.#changeRoot(given["rootId"] as RootId, { model: given["model"] ?? "" });
        return ok({});
      case "conversation.set-canvas":
        this.#changeRoot(given["rootId"] as RootId, { canvasId: given["canvasId"] as BlockId | null });
        return ok({});
      case "models.list":
        return ok({ models: workspace.models });
      case "message.send": {
        const rootId = given["rootId"] as RootId;
        const busy = this.#cell(rootId)
          .get()
          ?.runs.some((run) => run.state.type !== "idle" && run.state.type !== "error");
        if (busy === true) {
          const queued = this.#run(rootId)?.queued === true;
          if (queued) return err(refusal("AGENT_BUSY"));
          this.#setRun(rootId, { queued: true });
          return ok({ nodeId: null, runId: "run1", queued: true });
        }
        const nodeId = this.addNode(
          rootId,
          given["parentNodeId"] as NodeId | null,
          { role: "user", content: [{ type: "text", text: given["text"] ?? "" }] },
          amy,
        );
        void this.#reply(rootId, nodeId);
        return ok({ nodeId, runId: "run1", queued: false });
      }
      case "message.edit": {
        const node = this.#find(given["nodeId"] as NodeId);
        if (node === undefined) return err(refusal("NODE_NOT_FOUND"));
        const nodeId = this.addNode(
          node.rootId,
          node.parentId,
          { role: "user", content: [{ type: "text", text: given["text"] ?? "" }] },
          amy,
        );
        void this.#reply(node.rootId, nodeId);
        return ok({ nodeId, runId: "run1" });
      }
      case "message.regenerate": {
        const node = this.#find(given["nodeId"] as NodeId);
        if (node === undefined || node.parentId === null) return err(refusal("NODE_NOT_FOUND"));
        void this.#reply(node.rootId, node.parentId);
        return ok({ runId: "run1" });
      }
      case "run.cancel":
        this.#cancelled.add(given["runId"] ?? "");
        return ok({});
      case "run.retry": {
        const root = workspace.roots[0];
        const head = root === undefined ? null : this.#run(root.id)?.headNodeId;
        this.fail = "none";
        if (root !== undefined && head !== null && head !== undefined) void this.#reply(root.id, head);
        return ok({});
      }
      case "canvas.create":
        return ok({ canvasId: this.addCanvas(given["title"] ?? "Untitled", given["text"] ?? "").blockId });
      case "canvas.set-policy": {
        const text = this.openText(given["canvasId"] as BlockId);
        const header = text.header.get();
        if (header !== null) text.header.set({ ...header, policy: given["policy"] as "live" });
        return ok({});
      }
      case "canvas.take-control": {
        const text = this.openText(given["canvasId"] as BlockId);
        this.#cancelled.add("run1");
        text.lease.set({ epoch: text.lease.get().epoch + 1, held: null });
        return ok({ epoch: text.lease.get().epoch, cancelledRunId: "run1" });
      }
      case "block.turns":
        return ok({
          turns: [
            { turnId: "turn1", actorName: "scribe", at: Date.now() - 60_000, undone: false },
            { turnId: "turn0", actorName: "scribe", at: Date.now() - 86_400_000, undone: true },
          ],
        });
      case "block.undo-mine":
      case "block.redo-mine":
        return err(refusal(name === "block.undo-mine" ? "NOTHING_TO_UNDO" : "NOTHING_TO_REDO"));
      case "turn.undo":
      case "turn.redo":
        return ok({ blocks: [] });
    }
  }

  async #reply(rootId: RootId, head: NodeId): Promise<void> {
    const runId = "run1";
    this.#cancelled.delete(runId);
    const state = (next: RunView["state"], more: Partial<RunView> = {}): void =>
      this.#setRun(rootId, { headNodeId: head, state: next, ...more });
    state({ type: "awaiting" }, { queued: false, liveBlocks: [] });
    await pause(300 * this.speed);
    state({ type: "requesting", attempt: 1, retryAt: null, lastFailure: null });
    await pause(400 * this.speed);
    if (this.fail !== "none") {
      state({
        type: "requesting",
        attempt: 2,
        retryAt: Date.now() + 2000 * this.speed,
        lastFailure: "connection reset",
      });
      await pause(2000 * this.speed);
      state({
        type: "error",
        kind: this.fail,
        detail: this.fail,
        message: this.fail === "auth" ? "401 invalid x-api-key" : "connect ECONNRESET 10.0.0.1:443",
      });
      return;
    }
    const live: LiveBlock[] = [];
    const stream = async (kind: BlockKind, words: string, metadata: JsonObject = {}): Promise<boolean> => {
      live.push(this.#liveBlock(kind, metadata));
      for (let at = 0; at < words.length; at += 4) {
        if (this.#cancelled.has(runId)) return false;
        const last = live.pop();
        if (last !== undefined) live.push({ ...last, text: words.slice(0, at + 4) });
        state({ type: "requesting", attempt: 1, retryAt: null, lastFailure: null }, { liveBlocks: [...live] });
        await pause(25 * this.speed);
      }
      return true;
    };
    const stopped = (words: string): void => {
      const node = this.addNode(
        rootId,
        head,
        { role: "assistant", interrupted: true, content: [{ type: "text", text: words }] },
        scribe,
      );
      this.#setRun(rootId, { headNodeId: node, state: { type: "idle" }, liveBlocks: [] });
    };
    if (
      !(await stream(
        "thinking",
        "The introduction repeats itself; I will read it first and then make one small patch.",
      ))
    )
      return stopped("");
    const words = "I’ll check out the canvas, read the first lines and tighten them.";
    if (!(await stream("text", words))) return stopped(live.at(-1)?.text ?? "");
    await stream("tool_call", "{}", { tool_name: "canvas_check_out" });
    const call = {
      type: "tool-use",
      id: fresh("call") as ToolCallId,
      name: "canvas_check_out",
      parameters: {},
    } as const;
    head = this.addNode(rootId, head, { role: "assistant", content: [{ type: "text", text: words }, call] }, scribe);
    state({ type: "running-tools", pending: [call], completed: [] }, { liveBlocks: [] });
    const canvas = this.texts.values().next().value;
    if (canvas === undefined) return;
    canvas.lease.set({
      epoch: canvas.lease.get().epoch + 1,
      held: { runId: runId as RunId, holderName: "scribe", expiresAt: Date.now() + 15_000 },
    });
    await pause(1200 * this.speed);
    head = this.addTool(rootId, head, call.id, call.name, { lease_id: "l" });
    state({ type: "requesting", attempt: 1, retryAt: null, lastFailure: null });
    for (const character of "\nA new line, typed by the agent while you watch.\n") {
      if (this.#cancelled.has(runId)) break;
      canvas.apply([{ from: canvas.length, to: canvas.length, insert: character }], 3, {
        type: "remote",
        actor: scribe,
      });
      canvas.presence.set([
        { clientId: "s", actor: scribe, selection: { anchor: canvas.length, head: canvas.length } },
        { clientId: "b", actor: bo, selection: { anchor: 30, head: 60 } },
      ]);
      await pause(30 * this.speed);
    }
    canvas.lease.set({ epoch: canvas.lease.get().epoch + 1, held: null });
    if (!(await stream("text", "Done. The introduction is **shorter** now, and the list has a new line at its end.")))
      return stopped(live.at(-1)?.text ?? "");
    head = this.addNode(
      rootId,
      head,
      { role: "assistant", content: [{ type: "text", text: live.at(-1)?.text ?? "" }] },
      scribe,
    );
    this.#setRun(rootId, { headNodeId: head, state: { type: "idle" }, liveBlocks: [] });
  }

  #liveBlock(kind: BlockKind, metadata: JsonObject): LiveBlock {
    return {
      text: "",
      header: {
        id: fresh("live") as BlockId,
        documentId: "live" as DocumentId,
        parentId: null,
        role: "assistant",
        kind,
        status: "running",
        version: 1,
        metadata,
        collapsed: false,
        excluded: false,
        createdAt: Date.now(),
        updatedAt: Date.now(),
      },
    };
  }

  #run(rootId: RootId): RunView | undefined {
    return this.#cell(rootId).get()?.runs[0];
  }
  #setRun(rootId: RootId, change: Partial<RunView>): void {
    const cell = this.#cell(rootId);
    const view = cell.get();
    if (view === null) return;
    const before = view.runs[0] ?? {
      runId: "run1" as RunId,
      headNodeId: null,
      turnId: "turn1" as TurnId,
      state: { type: "idle" },
      queued: false,
      liveBlocks: [],
    };
    cell.set({ ...view, runs: [{ ...before, ...change }] });
  }
  #changeRoot(rootId: RootId, change: Partial<ForestRoot>): void {
    const workspace = this.#workspace();
    this.workspace.set({
      ...workspace,
      roots: workspace.roots.map((root) => (root.id === rootId ? { ...root, ...change } : root)),
    });
    const cell = this.#cell(rootId);
    const view = cell.get();
    if (view !== null) cell.set({ ...view, root: { ...view.root, ...change } });
  }
  #find(nodeId: NodeId): ForestNode | undefined {
    for (const cell of this.conversations.values()) {
      const node = cell.get()?.nodesById.get(nodeId);
      if (node !== undefined) return node;
    }
    return undefined;
  }
  #cell(rootId: RootId): Cell<ConversationView | null> {
    const known = this.conversations.get(rootId);
    if (known !== undefined) return known;
    const cell = new Cell<ConversationView | null>(null);
    this.conversations.set(rootId, cell);
    return cell;
  }
  #workspace(): WorkspaceView {
    const workspace = this.workspace.get();
    if (workspace === null) throw new Error("no workspace");
    return workspace;
  }
}
