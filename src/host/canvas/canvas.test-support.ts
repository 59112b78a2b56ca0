import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { ModelActor, PersonActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { ActorId, BlockId, NodeId, RequestId, RootId, RunId, TurnId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import type { CanvasRevision } from "../../core/block/canvas-revision.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { textOf } from "../../core/message/content.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { FailureClass } from "../../core/model/failure.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { LanguageModel, ModelCatalogue, ModelInfo } from "../../core/port/language-model.ts";
import type { Clock } from "../../core/port/platform.ts";
import { allFeatures } from "../../core/tool/registry.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Shell } from "../../core/port/shell.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import type { Author } from "../document/record/types.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";

/** What a scripted model does with one request. */
export type Move =
  | { readonly say: string }
  | { readonly call: string; readonly with?: JsonObject }
  | { readonly fail: FailureClass }
  /** Streams some text, and then nothing more until it is stopped. */
  | { readonly hang: string }
  /** A whole reply, unchanged. */
  | { readonly parts: readonly StreamPart[] };

/** What the model does next; `leaseId` comes from its last check-out in the request. */
export type Mind = (request: ModelRequest, leaseId: string) => Move | Promise<Move>;

const info: ModelInfo = {
  id: "test/editor",
  name: "Editor",
  contextTokensMax: 1_000_000,
  outputTokensMax: 1_000,
  tools: true,
  thinking: false,
  local: true,
};

export const ada: PersonActor = { type: "person", id: "ada" as ActorId, name: "Ada" };
export const bo: PersonActor = { type: "person", id: "bo" as ActorId, name: "Bo" };

interface StudioOptions {
  /** Whether agents know of canvases. */
  readonly canvas?: boolean;
  readonly gitOnly?: boolean;
}

/** Where a studio's models come from, and its clock. */
interface StudioGround {
  /** Models that act on the studio's mind through `play`; by default two that act on it directly. */
  readonly catalogue?: ModelCatalogue;
  readonly clock?: Clock;
  /** The workspace folder, and the shell that runs commands in it; none by default. */
  readonly folder?: { readonly files: FileTree; readonly shell: Shell };
}

/** A workspace with one canvas, one conversation about it, and a scripted model. */
export class Studio {
  readonly requests: ModelRequest[] = [];
  mind: Mind = () => ({ say: "Well." });
  store: MemoryStore;
  #workspace: Workspace | null = null;
  #calls = 0;
  rootId = "" as RootId;
  canvasId = "" as BlockId;

  #ground: StudioGround;

  private constructor(store: MemoryStore, ground: StudioGround) {
    this.store = store;
    this.#ground = ground;
  }

  static async open(text = "one\ntwo\nthree\n", ground: StudioGround = {}): Promise<Studio> {
    const studio = new Studio(openMemoryStore(), ground);
    await studio.start();
    studio.canvasId = await studio.newCanvas("Plan", text);
    const made = await studio.workspace.conversations.create({ canvasId: studio.canvasId });
    studio.rootId = accepted(made).id;
    return studio;
  }

  get workspace(): Workspace {
    return must(this.#workspace, "a studio that is open");
  }

  async newCanvas(title: string, text: string): Promise<BlockId> {
    return accepted(await this.workspace.createCanvas(await this.author(ada), { title, text }));
  }

  /** Kills the process at once, and opens the stored data in another one. */
  async crash(options: StudioOptions = {}): Promise<void> {
    const image = this.store.image();
    await this.workspace.close();
    this.store = openMemoryStore(image);
    await this.start(options);
  }

  /** Opens the stored data in another process, where the folder is read again. */
  async reopen(folder: StudioGround["folder"]): Promise<void> {
    this.#ground = { ...this.#ground, ...(folder && { folder }) };
    await this.start();
  }

  close(): Promise<void> {
    return this.workspace.close();
  }

  /** Writes this text to the canvas as a person. */
  async write(text: string, actor: PersonActor = ada, canvasId: BlockId = this.canvasId): Promise<void> {
    const plan = ({ text: before }: { readonly text: string }) =>
      ({ ok: true, value: { changes: diffChanges(before, text) } }) as const;
    accepted(await this.workspace.hub.editor.editWith(await this.author(actor), canvasId, plan));
  }

  /** An agent's write that arrives after its turn has ended. */
  async writeAsModel(text: string, turn: { readonly runId: RunId; readonly turnId: TurnId }): Promise<void> {
    const actor: ModelActor = { type: "model", id: "model:editor" as ActorId, name: "Editor", model: info.id, ...turn };
    const author = this.workspace.author(actor, await this.workspace.replicas.forRun(actor));
    const plan = ({ text: before }: { readonly text: string }) =>
      ({ ok: true, value: { changes: diffChanges(before, text) } }) as const;
    accepted(await this.workspace.hub.editor.editWith(author, this.canvasId, plan));
  }

  async text(canvasId: BlockId = this.canvasId): Promise<string> {
    return accepted(await this.workspace.hub.reader.read(canvasId)).text;
  }

  async send(text: string, parentNodeId?: NodeId | null): Promise<RunId> {
    const { conversations } = this.workspace;
    const parent = parentNodeId === undefined ? ((await this.nodes()).at(-1)?.id ?? null) : parentNodeId;
    return accepted(await conversations.messages.send(ada, { rootId: this.rootId, parentNodeId: parent, text })).runId;
  }

  /** Sends a message and waits until the turn is over. */
  async ask(text: string, parentNodeId?: NodeId | null): Promise<RunId> {
    const runId = await this.send(text, parentNodeId);
    await this.rest();
    return runId;
  }

  /** Waits until no run is active. */
  async rest(): Promise<void> {
    await this.until((states) => states.every((state) => state));
  }

  /** Waits until `wished` accepts the conversation's runs, each given by whether it is idle. */
  async until(wished: (resting: readonly boolean[]) => boolean): Promise<void> {
    const resting = async () => (await this.store.runs(this.rootId)).map(({ state }) => isSettled(state));
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => void resting().then((now) => (wished(now) ? resolve() : undefined));
    const stop = accepted(await this.workspace.conversations.watch(this.rootId, 0, { snapshot: look, deliver: look }));
    await promise;
    stop();
  }

  async nodes(): Promise<readonly ForestNode[]> {
    return this.store.nodes(this.rootId);
  }

  /** Returns the branch that ends in the newest node, or in `end`. */
  async path(end?: NodeId): Promise<readonly ForestNode[]> {
    const id = end ?? (await this.nodes()).at(-1)?.id;
    return id === undefined ? [] : this.store.path(id);
  }

  /** Returns the branch as text: who says what; for a canvas update, who changed the canvas. */
  async told(end?: NodeId): Promise<readonly string[]> {
    return (await this.path(end)).map(({ message }) => {
      if (message.role === "user" && message.update !== undefined)
        return `canvas: ${message.update.changedBy.join(", ")}`;
      return message.role === "tool"
        ? `${message.tool_name}: ${message.outcome}`
        : `${message.role}: ${textOf(message)}`;
    });
  }

  /** Returns the canvas updates of the branch. */
  async updates(end?: NodeId): Promise<readonly string[]> {
    const path = await this.path(end);
    return path.flatMap(({ message }) =>
      message.role === "user" && message.update !== undefined ? [textOf(message)] : [],
    );
  }

  /** Newest first. */
  revisions(): Promise<readonly CanvasRevision[]> {
    return this.store.revisions({ canvasId: this.canvasId, beforeVersion: null, limit: 100 });
  }

  /** Returns an author for a person's next act, in an undo unit of its own. */
  async author(actor: PersonActor): Promise<Author> {
    return this.workspace.author(actor, await this.workspace.replicas.forClient(`page-${actor.id}`, actor));
  }

  /** Opens the workspace of the store. */
  async start({ canvas = true, gitOnly = false }: StudioOptions = {}): Promise<void> {
    const model: LanguageModel = {
      info,
      api: "test",
      stream: (request, signal) => this.play(request, signal),
    };
    const second: LanguageModel = { ...model, info: { ...info, id: "other/voice", name: "Voice" } };
    const known = [model, second];
    const platform = systemPlatform();
    const quiet = { info: () => {}, warn: () => {}, error: () => {} };
    this.#workspace = await openWorkspace({
      store: this.store,
      catalogue: this.#ground.catalogue ?? {
        list: () => known.map((each) => each.info),
        find: (id) => known.find((each) => each.info.id === id),
      },
      platform: { ...platform, logger: quiet, clock: this.#ground.clock ?? platform.clock },
      cwd: "/tmp",
      ...this.#ground.folder,
      features: { ...allFeatures, canvas },
      gitOnly,
      welcome: false,
    });
  }

  /** Streams the mind's move for a request. */
  async *play(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamPart> {
    this.requests.push(request);
    const move = await this.mind(request, leaseIn(request));
    if ("fail" in move) {
      yield { type: "failed", failure: { class: move.fail, message: "It failed.", retryable: false } };
      return;
    }
    if ("parts" in move) {
      yield* move.parts;
      return;
    }
    if ("call" in move) {
      this.#calls += 1;
      yield { type: "tool-call-start", index: 0, id: `call-${this.#calls}`, name: move.call };
      yield { type: "tool-call-delta", index: 0, text: JSON.stringify(move.with ?? {}) };
      yield { type: "tool-call-end", index: 0 };
      yield { type: "finished", reason: "tool-use", usage: noUsage };
      return;
    }
    yield { type: "text-start", index: 0 };
    yield { type: "text-delta", index: 0, text: "say" in move ? move.say : move.hang };
    yield { type: "text-end", index: 0 };
    if ("say" in move) {
      yield { type: "finished", reason: "end-turn", usage: noUsage };
      return;
    }
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    yield { type: "failed", failure: { class: "cancelled", message: "Stopped.", retryable: false } };
  }
}

/** A mind that makes its moves in order, and then says that it is done. */
export function inOrder(...moves: readonly (Move | ((leaseId: string) => Move))[]): Mind {
  let next = 0;
  return (_request, leaseId) => {
    const move = moves[next] ?? { say: "Done." };
    next += 1;
    return typeof move === "function" ? move(leaseId) : move;
  };
}

export const checkOut: Move = { call: "canvas_check_out" };

/** Replaces the line with this number, counted from 1. */
export function patches(line: number, from: string, to: string): (leaseId: string) => Move {
  return (leaseId) => ({
    call: "canvas_apply_patch",
    with: { lease_id: leaseId, patch: `@@ -${line} +${line} @@\n-${from}\n+${to}\n` },
  });
}

export function accepted<Value>(result: Result<Value, { readonly code: string; readonly message: string }>): Value {
  if (!result.ok) throw new Error(`refused: ${result.error.code} ${result.error.message}`);
  return result.value;
}

export function requestIdOf(name: string): RequestId {
  return name as RequestId;
}

function leaseIn({ messages }: ModelRequest): string {
  const result = messages.findLast((message) => message.role === "tool" && message.lease_id !== undefined);
  return result?.role === "tool" ? (result.lease_id ?? "") : "";
}
