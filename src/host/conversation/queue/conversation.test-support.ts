import { openMemoryBlobs } from "../../../adapters/blobs/memory-blobs.ts";
import { createTokenEstimator } from "../../../adapters/tokens/token-estimator.ts";
import { openMemoryStore, type MemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryImage } from "../../../adapters/storage/memory/tables.ts";
import type { PersonActor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import type { ActorId, BlockId, DocumentId, NodeId, RootId, RunId } from "../../../core/base/ids.ts";
import type { Result } from "../../../core/base/result.ts";
import type { LiveEdit } from "../../../core/block/live-block.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { textOf, toolUses } from "../../../core/message/content.ts";
import { checkTranscript, openCalls } from "../../../core/message/transcript.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { ModelPrices } from "../../../core/model/prices.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { LanguageModel, ModelCatalogue, ModelInfo } from "../../../core/port/language-model.ts";
import type { Clock, Platform } from "../../../core/port/platform.ts";
import type { LeaseWrite, Store, StoreWrite } from "../../../core/port/store.ts";
import type { ToolFacts } from "../../../core/tool/base/facts.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import { BlobKeeper } from "../../blobs/blob-keeper.ts";
import { noCanvasContext, type CanvasContext } from "../../canvas/canvas-context.ts";
import type { RunRules } from "../base/conversation-ports.ts";
import type { Machine } from "../base/decide.ts";
import { openConversations } from "../open-conversations.ts";
import type { LeaseUsage, RunLeases } from "../../lease/types.ts";
import type { UnfinishedBlock, LiveBlocks, SealedBlock, ToolSource } from "../base/ports.ts";
import type { ToolCallSettings } from "../base/tool-syntax.ts";
import type { Conversations } from "../base/types.ts";

/** One step of a scripted reply: a part, or a pause. A `deaf` pause continues after an abort. */
export type ScriptStep = StreamPart | { readonly pauseMs: number; readonly deaf?: boolean };

/** Returns the steps of a scripted model's reply to a request; `turn` counts requests from 0. */
export type Script = (request: ModelRequest, turn: number) => readonly ScriptStep[];

/** Returns a whole reply in words. */
export function says(...texts: readonly string[]): readonly StreamPart[] {
  return [
    { type: "text-start", index: 0 },
    ...texts.map((text): StreamPart => ({ type: "text-delta", index: 0, text })),
    { type: "text-end", index: 0 },
    { type: "finished", reason: "end-turn", usage: noUsage },
  ];
}

export function calls(...names: readonly string[]): readonly ScriptStep[] {
  return [
    ...names.flatMap((name, index) => callParts(index, name, {})),
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
}

/** Returns a whole reply that calls one tool. */
export function callsWith(name: string, parameters: object): readonly StreamPart[] {
  return [...callParts(0, name, parameters), { type: "finished", reason: "tool-use", usage: noUsage }];
}

function callParts(index: number, name: string, parameters: object): readonly StreamPart[] {
  return [
    { type: "tool-call-start", index, id: `call-${name}`, name },
    { type: "tool-call-delta", index, text: JSON.stringify(parameters) },
    { type: "tool-call-end", index },
  ];
}

export function fails(failure: ModelFailure): readonly ScriptStep[] {
  return [{ type: "failed", failure }];
}

export const brokenLine: ModelFailure = { class: "network", message: "The line broke.", retryable: true };

export const info: ModelInfo = {
  id: "test/scripted",
  name: "Scripted",
  contextTokensMax: 100_000,
  outputTokensMax: 1_000,
  tools: true,
  thinking: false,
  local: true,
};

/** A second model that follows the same script. */
export const otherInfo: ModelInfo = { ...info, id: "other/voice", name: "Other voice" };

function scriptedModel(
  world: {
    readonly clock: Clock;
    script: Script;
    readonly requests: ModelRequest[];
  },
  info: ModelInfo,
): LanguageModel {
  return {
    info,
    api: "scripted",
    async *stream(request, signal) {
      const steps = world.script(request, world.requests.length);
      world.requests.push(request);
      for (const step of steps) {
        if (signal.aborted) break;
        if ("pauseMs" in step) await pause(world.clock, step.pauseMs, step.deaf === true ? null : signal);
        else yield step;
      }
      if (signal.aborted)
        yield { type: "failed", failure: { class: "cancelled", message: "Stopped.", retryable: false } };
    },
  };
}

export function pause(clock: Clock, ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.setTimer(ms, resolve);
    signal?.addEventListener("abort", () => {
      cancelTimer();
      resolve();
    });
  });
}

interface Shown {
  readonly kind: UnfinishedBlock["kind"];
  readonly metadata: UnfinishedBlock["metadata"];
  text: string;
  status: "running" | "done" | "error";
}

/** Live blocks as the document hub keeps them; appended text survives a crash. */
export class Journal implements LiveBlocks {
  readonly shownById: Map<BlockId, Shown>;
  /** What people changed in a block; its text is the merged one. */
  readonly editsById = new Map<BlockId, LiveEdit>();

  constructor(from: Iterable<readonly [BlockId, Shown]> = []) {
    this.shownById = new Map([...from].map(([id, shown]) => [id, { ...shown }]));
  }

  async open({ kind, metadata }: Parameters<LiveBlocks["open"]>[0]): Promise<BlockId> {
    const id = `live/${this.shownById.size + 1}` as BlockId;
    this.shownById.set(id, { kind, metadata, text: "", status: "running" });
    return id;
  }

  append(id: BlockId, text: string): void {
    must(this.shownById.get(id), "an open block").text += text;
  }

  async seal(id: BlockId): Promise<SealedBlock> {
    const { text } = must(this.shownById.get(id), "an open block");
    return { id, text, streamed: text.length, edit: this.editsById.get(id) ?? null };
  }

  async finish(id: BlockId, status: "done" | "error"): Promise<void> {
    const shown = must(this.shownById.get(id), "a block");
    if (shown.status === "running") shown.status = status;
  }

  remove: LiveBlocks["remove"] = async (_rootIds, commit) => commit((rootId) => rootId as string as DocumentId);

  async unfinished(): Promise<readonly UnfinishedBlock[]> {
    const left: UnfinishedBlock[] = [];
    for (const [id, shown] of this.shownById) {
      if (shown.status === "running") left.push({ ...shown, ...(await this.seal(id)) });
    }
    return left;
  }

  copy(): Journal {
    return new Journal(this.shownById);
  }
}

/**
 * Tools that log their calls. The beginning of a name selects what the tool does: `slow`, `fail`, `break`, `safe`,
 * `canvas`, `out`, `asking`.
 */
export class Workbench implements ToolSource {
  readonly log: string[];
  /** Calls that received an abort. */
  readonly aborted: string[] = [];
  /** The definition of a tool; another text is another tool. */
  definitionOf: (name: string) => string = (name) => name;
  readonly #clock: Clock;

  constructor(clock: Clock, log: readonly string[] = []) {
    this.#clock = clock;
    this.log = [...log];
  }

  definitions(): ReturnType<ToolSource["definitions"]> {
    return [{ name: "slow", description: "Takes a second.", inputSchema: { type: "object" } }];
  }

  facts(name: string): ToolFacts | null {
    if (name.startsWith("unknown")) return null;
    return {
      name,
      access: /^(?:write|canvas)/.test(name) ? "write" : "read",
      reach: {
        readsPrivate: name.includes("private"),
        bringsUntrusted: name.includes("untrusted"),
        outward: name.startsWith("out"),
      },
      idempotent: name.startsWith("safe"),
      definitionHash: this.definitionOf(name),
      ...(name.includes("shell") ? { eachCallApart: true } : {}),
    };
  }

  async run(...[call, { ask }, signal]: Parameters<ToolSource["run"]>): Promise<ToolAnswer> {
    this.log.push(`ran ${call.id}`);
    signal.addEventListener("abort", () => this.aborted.push(call.id));
    if (call.name.startsWith("asking")) {
      const questions = [{ question: `Who asks ${call.id}?`, options: [], multiple: false }] as const;
      const answers = (await ask?.({ asker: "files", questions })) ?? null;
      return { ok: true, content: { heard: answers?.[0]?.chosen[0] ?? "nothing" } };
    }
    if (/^(?:slow|safe|canvas)/.test(call.name)) await pause(this.#clock, 1_000, signal);
    // A process group takes time to end; some never do.
    if (call.name.includes("lingering")) await pause(this.#clock, 60, null);
    if (call.name.includes("stuck")) await pause(this.#clock, 1_000_000, null);
    if (signal.aborted) this.log.push(`stopped ${call.id}`);
    if (call.name.startsWith("break")) throw new Error("It broke.");
    if (call.name.startsWith("fail")) return { ok: false, content: { error: "It failed." }, code: "TOOL_FAILED" };
    return { ok: true, content: { did: call.name } };
  }
}

/** Leases of runs known only by name, with a log of how they ended and the times of their heartbeats. */
export class NamedLeases implements RunLeases {
  readonly leased = new Set<RunId>();
  /** The times of the heartbeats. Monotonic milliseconds. */
  readonly heartbeats: number[] = [];
  readonly #clock: Clock;
  readonly #log: string[];
  #epoch = 0;

  constructor(clock: Clock, log: string[]) {
    this.#clock = clock;
    this.#log = log;
  }

  preemptWrites(runIds: readonly RunId[]): readonly LeaseWrite[] {
    return runIds
      .filter((runId) => this.leased.has(runId))
      .map(() => ({ type: "preempt-lease", canvasId: "canvas" as BlockId, epoch: (this.#epoch += 1) }) as const);
  }

  async preempted(runIds: readonly RunId[]): Promise<void> {
    for (const runId of runIds) if (this.leased.delete(runId)) this.#log.push("preempted");
  }

  async releaseAll(runId: RunId): Promise<void> {
    if (this.leased.delete(runId)) this.#log.push("released");
  }

  grant(): undefined {
    return undefined;
  }

  /** Every run seems to work on a canvas. */
  usage(_runId: RunId): LeaseUsage {
    return { count: this.heartbeats.length, lastAt: this.#clock.monotonic() };
  }

  heartbeat(_runId: RunId): void {
    this.heartbeats.push(this.#clock.monotonic());
  }
}

export interface WorldOptions {
  readonly script?: Script;
  readonly image?: MemoryImage;
  readonly journal?: Journal;
  readonly toolLog?: readonly string[];
  readonly canvases?: CanvasContext;
  /** Answers instead of the scripted models. */
  readonly model?: LanguageModel;
  /** The rules of runs whose conversation sets none. */
  readonly rules?: RunRules;
  readonly toolCalls?: ToolCallSettings;
  /** Of the first model; the second's prices are unknown. */
  readonly prices?: ModelPrices;
  /** The window of both models. Tokens. */
  readonly window?: number;
  /** How far the clock is ahead of the epoch. Milliseconds. */
  readonly clockAhead?: number;
  /** The number of this server start, from 1: later starts create other ids. */
  readonly start?: number;
  /** How long interrupted runs wait before they go on; absent: they go on first. Milliseconds. */
  readonly restartsAfterMs?: number;
  /** How long nobody may open a conversation after the start. Milliseconds. */
  readonly opensAfterMs?: number;
  /** Replaces `transition`. */
  readonly machine?: Machine;
  /** Called before each commit. */
  readonly onCommit?: (writes: readonly StoreWrite[]) => "STORE_FULL" | null;
  /** Called before each read of the conversations; its exception is the read's. */
  readonly onRead?: (query: string) => void;
}

/** A server's conversations on a store in memory and a simulated clock. */
export class World {
  readonly clock: SimulatedClock = simulatedClock();
  readonly requests: ModelRequest[] = [];
  readonly errors: string[] = [];
  readonly ada: PersonActor = { type: "person", id: "ada" as ActorId, name: "Ada" };
  readonly store: MemoryStore;
  readonly journal: Journal;
  readonly tools: Workbench;
  readonly leases: NamedLeases;
  script: Script;
  onCommit: NonNullable<WorldOptions["onCommit"]>;
  onRead: NonNullable<WorldOptions["onRead"]>;
  #conversations: Conversations | null = null;

  private constructor(options: WorldOptions) {
    this.script = options.script ?? (() => says("hello"));
    this.onCommit = options.onCommit ?? (() => null);
    this.onRead = options.onRead ?? (() => {});
    this.store = openMemoryStore(options.image, { fault: (writes) => this.onCommit(writes) });
    this.journal = options.journal ?? new Journal();
    this.tools = new Workbench(this.clock, options.toolLog);
    this.leases = new NamedLeases(this.clock, this.tools.log);
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const world = new World(options);
    await world.clock.advance(options.clockAhead ?? 0);
    const random = seededRandom(options.start ?? (options.image === undefined ? 1 : 2));
    const { window = info.contextTokensMax, prices, restartsAfterMs, opensAfterMs } = options;
    const pause = (ms: number): Promise<void> => new Promise((resolve) => world.clock.setTimer(ms, resolve));
    const sized = { ...info, contextTokensMax: window };
    const first = prices === undefined ? sized : { ...sized, prices };
    const known =
      options.model === undefined
        ? [scriptedModel(world, first), scriptedModel(world, { ...otherInfo, contextTokensMax: window })]
        : [options.model];
    const models: ModelCatalogue = {
      list: () => known.map((model) => model.info),
      find: (id) => known.find((model) => model.info.id === id),
    };
    const logger: Platform["logger"] = {
      info: () => {},
      warn: (event) => void world.errors.push(event),
      error: (event) => void world.errors.push(event),
    };
    const { tools, leases, journal: blocks } = world;
    const store = withReadEvents(world.store, (query) => world.onRead(query));
    const platform = { clock: world.clock, random, logger };
    world.#conversations = await openConversations(
      {
        store,
        models,
        tools,
        leases,
        blocks,
        platform,
        canvases: options.canvases ?? noCanvasContext,
        blobs: new BlobKeeper(
          openMemoryBlobs(() => world.clock.now()),
          platform,
        ),
        tokens: createTokenEstimator(),
        thinking: "off",
        ...(options.machine === undefined ? {} : { machine: options.machine }),
        ...(restartsAfterMs === undefined ? {} : { restartsAfter: pause(restartsAfterMs) }),
        ...(opensAfterMs === undefined ? {} : { opensAfter: pause(opensAfterMs) }),
        ...(options.rules === undefined ? {} : { rules: options.rules }),
        ...(options.toolCalls === undefined ? {} : { toolCalls: options.toolCalls }),
      },
      { systemPrompt: "Be brief.", model: (options.model?.info ?? info).id, cwd: "/tmp" },
    );
    await world.clock.settle();
    return world;
  }

  get conversations(): Conversations {
    return must(this.#conversations, "a world that has started");
  }

  async newRoot(): Promise<RootId> {
    return accepted(await this.conversations.create({})).id;
  }

  async send(rootId: RootId, parentNodeId: NodeId | null, text: string): Promise<{ nodeId: NodeId; runId: RunId }> {
    const { nodeId, runId } = accepted(
      await this.conversations.messages.send(this.ada, { rootId, parentNodeId, text }),
    );
    return { nodeId: must(nodeId, "a message that was stored"), runId };
  }

  async runState(runId: RunId): Promise<string> {
    return must(await this.store.run(runId), "a run").state.type;
  }

  /** Returns the branch of a run, one short text per message. */
  async branch(runId: RunId): Promise<readonly string[]> {
    const { headNodeId } = must(await this.store.run(runId), "a run");
    return headNodeId === null ? [] : (await this.store.path(headNodeId)).map(lineOf);
  }

  /** Advances until nothing more happens. */
  async rest(): Promise<void> {
    await this.clock.settle();
    for (let rounds = 0; this.clock.timers > 0 && rounds < 100; rounds += 1) await this.clock.advance(1_000);
  }
}

/** Returns the same store, which reports each read before it happens. */
function withReadEvents(store: MemoryStore, onRead: (query: string) => void): Store {
  return new Proxy<Store>(store, {
    get(_store, query) {
      const method: unknown = Reflect.get(store, query);
      if (typeof method !== "function" || typeof query !== "string") return method;
      return async (...given: readonly unknown[]): Promise<unknown> => {
        if (query !== "commit") onRead(query);
        return Reflect.apply(method, store, given);
      };
    },
  });
}

export function accepted<Value>(result: Result<Value, { readonly code: string }>): Value {
  if (!result.ok) throw new Error(`refused: ${result.error.code}`);
  return result.value;
}

export function code(result: Result<unknown, { readonly code: string }>): string {
  return result.ok ? "ok" : result.error.code;
}

/** Describes a node in one line: who says what, and how it ended if it did not end well. */
export function lineOf({ message }: ForestNode): string {
  switch (message.role) {
    case "user":
    case "system":
      return `${message.role}: ${textOf(message)}`;
    case "assistant": {
      const asked = toolUses(message).map((use) => `[${use.id}]`);
      const cut = message.interrupted === true ? ["(interrupted)"] : [];
      return ["assistant:", textOf(message), ...asked, ...cut].filter((word) => word !== "").join(" ");
    }
    case "tool":
      return `tool ${message.tool_call_id}: ${message.outcome}`;
  }
}

/**
 * Returns the branches of a conversation that cannot be sent; with `openEnds`, branches whose last calls wait for
 * results are accepted.
 */
export async function brokenBranches(
  world: World,
  rootId: RootId,
  { openEnds = false }: { readonly openEnds?: boolean } = {},
): Promise<readonly string[]> {
  const broken: string[] = [];
  const nodes = await world.store.nodes(rootId);
  const parents = new Set(nodes.map((node) => node.parentId));
  for (const leaf of nodes.filter((node) => !parents.has(node.id))) {
    const path = await world.store.path(leaf.id);
    const messages = path.map((node) => node.message);
    const checked = openEnds ? openCalls(messages) : checkTranscript(messages);
    if (!checked.ok) broken.push(`${path.map(lineOf).join(" | ")}: ${checked.error.code}`);
  }
  return broken;
}
