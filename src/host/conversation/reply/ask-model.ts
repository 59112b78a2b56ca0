import { spawnDescription } from "../../../core/tool/agent/spawn-sub-agents.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { toolUses } from "../../../core/message/content.ts";
import { estimateInputTokens } from "../../../core/message/tokens.ts";
import type { Message } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StopReason } from "../../../core/model/stream-part.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import type { AskedSettings } from "../../../core/port/store.ts";
import type { TokenEstimate } from "../../../core/port/token-estimator.ts";
import type { Syntax } from "../../../core/syntax/base/syntax.ts";
import { ToolTable, type SyntaxTool } from "../../../core/syntax/base/tools.ts";
import { contextWarning } from "../../../core/turn/state/context.ts";
import type { ReplyFacts, TurnEvent } from "../../../core/turn/event/event.ts";
import type { TurnKind } from "../../../core/tool/base/types.ts";
import { familiesInUse } from "../../../core/tool/families-in-use.ts";
import type { Asking } from "../../../core/turn/state/state.ts";
import { isToolOff } from "../../../core/tool/tools-off.ts";
import { isPassing } from "../../base/store-refusal.ts";
import type { Activity } from "../base/activities.ts";
import { wasContextWarned } from "./context-warned.ts";
import { fallbackOf } from "../base/models-of-turn.ts";
import type { BesideReply, ConversationPorts, Reports, EffectContext } from "../base/conversation-ports.ts";
import { isTooLong, wasTooLong, withoutLargeResults } from "./large-results.ts";
import { messagesWithNames, steeringPrompt } from "./speakers.ts";
import type { LeaseHold, LeaseWork } from "./lease-hold.ts";
import { liveSeed } from "./live-seed.ts";
import { modelRequest } from "./model-request.ts";
import { originOf, type EndedReply, type ReplyJob } from "./reply-stream.ts";
import { contextOf } from "../base/run-context.ts";
import { fittingTools } from "./fitting-tools.ts";
import { replyOrResend, type ResentReply } from "./safe-resend.ts";
import { modelCanvas, withoutSwitchedOff } from "./model-canvas.ts";
import { beforeTurn } from "./before-turn.ts";
import { callIdPrefix, toolCallingOf } from "../base/tool-syntax.ts";
import { submitTool, turnTools } from "./turn-tools.ts";
import { withSettings } from "../base/turn-settings.ts";

/** What is requested, and the number of the attempt. */
export interface ModelAttempt {
  readonly attempt: number;
  readonly asking: Asking;
}

/** The outcome of a request, with what is stored beside its message. */
export interface Replied extends BesideReply {
  readonly event: TurnEvent;
}

/** How a model is asked, apart from the path. */
interface Asked extends ModelAttempt {
  readonly model: LanguageModel;
  readonly calling: NonNullable<ReplyJob["calling"]>;
  readonly system: string;
  readonly thinking: ModelRequest["thinking"];
  readonly work: LeaseWork;
  /** Whether people have been notified that the branch is nearly full. */
  readonly contextWarned: () => boolean;
}

/** Sends the request of one run, streams the reply and reports how it ended. Never throws. */
export class ModelAsker {
  readonly #ports: ConversationPorts;
  readonly #reports: Reports;
  readonly #hold: LeaseHold;

  constructor(ports: ConversationPorts, reports: Reports, hold: LeaseHold) {
    this.#ports = ports;
    this.#hold = hold;
    this.#reports = reports;
  }

  async ask(context: EffectContext, wish: ModelAttempt, activity: Activity): Promise<Replied> {
    const { models } = this.#ports;
    const { model } = context.turn;
    const { id: runId } = context.run;
    let work: LeaseWork | null = null;
    try {
      work = await this.#hold.beginRequest(runId, activity.controller.signal);
      const attempt = { ...wish, work };
      // A local server may run the model with another window than before.
      await models.refresh?.(model);
      const windowOf = (): number | null | undefined => models.find(model)?.info.contextTokensMax;
      const window = windowOf();
      const replied = await this.#askFitted(context, attempt, activity);
      // A refusal may have taught the window; what is sent is fitted to it once.
      const isNews = isTooLong(replied.event) && windowOf() !== window;
      const last = isNews ? await this.#askFitted(context, attempt, activity) : replied;
      // What follows words needs no canvas.
      if (isInWords(last.event)) await this.#ports.leases.releaseAll(runId);
      return this.#withFallback(context, last);
    } catch (problem) {
      return this.#failed(wish.attempt, "unknown", reasonOf(problem), isPassing(problem));
    } finally {
      work?.end();
    }
  }

  /** Adds to a failure the model that may be asked next. */
  #withFallback({ run, turn }: EffectContext, replied: Replied): Replied {
    const { event } = replied;
    if (event.type !== "response-failed") return replied;
    const fallback = fallbackOf(this.#ports.models, run.settings?.fallbacks ?? [], turn.model);
    return fallback === null ? replied : { ...replied, event: { ...event, fallback } };
  }

  /** Asks with the tools that fit the window; once more without large results where the request is too long. */
  async #askFitted(
    context: EffectContext,
    wish: ModelAttempt & Pick<Asked, "work">,
    activity: Activity,
  ): Promise<Replied> {
    const { store, models, tools, canvases, thinking, toolCalls = {} } = this.#ports;
    const { run, root, turn } = context;
    const { attempt, asking } = wish;
    const model = models.find(turn.model);
    if (model === undefined) {
      const message = `The model ${turn.model} is not available here. Choose another model.`;
      return this.#failed(attempt, "invalid-request", message);
    }
    const calling = toolCallingOf(root, model, toolCalls);
    if (!calling.ok) return this.#failed(attempt, "invalid-request", calling.error.message);
    const { syntax } = calling.value;
    const { toolsOff = [] } = root.replies ?? {};
    const { kind } = contextOf(run);
    const { id: rootId, canvasId, folderId = null } = root;
    const { turnId } = turn;
    await tools.ready?.(activity.controller.signal, { rootId, canvasId, folderId, kind, turnId });
    const nodes = run.headNodeId === null ? [] : await store.path(run.headNodeId);
    const inUse = familiesInUse(beforeTurn(nodes, turnId));
    const all = this.#offered(context, { asking, inUse });
    // A model that cannot call tools is not told how to.
    const calls = model.info.tools || syntax.tier !== "native";
    const explained =
      calls && all.length > 0
        ? explanation(tools.prompt?.({ canvasId, folderId, kind, inUse, off: toolsOff }), kind)
        : "";
    const notes = tools.notes?.({ folderId, turnId }) ?? "";
    const told = {
      system: canvases.system(root.systemPrompt, modelCanvas(root)),
      explained: [explained, notes].filter((part) => part !== "").join("\n\n"),
      tools: all,
    };
    // A sub-agent can end only through a tool.
    const fitting = kind === "conversation" ? fittingTools(told, model.info.contextTokensMax) : told;
    const path = withoutSwitchedOff(root, canvases.sent(messagesWithNames(nodes)));
    const asked: Asked = {
      ...wish,
      model,
      calling: { ...calling.value, tools: fitting.tools, callIdPrefix: callIdPrefix(nodes) },
      system: [fitting.system, fitting.explained].filter((part) => part !== "").join("\n\n"),
      thinking: nodes.some((node) => node.turnId === turn.turnId && lostThinking(node))
        ? "off"
        : (root.replies?.thinking ?? (model.info.thinking ? thinking : "off")),
      contextWarned: () => wasContextWarned(nodes, turn.turnId, (id) => models.find(id)?.info.contextTokensMax),
    };
    const replied = await this.#ask(context, activity, { ...asked, path });
    const shorter = isTooLong(replied.event) ? withoutLargeResults(path) : null;
    return shorter === null ? replied : await this.#ask(context, activity, { ...asked, path: shorter });
  }

  /**
   * Returns the tools described to the model. They are the same where it may call none, so that the request keeps the prefix
   * of the request before it.
   */
  #offered(
    { run, root, turn }: EffectContext,
    { asking, inUse }: { readonly asking: Asking; readonly inUse: ReturnType<typeof familiesInUse> },
  ): readonly SyntaxTool[] {
    if (asking === "submission") return [submitTool.definition];
    const { kind } = contextOf(run);
    const { id: rootId, canvasId, folderId = null } = root;
    const { tools } = this.#ports;
    const offered = tools.definitions({
      rootId,
      canvasId,
      folderId,
      kind,
      turnId: turn.turnId,
      inUse,
      off: root.replies?.toolsOff ?? [],
    });
    // A model without tools can ask people in plain text; a sub-agent ends through a tool.
    if (offered.length === 0 && kind === "conversation") return [];
    const helpers = tools.definitions({ rootId, canvasId: null, folderId, kind: "sub-agent" }).map(({ name }) => name);
    const own = turnTools(kind).filter(({ asks }) => asks !== "agents" || helpers.length > 0);
    const all = [
      ...offered,
      ...own.map(({ asks, definition }) =>
        asks === "agents" ? { ...definition, description: spawnDescription(helpers) } : definition,
      ),
    ];
    const { toolsOff = [] } = root.replies ?? {};
    // A sub-agent can end only through a tool.
    return all.filter(({ name }) => name === submitTool.spec.name || !isToolOff(name, toolsOff));
  }

  async #ask(
    context: EffectContext,
    activity: Activity,
    asked: Asked & { readonly path: readonly Message[] },
  ): Promise<Replied> {
    const { attempt, asking, model, calling, system, thinking, path } = asked;
    const { blocks, platform, whenFull = "refuse" } = this.#ports;
    const { run, turn } = context;
    const wished = run.settings?.maxTokens;
    const prepared = await modelRequest(
      {
        info: model.info,
        system,
        path,
        tools: calling.tools,
        calling,
        thinking,
        wished,
        whenFull,
        goesOn: isReply(path.at(-1)),
      },
      this.#ports,
    );
    if (!prepared.ok && prepared.error.code === "CONTEXT_FULL")
      return this.#failed(attempt, "context-full", prepared.error.message);
    if (!prepared.ok) {
      platform.logger.error("transcript-refused", { runId: run.id, code: prepared.error.code });
      return this.#failed(attempt, "transcript", prepared.error.message);
    }
    const mayCall = asking === "reply" || asking === "submission";
    const sent = withSettings(prepared.value.request, run.settings);
    const request = mayCall ? sent : ({ ...sent, toolChoice: "none" } as const);
    const facts = { attempt, ...originOf(model), ...syntaxFacts(calling.syntax, "tool_syntax") };
    const job: ReplyJob = {
      model,
      request,
      // If no call counts, text that looks like a call is text.
      ...(mayCall ? { calling } : {}),
      attempt,
      signal: activity.controller.signal,
      clock: platform.clock,
      blocks,
      seed: liveSeed(context, this.#ports.models, facts),
      onActivity: (said) => asked.work.sign(said),
      onBlock: (id: BlockId) => this.#reports.block(activity, id, null),
      onBlockLost: (problem: unknown) => platform.logger.warn("live-block-lost", { reason: reasonOf(problem) }),
    };
    const { estimate } = prepared.value;
    const first = await replyOrResend(job, ({ status }) =>
      platform.logger.error("transcript-resent", { runId: run.id, model: turn.model, status }),
    );
    const { event, record, stop, unmetered, resent } = wasTooLong(first.event)
      ? await this.#takeRefusal(job, first, estimate)
      : first;
    const ended = unmetered === true ? withEstimatedUsage(event, estimate) : event;
    const filled = request.maxTokens === null && model.info.contextTokensMax === null ? tokensWhenFull(event, stop) : 0;
    if (filled > 0) this.#ports.models.learnWindow?.(model.info.id, filled);
    if (event.type === "response-finished") this.#ports.tokens.learn(model.info.id, estimate, event.usage.inputTokens);
    return {
      event: ended.type === "response-failed" ? ended : { ...ended, facts: factsOf(ended, asked, { estimate, stop }) },
      request: {
        model: turn.model,
        ...stated(run.settings),
        ...(calling.tools.length === 0 ? {} : { tools: calling.tools.map((tool) => tool.name) }),
        ...syntaxFacts(calling.syntax, "toolSyntax"),
        ...(stop === undefined ? {} : { stop }),
        ...(resent ? { resent: "safe" as const } : {}),
      },
      ...(record === null ? {} : { reply: record }),
    };
  }

  /**
   * Takes the window that a refusal names. Asks once more without a limit for the reply if the path alone fits the window:
   * some servers refuse a limit that exceeds the rest of it, and give what is left when none is stated.
   */
  async #takeRefusal(job: ReplyJob, refused: ResentReply, estimate: TokenEstimate): Promise<ResentReply> {
    const { event } = refused;
    const window = event.type === "response-failed" ? event.failure.windowTokens : undefined;
    if (window === undefined) return refused;
    this.#ports.models.learnWindow?.(job.model.info.id, window);
    const isLimit = job.request.maxTokens !== null && estimate.expected < window;
    if (!isLimit || job.signal.aborted) return refused;
    const again = await replyOrResend({ ...job, request: { ...job.request, maxTokens: null } }, () => {});
    return wasTooLong(again.event) ? refused : again;
  }

  #failed(attempt: number, failureClass: FailureClass, message: string, retryable = false): Replied {
    const failure = { class: failureClass, message, retryable };
    const now = this.#ports.platform.clock.now();
    return { event: { type: "response-failed", attempt, failure, partial: null, now } };
  }
}

/** Whether a path ends with words of a model, from which the reply goes on. */
function isReply(last: Message | undefined): boolean {
  return last?.role === "assistant" && toolUses(last).length === 0;
}

/** Whether a reply with calls lost thinking to an edit: no provider goes on thinking in a turn of which it lacks a part. */
function lostThinking({ message }: ForestNode): boolean {
  if (message.role !== "assistant" || toolUses(message).length === 0) return false;
  return message.content.some((block) => block.type === "thinking" && block.unsent === true);
}

/** Returns what the system prompt says about tools. */
function explanation(prompt: string | undefined, kind: TurnKind): string {
  const parts = [prompt ?? "", kind === "conversation" ? steeringPrompt : ""];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Returns whether a reply is complete and calls nothing. */
function isInWords(event: TurnEvent): boolean {
  return event.type === "response-finished" && (event.message === null || toolUses(event.message).length === 0);
}

type Finished = Extract<EndedReply["event"], { readonly type: "response-finished" }>;

/** The facts besides the reply that the turn machine decides by. */
function factsOf(
  event: Finished,
  { model, calling, contextWarned }: Asked,
  { estimate, stop }: { readonly estimate: TokenEstimate; readonly stop: StopReason | undefined },
): ReplyFacts {
  const table = new ToolTable(calling.tools);
  const calls = event.message === null ? [] : toolUses(event.message);
  const { usage } = event;
  // If the server counts no tokens, Heddle estimates them.
  const input = usage.inputTokens > 0 ? usage.inputTokens : Math.ceil(estimate.expected);
  const output = usage.outputTokens > 0 ? usage.outputTokens : estimatedOutput(event);
  const window = model.info.contextTokensMax;
  const contextUsed = window === null ? null : (input + output) / window;
  return {
    policy: calling.policy,
    writes: calls.filter(({ name }) => table.find(name)?.access !== "read").map(({ id }) => id),
    contextUsed,
    ...(stop === "max-tokens" ? { cut: true } : {}),
    // Lower fill levels are not reported.
    contextWarned: contextUsed !== null && contextUsed > contextWarning && contextWarned(),
  };
}

/** Adds the estimated cost of a reply that ended before the provider sent its usage, which comes last. */
function withEstimatedUsage(event: EndedReply["event"], input: TokenEstimate): EndedReply["event"] {
  if (event.type !== "response-finished") return event;
  const outputTokens = estimatedOutput(event);
  return { ...event, usage: { ...event.usage, inputTokens: Math.ceil(input.expected), outputTokens } };
}

function estimatedOutput({ message }: Finished): number {
  return message === null ? 0 : estimateInputTokens([message]);
}

/** Returns the window that a reply without a limit has filled, by the server's count; 0 while it has not, or cannot be known. */
function tokensWhenFull(event: EndedReply["event"], stop: EndedReply["stop"]): number {
  if (event.type !== "response-finished" || stop !== "max-tokens" || event.usage.inputTokens === 0) return 0;
  return event.usage.inputTokens + event.usage.outputTokens;
}

/** What a message keeps of its turn's settings. */
function stated({ maxTokens, temperature }: AskedSettings = {}): AskedSettings {
  return { ...(maxTokens !== undefined && { maxTokens }), ...(temperature !== undefined && { temperature }) };
}

/** Names the syntax of calls that are written as text. */
function syntaxFacts<Key extends string>({ id, tier }: Syntax, key: Key): { readonly [Name in Key]?: string } {
  return tier === "native" ? {} : ({ [key]: id } as { readonly [Name in Key]: string });
}
