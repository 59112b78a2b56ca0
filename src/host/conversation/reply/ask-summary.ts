import { reasonOf } from "../../../core/base/reason.ts";
import { endOfRound, sentPath, type SentNode } from "../../../core/forest/sent-path.ts";
import type { ForestNode, ForestRoot, SeenCanvas } from "../../../core/forest/types.ts";
import { textOf } from "../../../core/message/content.ts";
import { roughTokensOf } from "../../../core/message/rough-message-tokens.ts";
import type { AssistantMessage } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import { withoutBinding } from "../../../core/message/without-binding.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import { replacedTokens, turnUnderWay, type Cut } from "../../../core/turn/compaction/cut.ts";
import { cutOf } from "../../../core/turn/compaction/due.ts";
import {
  partSizes,
  replyTokensMin,
  smallerThan,
  windowAssumed,
  type PartSizes,
} from "../../../core/turn/compaction/limits.ts";
import { compactionMessage, compactionWishText, shortenedUnread } from "../../../core/turn/compaction/summary-text.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { Compaction } from "../../../core/turn/state/state.ts";
import { isPassing } from "../../base/store-refusal.ts";
import type { Activity } from "../base/activities.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { effectiveRules } from "../base/run-rules.ts";
import { callIdPrefix } from "../base/tool-syntax.ts";
import { reachOfTurn } from "../base/turn-reach.ts";
import type { Replied } from "./ask-model.ts";
import { liveSeed } from "./live-seed.ts";
import { modelRequest, type PreparedRequest } from "./model-request.ts";
import { withoutSwitchedOff } from "./model-canvas.ts";
import { messagesWithNames } from "./speakers.ts";
import { requestFrame, type RequestFrame } from "./request-frame.ts";
import { wasTooLong } from "./large-results.ts";
import { replyOrResend } from "./safe-resend.ts";

/** The branch that is summed up. */
interface Branch {
  readonly path: readonly ForestNode[];
  readonly sent: readonly SentNode[];
  readonly cut: Cut;
  readonly sizes: PartSizes;
  readonly compaction: Compaction;
}

/** One attempt to get a summary. */
interface AskedSummary {
  readonly attempt: number;
  readonly activity: Activity;
  readonly frame: RequestFrame;
  readonly branch: Branch;
}

/** How often the request for a summary is made smaller because the model refuses it as too long, and to what share. */
const refusalsMax = 4;
const shareAfterRefusal = 0.6;

/** Asks for the summary of a compaction and reports the compaction node, or why there is none. Never throws. */
export class SummaryAsker {
  readonly #ports: ConversationPorts;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
  }

  async ask(context: EffectContext, attempt: number, activity: Activity): Promise<Replied> {
    try {
      return await this.#ask(context, attempt, activity);
    } catch (problem) {
      return this.#failed(attempt, "unknown", reasonOf(problem), isPassing(problem));
    }
  }

  async #ask(given: EffectContext, attempt: number, activity: Activity): Promise<Replied> {
    const { store } = this.#ports;
    const { run } = given;
    const compaction = run.state.type === "requesting" ? run.state.progress.compaction : undefined;
    if (compaction === undefined || run.headNodeId === null) {
      return this.#failed(attempt, "unknown", "There is nothing to sum up.");
    }
    const { model } = (await effectiveRules(store, given.root, this.#ports.rules)).compaction;
    const context = withModel(given, model);
    const path = await store.path(run.headNodeId);
    // The branch's own tools and system prompt, so that the request goes on from its last one and is read from the cache.
    const frame = await requestFrame(this.#ports, context, {
      asking: compaction.next ?? "reply",
      path,
      signal: activity.controller.signal,
    });
    if (!frame.ok) return this.#failed(attempt, "invalid-request", frame.error.message);
    const branch = branchOf(path, compaction, { ...context, window: frame.value.model.info.contextTokensMax });
    if (branch === null) return this.#failed(attempt, "invalid-request", "There is nothing to sum up.");
    return this.#askFitted(context, { attempt, activity, frame: frame.value, branch });
  }

  /** Asks, and with fewer of the oldest rounds where the model refuses the request as too long. */
  async #askFitted(context: EffectContext, asked: AskedSummary): Promise<Replied> {
    const { attempt, frame, branch } = asked;
    let room = roomOf(frame, branch);
    let before: { readonly replied: Replied; readonly tokens: number } | null = null;
    for (let refusals = 0; ; refusals += 1) {
      const prepared = await this.#prepared(context, frame, { ...branch, room });
      if (prepared === null) return this.#failed(attempt, "transcript", "The branch cannot be sent as it is.");
      const tokens = prepared.estimate.upper;
      // What is left is one round.
      if (before !== null && tokens >= before.tokens) return before.replied;
      const replied = await this.#stream(context, { ...asked, prepared });
      if (!wasTooLong(replied.event) || refusals === refusalsMax) return replied;
      before = { replied, tokens };
      room = Math.floor(tokens * shareAfterRefusal);
    }
  }

  /** Builds the request; where it does not fit into `room`, its oldest rounds go. */
  async #prepared(
    context: EffectContext,
    frame: RequestFrame,
    { room, ...branch }: Branch & { readonly room: number },
  ): Promise<PreparedRequest | null> {
    const { canvases } = this.#ports;
    const { model, calling, tools, system, thinking } = frame;
    const unread = shortenedUnread(branch.path, branch.sizes);
    const { focus, inWords = false } = branch.compaction;
    const wish = compactionWishText({ focus, cut: branch.cut, inWords }, branch.sizes);
    let rounds = branch.sent;
    for (;;) {
      const isWhole = rounds.length === branch.sent.length;
      const messages = messagesWithNames(
        branch.path,
        rounds.map(({ node, message }) => ({
          node,
          message: unread.get(node) ?? (isWhole ? message : withoutBinding(message)),
        })),
      );
      const prepared = await modelRequest(
        {
          info: model.info,
          system,
          path: [
            ...withoutSwitchedOff(context.root, canvases.sent(messages)),
            { role: "user", content: [{ type: "text", text: wish }] },
          ],
          tools,
          calling,
          thinking,
          // What does not fit goes below, oldest first.
          whenFull: "clamp",
        },
        this.#ports,
      );
      if (!prepared.ok) {
        this.#ports.platform.logger.error("transcript-refused", { runId: context.run.id, code: prepared.error.code });
        return null;
      }
      const tooMany = prepared.value.estimate.upper - room;
      const fewer = tooMany <= 0 ? null : withoutOldest(rounds, tooMany);
      if (fewer === null) return prepared.value;
      rounds = fewer;
    }
  }

  async #stream(
    context: EffectContext,
    asked: AskedSummary & { readonly prepared: PreparedRequest },
  ): Promise<Replied> {
    const { leases, platform, models, tokens } = this.#ports;
    const { attempt, activity, frame, branch, prepared } = asked;
    const { run, turn } = context;
    const { model, calling, tools } = frame;
    const inWords = branch.compaction.inWords === true;
    leases.heartbeat(run.id);
    const { event, unmetered, resent } = await replyOrResend(
      {
        model,
        request: inWords ? { ...prepared.request, toolChoice: "none" } : prepared.request,
        ...(inWords ? {} : { calling: { ...calling, tools, callIdPrefix: callIdPrefix(branch.path) } }),
        attempt,
        signal: activity.controller.signal,
        clock: platform.clock,
        // People see the summary when it is whole.
        blocks: null,
        seed: liveSeed(context, models, {}),
        onActivity: () => leases.heartbeat(run.id),
        onBlock: () => {},
        onBlockLost: () => {},
      },
      ({ status }) => platform.logger.error("transcript-resent", { runId: run.id, model: turn.model, status }),
    );
    if (event.type === "response-failed") return { event: { ...event, partial: null } };
    const { estimate } = prepared;
    tokens.learn(model.info.id, estimate, event.usage.inputTokens);
    const usage = unmetered === true ? { ...event.usage, inputTokens: Math.ceil(estimate.expected) } : event.usage;
    const finished = await this.#finished(context, branch, { attempt, message: event.message, usage });
    return { event: finished, request: { model: turn.model, ...(resent ? { resent: "safe" as const } : {}) } };
  }

  /** Writes the compaction node from the model's words, and discards it when it saves too little. */
  async #finished(
    context: EffectContext,
    { path, sent, cut, sizes, compaction }: Branch,
    reply: { readonly attempt: number; readonly message: AssistantMessage | null; readonly usage: Usage },
  ): Promise<TurnEvent> {
    const { attempt, usage } = reply;
    const summary = reply.message === null ? "" : textOf(reply.message);
    if (summary.trim() === "") return { type: "compaction-discarded", attempt, reason: "no-words", usage };
    const { canvasId } = context.root;
    const reach = await reachOfTurn(this.#ports, context);
    const documents = await this.#ports.canvases.documents(path, { canvasId, reach });
    const turn = cut.midTurn ? turnUnderWay(path, context.turn.turnId) : [];
    const message = compactionMessage({ summary, path, cut, turn, documents, sizes });
    const tokensBefore = replacedTokens(path, sent, cut);
    const tokensAfter = roughTokensOf(message);
    if (tokensAfter > tokensBefore * smallerThan) {
      return { type: "compaction-discarded", attempt, reason: "not-smaller", usage };
    }
    const own = documents.find(({ id }) => id === canvasId);
    const canvas: SeenCanvas | null =
      own === undefined || canvasId === null ? null : { canvasId, revisionId: own.revisionId };
    const { through, messages } = cut;
    const { by } = compaction;
    return {
      type: "compaction-finished",
      attempt,
      message,
      compacts: { through, messages, tokensBefore, tokensAfter, by, model: context.turn.model },
      canvas,
      usage,
    };
  }

  #failed(attempt: number, failureClass: FailureClass, message: string, retryable = false): Replied {
    const failure = { class: failureClass, message, retryable };
    const now = this.#ports.platform.clock.now();
    return { event: { type: "response-failed", attempt, failure, partial: null, now } };
  }
}

/** The tokens that the request may have besides the summary. */
function roomOf({ model }: RequestFrame, { sizes }: Branch): number {
  const window = model.info.contextTokensMax ?? Number.POSITIVE_INFINITY;
  return window - Math.max(replyTokensMin, sizes.summary);
}

function withModel(context: EffectContext, model: string | undefined): EffectContext {
  return model === undefined ? context : { ...context, turn: { ...context.turn, model } };
}

function branchOf(
  path: readonly ForestNode[],
  compaction: Compaction,
  { turn, window }: Pick<EffectContext, "turn"> & { readonly root: ForestRoot; readonly window: number | null },
): Branch | null {
  const turnId = compaction.next === null ? null : turn.turnId;
  const { by, refused, overflow } = compaction;
  const room = refused === undefined ? window : (overflow?.window ?? window);
  const cut = cutOf({ path, turnId, window: room, wish: by === "person" ? compaction : null });
  return cut === null
    ? null
    : { path, sent: sentPath(path).sent, cut, sizes: partSizes(room ?? windowAssumed), compaction };
}

/** Drops whole rounds from the beginning until about so many tokens are gone; null when only one round is left. */
function withoutOldest(sent: readonly SentNode[], tokens: number): readonly SentNode[] | null {
  const nodes = sent.map(({ node }) => node);
  let dropped = 0;
  let first = 0;
  while (dropped < tokens) {
    const end = endOfRound(nodes, first);
    if (end >= sent.length) break;
    for (const { message } of sent.slice(first, end)) dropped += roughTokensOf(message);
    first = end;
  }
  return first === 0 ? null : sent.slice(first);
}
