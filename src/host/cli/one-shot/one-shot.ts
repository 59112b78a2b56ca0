import type { ReplyFlags } from "../base/reply-flags.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { wasCut, wasFiltered } from "../../../core/forest/cut-reply.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { costsOf } from "../../../core/model/cost.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import type { Message } from "../../../core/message/types.ts";
import { readStructuredReply } from "../../../core/syntax/structured-reply.ts";
import { addUsage, noUsage, type Usage } from "../../../core/message/usage.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { ConversationView, HeddleClient, RunView } from "../../../client/base/types.ts";
import { AgentsAsking } from "../chat/agents-asking.ts";
import { beginFollowing, follow, type Followed, type BranchEvent } from "../chat/follow-run.ts";
import { whereLeft } from "../chat/where-left.ts";
import { beginConversation, type ConversationWish } from "../start/begin-conversation.ts";
import type { RunEvent } from "./run-events.ts";

/** Which calls that need an approval are allowed: no person can be asked. */
export const approveModes = ["none", "writes", "all"] as const;
export type ApproveMode = (typeof approveModes)[number];

export interface OneShot {
  readonly client: HeddleClient;
  readonly prompt: string;
  /** null: a new conversation. */
  readonly rootId: RootId | null;
  /** `provider/model`. */
  readonly model?: string;
  /** How models are asked; an existing conversation is changed so. */
  readonly replies?: ReplyFlags;
  /** JSON Schema that the whole answer must fit. */
  readonly schema?: JsonObject;
  /** The settings of a new conversation. */
  readonly wish?: ConversationWish;
  readonly approve: ApproveMode;
  /** Receives what happens on the branch, in order. */
  readonly onBranchEvent: (branchEvent: BranchEvent) => void;
  /** Receives all other events. */
  readonly onEvent: (event: RunEvent) => void;
  /** Aborted when the person ends the command. */
  readonly signal: AbortSignal;
  /** How long a stopped turn may take to end before it is left to the server, in milliseconds; 5,000 by default. */
  readonly cancelMs?: number;
}

/** The end of the turn. */
export interface Shot {
  readonly outcome: "ok" | "failed" | "cancelled";
  /** The whole answer: the model's last message. */
  readonly text: string;
  /** The answer to a request with a schema, once it fits. */
  readonly value?: JsonObject;
  readonly exit: number;
  /** The answer was cut off at its token limit. */
  readonly cut?: true;
  /** The provider's filter stopped the answer before its end. */
  readonly filtered?: true;
  readonly usage: Usage;
  /** US dollars of the turn at the known prices; absent where a price is unknown. */
  readonly dollars?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

const usualCancelMs = 5_000;

/** How long after a refusal an answer is sent again. Milliseconds. */
const retryMs = 300;

/** Another client answered first, or nobody waits any more. */
const closedCodes: ReadonlySet<string> = new Set(["APPROVAL_CLOSED", "QUESTION_CLOSED", "RUN_NOT_FOUND"]);

const denial =
  "Nobody can answer: this is a single run without a person. Do without this call, or say what you would have done.";

/** Sends one message, follows its turn to the end, and answers in the person's place where the turn asks one. */
export async function oneShot(shot: OneShot): Promise<Result<Shot, Refusal>> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  let timer: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    timer ??= setTimeout(() => resolve("late"), shot.cancelMs ?? usualCancelMs);
  };
  shot.signal.addEventListener("abort", onStop);
  if (shot.signal.aborted) onStop();
  try {
    const rootId = await Promise.race([conversationOf(shot), late]);
    if (rootId === "late") return ok(stopped);
    return rootId.ok ? await new Follower(shot, rootId.value, late).run() : rootId;
  } finally {
    shot.signal.removeEventListener("abort", onStop);
    clearTimeout(timer);
  }
}

async function conversationOf({
  client,
  rootId,
  model,
  wish = {},
  approve,
  replies = {},
}: OneShot): Promise<Result<RootId, Refusal>> {
  if (rootId !== null) {
    if (Object.keys(replies).length === 0) return ok(rootId);
    const set = await client.call("conversation.settings", { rootId, ...replies });
    return set.ok ? ok(rootId) : set;
  }
  // Calls that write here then need no approval; calls that reach outside still do.
  const approvals = approve === "writes" ? ({ approvals: "outward" } as const) : {};
  return beginConversation(client, { ...wish, ...approvals, ...(model === undefined ? {} : { model }), ...replies });
}

class Follower {
  readonly #shot: OneShot;
  readonly #rootId: RootId;
  /** Resolves when a stopped turn has not ended in time. */
  readonly #late: Promise<"late">;
  /** Keys of the answers, so that nothing is answered twice: a call may ask again under its id, as another. */
  readonly #answered = new Set<string>();
  readonly #agents: AgentsAsking;
  #retryTimer: NodeJS.Timeout | undefined;
  #change = Promise.withResolvers<void>();
  #isCancelling = false;
  #wasLost = false;

  constructor(shot: OneShot, rootId: RootId, late: Promise<"late">) {
    this.#shot = shot;
    this.#rootId = rootId;
    this.#late = late;
    this.#agents = new AgentsAsking(shot.client, () => this.#changed());
  }

  async run(): Promise<Result<Shot, Refusal>> {
    const { client, signal } = this.#shot;
    const changed = (): void => this.#changed();
    const stops = [client.conversation(this.#rootId).subscribe(changed), client.state.subscribe(changed)];
    signal.addEventListener("abort", changed);
    try {
      return await this.#send();
    } finally {
      for (const stop of stops) stop();
      this.#agents.close();
      clearTimeout(this.#retryTimer);
      signal.removeEventListener("abort", changed);
    }
  }

  #changed(): void {
    const state = this.#shot.client.state.get();
    const isLost = state.type === "reconnecting" || state.type === "offline";
    if (isLost !== this.#wasLost) this.#shot.onEvent({ type: "connection", state: isLost ? "lost" : "back" });
    this.#wasLost = isLost;
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  #view(): ConversationView | null {
    return this.#shot.client.conversation(this.#rootId).get();
  }

  async #send(): Promise<Result<Shot, Refusal>> {
    const { client, prompt, model, schema, onEvent, signal } = this.#shot;
    for (let view = this.#view(); view === null; view = this.#view()) {
      if (signal.aborted) return ok(stopped);
      await this.#change.promise;
    }
    const before = this.#view();
    if (before === null || signal.aborted) return ok(stopped);
    const sending = client.call("message.send", {
      rootId: this.#rootId,
      parentNodeId: whereLeft(before).head,
      text: prompt,
      ...(model === undefined ? {} : { model }),
      ...(schema === undefined ? {} : { outputSchema: schema }),
    });
    // An unreachable server answers when it is back: the program need not wait for that to end.
    const sent = await Promise.race([sending, this.#late]);
    if (sent === "late") return ok(stopped);
    if (!sent.ok) return sent;
    const { runId, nodeId } = sent.value;
    onEvent({ type: "started", conversation: this.#rootId, run: runId, model: model ?? before.root.model });
    const turnBefore = before.runs.find((run) => run.runId === runId)?.turnId ?? null;
    return this.#follow(before, { runId, nodeId, turnBefore });
  }

  async #follow(
    before: ConversationView,
    turn: { readonly runId: RunId; readonly nodeId: NodeId | null; readonly turnBefore: TurnId | null },
  ): Promise<Result<Shot, Refusal>> {
    const { onBranchEvent, signal } = this.#shot;
    const begun = beginFollowing(turn.runId, before);
    let followed: Followed = {
      ...begun,
      nodes: new Set([...begun.nodes, ...(turn.nodeId === null ? [] : [turn.nodeId])]),
    };
    for (let isLate = false; ;) {
      // Taken before the state is read: a change in between triggers the next look.
      const changed = this.#change.promise;
      const state = this.#shot.client.state.get();
      if (state.type === "refused") return err(state.refusal);
      const view = this.#view();
      const run = view?.runs.find(({ runId }) => runId === turn.runId);
      if (view !== null && run !== undefined && run.turnId !== turn.turnBefore) {
        const step = follow(followed, view);
        followed = step.followed;
        for (const branchEvent of step.branchEvents) onBranchEvent(branchEvent);
        if (isSettled(run.state)) return ok(this.#ended(view, run));
        this.#agents.follow(run.state);
        if (!this.#isCancelling) await Promise.race([this.#answer(this.#agents.first?.run ?? run), this.#late]);
      }
      if (isLate) return ok(stopped);
      if (signal.aborted && !this.#isCancelling) {
        this.#isCancelling = true;
        void this.#shot.client.call("run.cancel", { runId: turn.runId });
      }
      isLate = (await Promise.race([changed, this.#late])) === "late";
    }
  }

  /** Answers the run, or a sub-agent of it, as the command line says. */
  async #answer({ runId, state, headNodeId }: RunView): Promise<void> {
    const { client, approve } = this.#shot;
    if (state.type === "awaiting-approval") {
      const { callId, argumentsHash, reason, expiresAt } = state.request;
      const name = state.pending.find(({ id }) => id === callId)?.name ?? "";
      // A call that untrusted text may have caused is never allowed in a person's absence.
      const decision = approve === "all" && reason !== "taint" ? "allow" : "deny";
      const note = decision === "deny" ? { note: denial } : {};
      await this.#once(`${runId} ${callId} ${argumentsHash} ${expiresAt}`, {
        command: () =>
          client.call("approval.answer", { runId, callId, argumentsHash, decision, remember: "once", ...note }),
        event: { type: "approval", id: callId, name, reason, decision },
      });
    } else if (state.type === "awaiting-answer") {
      const { callId, questions } = state;
      await this.#once(`${runId} ${callId} ${headNodeId}`, {
        command: () => client.call("question.answer", { runId, callId, answers: null }),
        event: { type: "question", id: callId, questions },
      });
    }
  }

  /** Sends a refused answer again, unless another client has answered. */
  async #once(
    key: string,
    { command, event }: { readonly command: () => Promise<Result<unknown, Refusal>>; readonly event: RunEvent },
  ): Promise<void> {
    if (this.#answered.has(key)) return;
    this.#answered.add(key);
    const answered = await command();
    if (answered.ok) return this.#shot.onEvent(event);
    if (closedCodes.has(answered.error.code)) return;
    this.#answered.delete(key);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#changed(), retryMs);
  }

  #ended(view: ConversationView, { state, turnId, headNodeId }: RunView): Shot {
    const nodes = [...view.nodesById.values()].filter((node) => node.turnId === turnId);
    const usage = nodes.reduce((sum, node) => (node.usage === null ? sum : addUsage(sum, node.usage)), noUsage);
    const last = headNodeId === null ? undefined : view.nodesById.get(headNodeId);
    const text =
      last?.message.role === "assistant" && last.turnId === turnId ? last.message.content.filter(isTextBlock) : [];
    const answer = { text: text.map((block) => block.text).join("\n"), usage, ...this.#cost(nodes) };
    if (this.#isCancelling) return { ...answer, outcome: "cancelled", exit: cancelledExit };
    switch (state.type) {
      case "error":
        return { ...answer, outcome: "failed", exit: 1, error: { code: state.detail, message: state.message } };
      case "failed":
        return { ...answer, outcome: "failed", exit: 1, error: { code: state.reason, message: state.message } };
      case "context-exhausted": {
        const full = refusal("CONTEXT_EXHAUSTED");
        return { ...answer, text: state.summary, outcome: "failed", exit: 1, error: full };
      }
      case "idle":
      case "completed":
      case "awaiting":
      case "requesting":
      case "running-tools":
      case "awaiting-approval":
      case "awaiting-answer":
      case "awaiting-sub-agents":
      case "cancelling":
      case "cancelling-sub-agents":
        if (isInterrupted(last?.message)) return { ...answer, outcome: "cancelled", exit: cancelledExit };
        if (last !== undefined && last.turnId === turnId) {
          if (wasCut(last)) return { ...answer, outcome: "ok", exit: cutExit, cut: true };
          if (wasFiltered(last)) return { ...answer, outcome: "ok", exit: cutExit, filtered: true };
        }
        return this.#checked(answer, last?.message);
    }
  }

  /** What the turn's requests cost. */
  #cost(nodes: readonly ForestNode[]): { readonly dollars?: number } {
    const models = this.#shot.client.workspace.get()?.models ?? [];
    const costs = costsOf(nodes, (id) => models.find((model) => model.id === id)?.prices ?? null);
    return costs.unpriced > 0 || costs.byNode.size === 0 ? {} : { dollars: costs.total };
  }

  /** A provider may ignore the schema, so the answer is compared with it here. */
  #checked(answer: Pick<Shot, "text" | "usage" | "dollars">, message: Message | undefined): Shot {
    const { schema } = this.#shot;
    if (schema === undefined) return { ...answer, outcome: "ok", exit: 0 };
    const read = message?.role === "assistant" ? readStructuredReply(message, schema) : err("There is no answer.");
    return read.ok
      ? { ...answer, value: read.value, outcome: "ok", exit: 0 }
      : { ...answer, outcome: "failed", exit: misfitExit, error: { code: misfitCode, message: read.error } };
  }
}

/** The exit code of an answer that was cut off: at its token limit, or by the provider's filter. */
const cutExit = 4;
const cancelledExit = 130;
/** The exit code, and the code of the error, of an answer that does not fit its schema. */
const misfitExit = 5;
export const misfitCode = "SCHEMA_MISMATCH";
const stopped: Shot = { outcome: "cancelled", text: "", exit: cancelledExit, usage: noUsage };

/** Whether another client stopped the turn. */
function isInterrupted(message: { readonly role: string; readonly interrupted?: boolean } | undefined): boolean {
  return message?.interrupted === true;
}
