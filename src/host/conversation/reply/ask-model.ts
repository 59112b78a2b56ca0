import type { BlockId } from "../../../core/base/ids.ts";
import { PrefixFold } from "../../../core/base/prefix-fold.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { sentPath, type SentNode } from "../../../core/forest/sent-path.ts";
import { toolUses } from "../../../core/message/content.ts";
import { estimateInputTokens } from "../../../core/message/tokens.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { sendableServerTools } from "../../../core/model/server-tool.ts";
import type { StopReason } from "../../../core/model/stream-part.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import type { AskedSettings } from "../../../core/port/store.ts";
import type { TokenEstimate } from "../../../core/port/token-estimator.ts";
import type { Syntax } from "../../../core/syntax/base/syntax.ts";
import { ToolTable } from "../../../core/syntax/base/tools.ts";
import { canHelp, mayCompact } from "../../../core/turn/compaction/due.ts";
import { contextWarning } from "../../../core/turn/state/context.ts";
import type { ReplyFacts, TurnEvent } from "../../../core/turn/event/event.ts";
import type { Asking } from "../../../core/turn/state/state.ts";
import { isPassing } from "../../base/store-refusal.ts";
import type { Activity } from "../base/activities.ts";
import { wasContextWarned } from "./context-warned.ts";
import { taintAt } from "../base/context-taint.ts";
import { fallbackOf } from "../base/models-of-turn.ts";
import type { BesideReply, ConversationPorts, Reports, EffectContext } from "../base/conversation-ports.ts";
import { isTooLong, wasTooLong, withoutLargeResults } from "./large-results.ts";
import { messagesWithNames } from "./speakers.ts";
import type { LeaseHold, LeaseWork } from "./lease-hold.ts";
import { liveSeed } from "./live-seed.ts";
import { modelRequest } from "./model-request.ts";
import { originOf, type EndedReply, type ReplyJob } from "./reply-stream.ts";
import { requestFrame } from "./request-frame.ts";
import { replyOrResend, type ResentReply } from "./safe-resend.ts";
import { withoutSwitchedOff } from "./model-canvas.ts";
import { compactAtOf, effectiveRules } from "../base/run-rules.ts";
import { callIdPrefix } from "../base/tool-syntax.ts";
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
  /** Every message of the branch. */
  readonly nodes: readonly ForestNode[];
  /** The mark of what of the branch is left out or summed up; null for nothing. */
  readonly view: string | null;
  /** Whether a compaction makes room before the next request. */
  readonly compacts: boolean;
  /** Whether people have been notified that the branch is nearly full. */
  readonly contextWarned: () => boolean;
}

/** The facts by which a compaction is possible. */
type Room = Parameters<typeof canHelp>[0];

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
    const { store, models, canvases, rules } = this.#ports;
    const { run, root, turn } = context;
    const { attempt, asking } = wish;
    const nodes = run.headNodeId === null ? [] : await store.path(run.headNodeId);
    const frame = await requestFrame(this.#ports, context, { asking, path: nodes, signal: activity.controller.signal });
    if (!frame.ok) return this.#failed(attempt, "invalid-request", frame.error.message);
    const { model, calling, tools, system, thinking } = frame.value;
    const { sent, view } = sentPath(nodes);
    const path = withoutSwitchedOff(root, canvases.sent(messagesWithNames(nodes, sent)));
    const { compaction } = await effectiveRules(store, root, rules);
    const room: Room = {
      path: nodes,
      window: model.info.contextTokensMax,
      compactAt: compactAtOf(compaction),
      failed: "progress" in run.state ? (run.state.progress.failedCompactions ?? 0) : 0,
    };
    const asked: Asked = {
      ...wish,
      model,
      calling: { ...calling, tools, callIdPrefix: callIdPrefix(nodes) },
      system,
      nodes,
      thinking: lost.of(sent).some(({ node }) => node.turnId === turn.turnId) ? "off" : thinking,
      view,
      compacts: canHelp(room),
      contextWarned: () => wasContextWarned(nodes, turn.turnId, (id) => models.find(id)?.info.contextTokensMax),
    };
    const replied = await this.#ask(context, activity, { ...asked, path });
    const shorter = isTooLong(replied.event) ? withoutLargeResults(path) : null;
    const last = shorter === null ? replied : await this.#ask(context, activity, { ...asked, path: shorter });
    return withRoom(last, room);
  }

  async #ask(
    context: EffectContext,
    activity: Activity,
    asked: Asked & { readonly path: readonly Message[] },
  ): Promise<Replied> {
    const { attempt, asking, model, calling, system, thinking, path } = asked;
    const { blocks, platform, whenFull = "refuse" } = this.#ports;
    const { run, root, turn } = context;
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
    const request = await this.#withServerTools(mayCall ? sent : { ...sent, toolChoice: "none" }, context, model);
    const facts = { attempt, ...originOf(model), ...syntaxFacts(calling.syntax, "tool_syntax") };
    const job: ReplyJob = {
      model,
      request,
      // If no call counts, text that looks like a call is text.
      ...(mayCall ? { calling } : {}),
      attempt,
      signal: activity.controller.signal,
      asking: {
        rootId: root.id,
        runId: run.id,
        turnId: turn.turnId,
        folderId: root.folderId ?? null,
        path: asked.nodes,
      },
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
        ...(asked.view === null ? {} : { view: asked.view }),
      },
      ...(record === null ? {} : { reply: record }),
    };
  }

  /** Adds the provider's own tools that the conversation switched on and the context allows. */
  async #withServerTools(
    request: ModelRequest,
    { root, run }: EffectContext,
    { info: { serverTools: known = [] } }: LanguageModel,
  ): Promise<ModelRequest> {
    const wished = root.replies?.serverTools ?? [];
    if (wished.length === 0 || known.length === 0 || request.toolChoice === "none") return request;
    const { holdsPrivate, holdsUntrusted } = await taintAt(this.#ports, run.headNodeId);
    const serverTools = sendableServerTools(wished, known, holdsPrivate && holdsUntrusted);
    return serverTools.length === 0 ? request : { ...request, serverTools };
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

/** Adds to a request that was too long that a compaction may make room for it. */
function withRoom(replied: Replied, room: Room): Replied {
  const { event } = replied;
  if (event.type !== "response-failed" || !isTooLong(event) || !mayCompact(room)) return replied;
  return { ...replied, event: { ...event, compacts: true } };
}

/** Whether a path ends with words of a model, from which the reply goes on. */
function isReply(last: Message | undefined): boolean {
  return last?.role === "assistant" && toolUses(last).length === 0;
}

/** The replies that lost thinking, of what is sent. */
const lost = new PrefixFold<SentNode, readonly SentNode[]>([], (before, rest) => {
  const found = rest.filter(lostThinking);
  return found.length === 0 ? before : before.concat(found);
});

/**
 * Whether a reply with calls lost thinking, to an edit or because it was made in another view: no provider goes on thinking
 * in a turn of which it lacks a part.
 */
function lostThinking({ node, message }: SentNode): boolean {
  const { message: stored } = node;
  if (stored.role !== "assistant" || toolUses(stored).length === 0) return false;
  return stored.content.some((block) => block.type === "thinking" && (block.unsent === true || message !== stored));
}

/** Returns whether a reply is complete and calls nothing. */
function isInWords(event: TurnEvent): boolean {
  return event.type === "response-finished" && (event.message === null || toolUses(event.message).length === 0);
}

type Finished = Extract<EndedReply["event"], { readonly type: "response-finished" }>;

/** The facts besides the reply that the turn machine decides by. */
function factsOf(
  event: Finished,
  { model, calling, compacts, contextWarned }: Asked,
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
    compacts,
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
