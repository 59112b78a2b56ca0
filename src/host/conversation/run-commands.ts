import type { Actor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RunId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { prefixHash } from "../../core/forest/prefix-hash.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { isCanvasUpdate } from "../../core/message/canvas-update.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { argumentsHash, ruleFor } from "../../core/turn/judge-call.ts";
import { acceptsMessage } from "../../core/turn/precheck.ts";
import type { TurnSettings } from "../../core/turn/settings.ts";
import type { CancelReason } from "../../core/turn/state.ts";
import { heddle } from "./actors.ts";
import type { CommandGround } from "./command-ground.ts";
import { continuationMessage } from "./continuation.ts";
import type { Conversation, ConversationDeps } from "./conversation.ts";
import type { OwnedRun } from "./owned-run.ts";
import { joinPlans, planHead, planQueued, type Plan } from "./plan.ts";
import { findTurnTool } from "./turn-tools.ts";
import { contextOf } from "./run-context.ts";
import type { ApprovalAnswer, ContinuedRun, QuestionAnswer } from "./types.ts";

/** What people ask of a run that is there: to stop, to try again, to take their answer, to sum up, to go on. */
export class RunCommands {
  readonly #ground: CommandGround;
  readonly #deps: ConversationDeps;
  readonly #conversation: Conversation;

  constructor(ground: CommandGround) {
    this.#ground = ground;
    this.#deps = ground.deps;
    this.#conversation = ground.conversation;
  }

  retry(actor: Actor, runId: RunId, settings: TurnSettings): Promise<Result<void, Refusal>> {
    return this.#ground.withRun(runId, async (run) => {
      const { head, record } = run.snapshot;
      const accepted = acceptsMessage(record.state);
      if (!accepted.ok) return accepted;
      if (head === null || (await this.#isAnswered(head))) {
        return err(
          refusal("MESSAGE_INVALID", {}, "The last message is an answer; send a message, or ask for another reply."),
        );
      }
      const whole = await this.#ground.isWhole(head);
      if (!whole.ok) return whole;
      return this.#conversation.take(run, { type: "reply-requested" }, { sender: actor, settings });
    });
  }

  cancel(actor: Actor, runId: RunId, reason: CancelReason): Promise<Result<void, Refusal>> {
    return this.#ground.withRun(runId, (run) =>
      this.#conversation.take(run, { type: "turn-cancelled", reason }, { sender: actor }),
    );
  }

  /** Sums a branch up now. Its model must be able to read it to its end. */
  summarize(actor: Actor, runId: RunId, settings: TurnSettings): Promise<Result<void, Refusal>> {
    return this.#ground.withRun(runId, async (run) => {
      const { head, record } = run.snapshot;
      const accepted = acceptsMessage(record.state);
      if (!accepted.ok) return accepted;
      if (head === null) return err(refusal("MESSAGE_INVALID", {}, "There is nothing to sum up yet."));
      const whole = await this.#ground.isWhole(head);
      if (!whole.ok) return whole;
      return this.#conversation.take(run, { type: "summary-requested" }, { sender: actor, settings });
    });
  }

  /** One branch goes on with a full one; asked again, it is the same. A message that waited for the full one is sent there. */
  continueRun(runId: RunId): Promise<Result<ContinuedRun, Refusal>> {
    return this.#ground.withRun(runId, async (run) => {
      const { record, head } = run.snapshot;
      const { state } = record;
      if (state.type !== "context-exhausted" || head === null) {
        return err(refusal("INVALID_TRANSITION", { state: state.type, expected: "context-exhausted" }));
      }
      const tops = await this.#deps.store.children(this.#ground.rootId, null);
      for (const { id: nodeId, continues, runId: begun } of tops) {
        if (continues === head.id && begun !== null) return ok({ nodeId, runId: begun });
      }
      return this.#continue(run, head, state.summary);
    });
  }

  /** A person's word on a call. It counts once, for exactly that call, and not after its time. */
  answerApproval(actor: Actor, answer: ApprovalAnswer): Promise<Result<void, Refusal>> {
    const { runId, callId, argumentsHash: hash, decision, remember, note } = answer;
    return this.#ground.withRun(runId, async (run) => {
      const { state } = run.snapshot.record;
      const open = state.type === "awaiting-approval" && state.request.callId === callId ? state.request : null;
      if (open !== null && open.expiresAt <= this.#deps.platform.clock.now()) {
        const expired = await this.#conversation.take(run, { type: "approval-expired", callId }, { sender: heddle });
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
        this.#conversation.take(run, event, { sender: actor, alongside: () => ({ writes }) });
      const call = state.type === "awaiting-approval" ? state.pending.find(({ id }) => id === callId) : undefined;
      if (decision === "deny" || remember === "once" || call === undefined || open === null) return take([]);
      const { record } = run.snapshot;
      const tool =
        findTurnTool(contextOf(record).kind, call.name)?.facts ??
        this.#deps.tools.facts(call.name, record.turnId ?? undefined);
      // What the tool has become since was not what the person saw.
      if (tool === null || argumentsHash(tool, call.parameters) !== hash) return take([]);
      const { root } = this.#conversation;
      const rootId = remember === "always" ? null : (root.parent?.rootId ?? root.id);
      const rule = ruleFor(
        { tool, argumentsHash: hash, parameters: call.parameters, reason: open.reason },
        {
          id: this.#deps.shelf.newId(rootId),
          rootId,
          createdAt: this.#deps.platform.clock.now(),
          createdBy: actor.name,
        },
      );
      return this.#deps.shelf.remember(rule, (write) => take([write]));
    });
  }

  answerQuestion(actor: Actor, { runId, callId, answers }: QuestionAnswer): Promise<Result<void, Refusal>> {
    return this.#ground.withRun(runId, (run) =>
      this.#conversation.take(run, { type: "question-answered", callId, answers }, { sender: actor }),
    );
  }

  async #continue(run: OwnedRun, head: ForestNode, summary: string): Promise<Result<ContinuedRun, Refusal>> {
    const now = this.#deps.platform.clock.now();
    const { model, queued } = run.snapshot.record;
    const message = continuationMessage(head.id, summary);
    const placed = this.#ground.placed({ message, prefixHash: prefixHash(null, message) }, null, heddle);
    const runId = this.#deps.ids.run();
    const node: ForestNode = { ...placed, runId, continues: head.id };
    const next = this.#conversation.newRun(node, { id: runId, model });
    const branch: Plan = { writes: [{ type: "put-node", node }], feed: [{ type: "node-added", node }] };
    const committed =
      queued === null
        ? await this.#conversation.commit(joinPlans(branch, planHead(next, node, now)))
        : await this.#conversation.take(
            next,
            { type: "message-sent", message: queued.message },
            {
              sender: queued.actor,
              settings: queued.settings ?? {},
              alongside: () => joinPlans(branch, planQueued(run, null, now)),
            },
          );
    return committed.ok ? ok({ nodeId: node.id, runId }) : committed;
  }

  /** Whether the last that anybody said is an answer. */
  async #isAnswered(head: ForestNode): Promise<boolean> {
    if (!isCanvasUpdate(head.message)) return head.message.role === "assistant";
    const path = await this.#deps.store.path(head.id);
    return path.findLast(({ message }) => !isCanvasUpdate(message))?.message.role === "assistant";
  }
}
