import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RunId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { isCanvasUpdate } from "../../../core/message/canvas-update.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { argumentsHash, ruleFor } from "../../../core/turn/judge/judge-call.ts";
import { acceptsMessage } from "../../../core/turn/step/precheck.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { CancelReason } from "../../../core/turn/state/state.ts";
import type { Remember } from "../../base/once.ts";
import { systemActor } from "../base/actors.ts";
import type { CommandBase } from "./command-base.ts";
import { continuationMessage } from "./continuation.ts";
import type { Conversation, ConversationDeps } from "../queue/conversation.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import { joinPlans, planHead, planWaiting, type Plan } from "../plan/plan.ts";
import { findTurnTool } from "../reply/turn-tools.ts";
import { contextOf } from "../base/run-context.ts";
import type { ApprovalAnswer, ContinuedRun, Done, QuestionAnswer } from "../base/types.ts";

/** What people ask of an existing run: cancel, retry, decide, answer, summarise, continue. */
export class RunCommands {
  readonly #base: CommandBase;
  readonly #deps: ConversationDeps;
  readonly #conversation: Conversation;

  constructor(base: CommandBase) {
    this.#base = base;
    this.#deps = base.deps;
    this.#conversation = base.conversation;
  }

  retry(actor: Actor, runId: RunId, settings: TurnSettings, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#base.withRun(runId, async (run) => {
      const { head, record } = run.snapshot;
      const accepted = acceptsMessage(record.state);
      if (!accepted.ok) return accepted;
      if (head === null || (await this.#isAnswered(head))) {
        return err(
          refusal("MESSAGE_INVALID", {}, "The last message is a reply. Send a message, or ask for another reply."),
        );
      }
      const whole = await this.#base.isWhole(head);
      if (!whole.ok) return whole;
      return this.#conversation.take(
        run,
        { type: "reply-requested" },
        { sender: actor, settings, ...this.#recording(remember) },
      );
    });
  }

  cancel(actor: Actor, runId: RunId, reason: CancelReason, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    return this.#base.withRun(runId, async (run) => {
      const { writes } = this.#recording(remember).alongside();
      let joined = false;
      const alongside = (): Plan => {
        joined = true;
        return { writes };
      };
      const taken = await this.#conversation.take(
        run,
        { type: "turn-cancelled", reason },
        { sender: actor, alongside },
      );
      // An event that changes nothing has no transaction for the request record to join.
      return taken.ok && !joined ? this.#conversation.commit({ writes }) : taken;
    });
  }

  /** Summarises a branch now. Its model must be able to read the whole branch. */
  summarize(
    actor: Actor,
    runId: RunId,
    settings: TurnSettings,
    remember: Remember<Done>,
  ): Promise<Result<void, Refusal>> {
    return this.#base.withRun(runId, async (run) => {
      const { head, record } = run.snapshot;
      const accepted = acceptsMessage(record.state);
      if (!accepted.ok) return accepted;
      if (head === null) return err(refusal("MESSAGE_INVALID", {}, "There is nothing to summarise yet."));
      const whole = await this.#base.isWhole(head);
      if (!whole.ok) return whole;
      return this.#conversation.take(
        run,
        { type: "summary-requested" },
        { sender: actor, settings, ...this.#recording(remember) },
      );
    });
  }

  /**
   * Creates the one branch that continues a full branch; repeated calls return the same branch. Moves the messages that
   * waited for the full branch there, and sends the first.
   */
  continueRun(runId: RunId, remember: Remember<ContinuedRun>): Promise<Result<ContinuedRun, Refusal>> {
    return this.#base.withRun(runId, async (run) => {
      const { record, head } = run.snapshot;
      const { state } = record;
      if (state.type !== "context-exhausted" || head === null) {
        return err(refusal("INVALID_TRANSITION", { state: state.type, expected: "context-exhausted" }));
      }
      const tops = await this.#deps.store.children(this.#base.rootId, null);
      for (const { id: nodeId, continues, runId: begun } of tops) {
        if (continues !== head.id || begun === null) continue;
        const answer = { nodeId, runId: begun };
        const stored = await this.#conversation.commit({ writes: remember(answer, this.#base.rootId) });
        return stored.ok ? ok(answer) : stored;
      }
      return this.#continue(run, { head, summary: state.summary, remember });
    });
  }

  /** Applies a person's decision on a call. It counts once, for exactly that call, and only before it expires. */
  answerApproval(actor: Actor, answer: ApprovalAnswer, remember: Remember<Done>): Promise<Result<void, Refusal>> {
    const { runId, callId, argumentsHash: hash, decision, remember: countsFor, note } = answer;
    return this.#base.withRun(runId, async (run) => {
      const { state } = run.snapshot.record;
      const open = state.type === "awaiting-approval" && state.request.callId === callId ? state.request : null;
      if (open !== null && open.expiresAt <= this.#deps.platform.clock.now()) {
        const expired = await this.#conversation.take(
          run,
          { type: "approval-expired", callId },
          { sender: systemActor },
        );
        return expired.ok ? err(refusal("APPROVAL_CLOSED")) : expired;
      }
      const event = {
        type: "approval-answered",
        callId,
        argumentsHash: hash,
        decision,
        ...(note === undefined ? {} : { note }),
      } as const;
      const take = (writes: readonly StoreWrite[]): Promise<Result<void, Refusal>> =>
        this.#conversation.take(run, event, {
          sender: actor,
          alongside: () => ({ writes: [...writes, ...remember({}, this.#base.rootId)] }),
        });
      const call = state.type === "awaiting-approval" ? state.pending.find(({ id }) => id === callId) : undefined;
      if (decision === "deny" || countsFor === "once" || call === undefined || open === null) return take([]);
      const { record } = run.snapshot;
      const tool =
        findTurnTool(contextOf(record).kind, call.name)?.facts ??
        this.#deps.tools.facts(call.name, record.turnId ?? undefined);
      // The tool's definition may have changed since the person saw it.
      if (tool === null || argumentsHash(tool, call.parameters) !== hash) return take([]);
      const { root } = this.#conversation;
      const rootId = countsFor === "always" ? null : (root.parent?.rootId ?? root.id);
      const rule = ruleFor(
        { tool, argumentsHash: hash, parameters: call.parameters, reason: open.reason },
        {
          id: this.#deps.approvalRules.newId(),
          rootId,
          createdAt: this.#deps.platform.clock.now(),
          createdBy: actor.name,
        },
      );
      return this.#deps.approvalRules.add(rule, take);
    });
  }

  answerQuestion(
    actor: Actor,
    { runId, callId, answers }: QuestionAnswer,
    remember: Remember<Done>,
  ): Promise<Result<void, Refusal>> {
    return this.#base.withRun(runId, (run) =>
      this.#conversation.take(
        run,
        { type: "question-answered", callId, answers },
        { sender: actor, ...this.#recording(remember) },
      ),
    );
  }

  async #continue(run: OwnedRun, { head, summary, remember }: FullBranch): Promise<Result<ContinuedRun, Refusal>> {
    const now = this.#deps.platform.clock.now();
    const { model } = run.snapshot.record;
    const message = continuationMessage(head.id, summary);
    const placed = this.#base.placed({ message, prefixHash: prefixHash(null, message) }, null, systemActor);
    const runId = this.#deps.ids.run();
    const node: ForestNode = { ...placed, runId, continues: head.id };
    const [first] = run.snapshot.waiting;
    const waiting = run.snapshot.waiting.map((each) => ({ ...each, runId }));
    const next = this.#conversation.newRun(node, { id: runId, model, waiting });
    const answer = { nodeId: node.id, runId };
    const writes: readonly StoreWrite[] = [{ type: "put-node", node }, ...remember(answer, this.#base.rootId)];
    const branch: Plan = { writes, feed: [{ type: "node-added", node }] };
    const committed =
      first === undefined
        ? await this.#conversation.commit(joinPlans(branch, planHead(next, node, now)))
        : await this.#conversation.take(
            next,
            { type: "message-sent", message: first.message, waiting: first.id },
            {
              sender: first.actor,
              settings: first.settings ?? {},
              alongside: () => joinPlans(branch, planMoved(run, now)),
            },
          );
    return committed.ok ? ok(answer) : committed;
  }

  /** Commits the record of a request with an empty answer alongside an event. */
  #recording(remember: Remember<Done>): { readonly alongside: () => Required<Pick<Plan, "writes">> } {
    return { alongside: () => ({ writes: remember({}, this.#base.rootId) }) };
  }

  /** Returns whether the last message of a person or a model is a reply. */
  async #isAnswered(head: ForestNode): Promise<boolean> {
    if (!isBetween(head)) return head.message.role === "assistant";
    const path = await this.#deps.store.path(head.id);
    return path.findLast((node) => !isBetween(node))?.message.role === "assistant";
  }
}

/** Forgets the messages that moved to another run, whose own plan stores them. */
function planMoved(run: OwnedRun, now: number): Plan {
  const { writes = [], ...plan } = planWaiting(run, [], now);
  return { ...plan, writes: writes.filter(({ type }) => type !== "delete-waiting") };
}

/** Whether Heddle added the message between those of people and models. */
function isBetween({ message, compacts }: ForestNode): boolean {
  return isCanvasUpdate(message) || compacts !== undefined;
}

interface FullBranch {
  readonly head: ForestNode;
  readonly summary: string;
  readonly remember: Remember<ContinuedRun>;
}
