import { unreachable } from "../../core/base/assert.ts";
import type { BlockId, TurnId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { toolUses } from "../../core/message/content.ts";
import { estimateInputTokens } from "../../core/message/tokens.ts";
import type { Message } from "../../core/message/types.ts";
import type { FailureClass } from "../../core/model/failure.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { LanguageModel, ModelCatalogue } from "../../core/port/language-model.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { EffectRecord, RunRecord, Store } from "../../core/port/store.ts";
import type { TokenEstimate, TokenEstimator } from "../../core/port/token-estimator.ts";
import type { ForestNode, ForestRoot, ModelRequestFacts } from "../../core/forest/types.ts";
import type { Syntax } from "../../core/syntax/syntax.ts";
import type { ToolAnswer } from "../../core/tool/types.ts";
import type { TurnEffect } from "../../core/turn/effect.ts";
import type { TurnEvent } from "../../core/turn/event.ts";
import type { ToolCall } from "../../core/turn/state.ts";
import { resultWithBlobs } from "../blobs/attachments.ts";
import type { BlobKeeper } from "../blobs/blob-keeper.ts";
import type { CanvasNews } from "../canvas/canvas-news.ts";
import { modelActor, type ActingTurn } from "./actors.ts";
import { modelRequest } from "./model-request.ts";
import type { LiveBlocks, LiveBlockSeed, ToolContext, ToolHost } from "./ports.ts";
import { wasTooLong, withoutLargeResults } from "./large-results.ts";
import { LiveResult } from "./live-result.ts";
import { abortGraceMs, originOf, type EndedReply, type ReplyJob } from "./reply-stream.ts";
import { replyOrResend } from "./safe-resend.ts";
import { brokenTool, toolMessage } from "./tool-result.ts";
import { callIdPrefix, toolCallingOf, type ToolCallSettings } from "./tool-syntax.ts";
import { settingsOfTurn, withSettings } from "./turn-settings.ts";

/** How long to wait before something is tried again that the disk refused. Milliseconds. */
export const storeRetryMs = 1_000;

/** How often a model may call tools in one turn before a person is asked whether it is to go on. */
export const toolRoundsMax = 200;
const tooManyRounds = `The agent called tools ${toolRoundsMax} times without an end. Retry lets it go on; or send a message.`;

/** What conversations work with. */
export interface ConversationPorts {
  readonly store: Store;
  readonly models: ModelCatalogue;
  readonly tools: ToolHost;
  readonly blocks: LiveBlocks;
  readonly platform: Platform;
  /** What their models are told of canvases. */
  readonly canvases: CanvasNews;
  /** Images and files that messages name. */
  readonly blobs: BlobKeeper;
  readonly tokens: TokenEstimator;
  /** How much models think that can. */
  readonly thinking: ModelRequest["thinking"];
  /** How models call tools for which nothing else was said; by default each in its own way. */
  readonly toolCalls?: ToolCallSettings;
}

/** Something that a run has set in motion and that has not reported yet. A run has at most one. */
export interface Activity {
  readonly controller: AbortController;
  /** Resolves when nothing of it goes on. */
  settled: Promise<void>;
}

/** How what was set in motion reports back to the conversation's queue. */
export interface Reports {
  /**
   * The activity's outcome, and how the model was asked where it is a reply; dropped when the activity is not the run's
   * own any more.
   */
  readonly event: (activity: Activity, event: TurnEvent, request?: ModelRequestFacts) => void;
  /** A live block that shows the activity's progress. */
  readonly block: (activity: Activity, id: BlockId) => void;
  /** Writes the intent row of an effect; false when the disk refuses now. */
  readonly intent: (effectId: string) => Promise<boolean>;
  /** Does something in the conversation's queue, if the activity is still the run's own by then. */
  readonly again: (activity: Activity, job: () => Promise<void>) => void;
}

/** Where a run stands when an effect is performed. */
export interface Scene {
  readonly run: RunRecord;
  readonly root: ForestRoot;
  readonly turn: ActingTurn;
}

/** Names the syntax of calls that stand in the text. */
function syntaxFacts<Key extends string>({ id, tier }: Syntax, key: Key): { readonly [Name in Key]?: string } {
  return tier === "native" ? {} : ({ [key]: id } as { readonly [Name in Key]: string });
}

/** How often a turn has called tools so far. */
function roundsOf(turnId: TurnId, path: readonly ForestNode[]): number {
  return path.filter(({ message, turnId: own }) => {
    return own === turnId && message.role === "assistant" && toolUses(message).length > 0;
  }).length;
}

/** The event with what the reply has cost as far as one can tell: the provider would have told at the stream's end. */
function withEstimatedUsage(event: EndedReply["event"], input: TokenEstimate): EndedReply["event"] {
  if (event.type !== "response-finished") return event;
  const outputTokens = event.message === null ? 0 : estimateInputTokens([event.message]);
  return { ...event, usage: { ...event.usage, inputTokens: Math.ceil(input.expected), outputTokens } };
}

/** How a model is asked, but for the path. */
interface Asked {
  readonly attempt: number;
  readonly model: LanguageModel;
  readonly calling: NonNullable<ReplyJob["calling"]>;
  readonly system: string;
}

interface Replied {
  readonly event: TurnEvent;
  readonly request?: ModelRequestFacts;
}

/** Carries out the effects of one run, after their transaction and its broadcast; each reports back as an event. */
export class RunPerformer {
  readonly #ports: ConversationPorts;
  readonly #reports: Reports;
  #activity: Activity | null = null;

  constructor(ports: ConversationPorts, reports: Reports) {
    this.#ports = ports;
    this.#reports = reports;
  }

  /** Whether this is what the run is doing now. */
  isCurrent(activity: Activity): boolean {
    return this.#activity === activity;
  }

  /** The activity has reported. */
  settle(): void {
    this.#activity = null;
  }

  /** Gives the activity up without waiting for its end. */
  drop(): void {
    this.#activity?.controller.abort();
    this.#activity = null;
  }

  async perform(scene: Scene, effect: TurnEffect, record: EffectRecord | null): Promise<void> {
    switch (effect.type) {
      case "prepare-request":
        return this.#reports.event(this.#begin(), { type: "request-prepared" });
      case "request-model":
        return this.#requestModel(scene, effect.attempt);
      case "run-tool":
        return this.#runTool(scene, effect.call, record?.id ?? "");
      case "schedule-retry":
        return this.#scheduleRetry(effect.attempt, effect.delayMs);
      case "abort-request":
        // The stream still reports what was shown.
        return this.#activity?.controller.abort();
      case "abort-tool":
        return this.#abortTool();
      case "release-leases":
        return this.#ports.tools.releaseLeases(scene.run.id);
      case "save-message":
      case "save-state":
      case "notify":
      case "preempt-leases":
        // Part of the transaction.
        return;
      default:
        return unreachable(effect);
    }
  }

  /** Ends whatever goes on and waits for it; nothing is reported. */
  async stop(): Promise<void> {
    const activity = this.#activity;
    this.drop();
    await activity?.settled;
  }

  #begin(): Activity {
    const activity: Activity = { controller: new AbortController(), settled: Promise.resolve() };
    this.#activity = activity;
    return activity;
  }

  #requestModel(scene: Scene, attempt: number): void {
    const activity = this.#begin();
    activity.settled = this.#reply(scene, attempt, activity).then(({ event, request }) =>
      this.#reports.event(activity, event, request),
    );
  }

  async #reply(scene: Scene, attempt: number, activity: Activity): Promise<Replied> {
    const { store, models, tools, canvases, toolCalls = {} } = this.#ports;
    const { run, root, turn } = scene;
    const failed = (failureClass: FailureClass, message: string): Replied =>
      this.#failed(attempt, failureClass, message);
    try {
      const model = models.find(turn.model);
      if (model === undefined) {
        return failed("invalid-request", `There is no model ${turn.model} here; choose another one.`);
      }
      const nodes = run.headNodeId === null ? [] : await store.path(run.headNodeId);
      if (roundsOf(turn.turnId, nodes) >= toolRoundsMax) return failed("unknown", tooManyRounds);
      const calling = toolCallingOf(root, model, toolCalls);
      if (!calling.ok) return failed("invalid-request", calling.error.message);
      const { syntax } = calling.value;
      const offered = tools.definitions({ rootId: root.id, canvasId: root.canvasId });
      // A model that cannot call is not told how.
      const calls = model.info.tools || syntax.tier !== "native";
      const explained = calls && offered.length > 0 ? [tools.prompt?.(root) ?? ""] : [];
      const path = canvases.sent(nodes.map((node) => node.message));
      const asked: Asked = {
        attempt,
        model,
        calling: { ...calling.value, tools: offered, callIdPrefix: callIdPrefix(nodes) },
        system: [root.systemPrompt, ...explained].filter((part) => part !== "").join("\n\n"),
      };
      const replied = await this.#ask(scene, activity, { ...asked, path });
      const shorter = wasTooLong(replied.event) ? withoutLargeResults(path) : null;
      return shorter === null ? replied : await this.#ask(scene, activity, { ...asked, path: shorter });
    } catch (problem) {
      return failed("unknown", reasonOf(problem));
    }
  }

  async #ask(
    scene: Scene,
    activity: Activity,
    { attempt, model, calling, system, path }: Asked & { readonly path: readonly Message[] },
  ): Promise<Replied> {
    const { store, tools, blocks, platform, thinking } = this.#ports;
    const { run, turn } = scene;
    const prepared = await modelRequest(
      {
        info: model.info,
        system,
        path,
        tools: calling.tools,
        calling,
        thinking,
      },
      this.#ports,
    );
    if (!prepared.ok) {
      platform.logger.error("transcript-refused", { runId: run.id, code: prepared.error.code });
      return this.#failed(attempt, "transcript", prepared.error.message);
    }
    const settings = await settingsOfTurn(store, turn.turnId);
    const request = withSettings(prepared.value.request, settings);
    tools.heartbeat(run.id);
    const job = {
      model,
      request,
      calling,
      attempt,
      signal: activity.controller.signal,
      clock: platform.clock,
      blocks,
      seed: this.#seed(scene, { attempt, ...originOf(model), ...syntaxFacts(calling.syntax, "tool_syntax") }),
      onActivity: () => tools.heartbeat(run.id),
      onBlock: (id: BlockId) => this.#reports.block(activity, id),
      onBlockLost: (problem: unknown) => this.#blockLost(problem),
    };
    const {
      event: ended,
      stop,
      unmetered,
      resent,
    } = await replyOrResend(job, ({ status }) =>
      platform.logger.error("transcript-resent", { runId: run.id, model: turn.model, status }),
    );
    const event = unmetered === true ? withEstimatedUsage(ended, prepared.value.estimate) : ended;
    if (ended.type === "response-finished")
      this.#ports.tokens.learn(model.info.id, prepared.value.estimate, ended.usage.inputTokens);
    return {
      event,
      request: {
        model: turn.model,
        ...settings,
        ...(calling.tools.length === 0 ? {} : { tools: calling.tools.map((tool) => tool.name) }),
        ...syntaxFacts(calling.syntax, "toolSyntax"),
        ...(stop === undefined ? {} : { stop }),
        ...(resent ? { resent: "safe" as const } : {}),
      },
    };
  }

  #failed(attempt: number, failureClass: FailureClass, message: string): Replied {
    const failure = { class: failureClass, message, retryable: false };
    return {
      event: { type: "response-failed", attempt, failure, partial: null, now: this.#ports.platform.clock.now() },
    };
  }

  async #runTool(scene: Scene, call: ToolCall, effectId: string): Promise<void> {
    const activity = this.#begin();
    if (!(await this.#reports.intent(effectId))) {
      // Nothing has happened yet, so it is tried until the disk takes the intent or somebody cancels.
      this.#after(storeRetryMs, activity, () =>
        this.#reports.again(activity, () => this.#runTool(scene, call, effectId)),
      );
      return;
    }
    if (this.isCurrent(activity)) activity.settled = this.#toolRun(scene, call, activity);
  }

  async #toolRun(scene: Scene, call: ToolCall, activity: Activity): Promise<void> {
    const { tools } = this.#ports;
    const { run } = scene;
    tools.heartbeat(run.id);
    const shown = this.#liveResult(scene, call, activity);
    const answer = await this.#answer(scene, call, activity.controller.signal, (text) => {
      if (this.isCurrent(activity)) shown.progress(text);
    });
    const result = await resultWithBlobs(this.#ports.blobs, toolMessage(call, answer));
    tools.heartbeat(run.id);
    await shown.finish(result);
    this.#reports.event(activity, { type: "tool-finished", callId: call.id, result });
  }

  async #answer(
    { run, root, turn }: Scene,
    call: ToolCall,
    signal: AbortSignal,
    progress: ToolContext["progress"],
  ): Promise<ToolAnswer> {
    const { tools, models, platform } = this.#ports;
    try {
      const actor = modelActor(turn, models, call.id);
      const { canvasId, cwd, id: rootId } = root;
      const context = { rootId, runId: run.id, turnId: turn.turnId, actor, canvasId, cwd, progress };
      return await tools.run(call, context, signal);
    } catch (problem) {
      platform.logger.error("tool-broke", { runId: run.id, tool: call.name });
      return brokenTool(problem);
    }
  }

  #liveResult(scene: Scene, call: ToolCall, activity: Activity): LiveResult {
    const seed = this.#seed(scene, { tool_name: call.name, tool_call_id: call.id });
    return new LiveResult(
      { ...seed, kind: "tool_result", role: "tool" },
      {
        blocks: this.#ports.blocks,
        onBlock: (id) => this.#reports.block(activity, id),
        onLost: (problem) => this.#blockLost(problem),
      },
    );
  }

  /** A process that was started is gone before anything else is performed; one that will not go is left behind. */
  async #abortTool(): Promise<void> {
    const activity = this.#activity;
    if (activity === null) return;
    this.drop();
    const { promise: grace, resolve } = Promise.withResolvers<void>();
    const cancelTimer = this.#ports.platform.clock.setTimer(abortGraceMs, resolve);
    await Promise.race([activity.settled, grace]);
    cancelTimer();
  }

  #scheduleRetry(attempt: number, delayMs: number): void {
    const activity = this.#begin();
    this.#after(delayMs, activity, () => this.#reports.event(activity, { type: "retry-due", attempt }));
  }

  #after(delayMs: number, activity: Activity, then: () => void): void {
    const cancelTimer = this.#ports.platform.clock.setTimer(delayMs, then);
    activity.controller.signal.addEventListener("abort", cancelTimer, { once: true });
  }

  #seed({ root, run, turn }: Scene, facts: LiveBlockSeed["metadata"]): Omit<LiveBlockSeed, "kind" | "role"> {
    const metadata = { run_id: run.id, turn_id: turn.turnId, ...facts };
    return { rootId: root.id, actor: modelActor(turn, this.#ports.models), metadata };
  }

  #blockLost(problem: unknown): void {
    const reason = reasonOf(problem);
    this.#ports.platform.logger.warn("live-block-lost", { reason });
  }
}
