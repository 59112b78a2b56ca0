import { must } from "../../../core/base/assert.ts";
import type { Actor } from "../../../core/base/actor.ts";
import type { RunId } from "../../../core/base/ids.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { TurnAskers } from "../../../core/port/store.ts";
import { transition } from "../../../core/turn/transition.ts";
import type { Activity } from "../base/activities.ts";
import { authorOf } from "../base/actors.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { decide, settingsOf, type Decision, type DecidedTurn } from "../base/decide.ts";
import type { EventContext } from "../plan/event-context.ts";
import type { ClosedBlock } from "../plan/plan-run.ts";
import { gather } from "../plan/gather.ts";
import { modelsOfTurn } from "../base/models-of-turn.ts";
import type { NewIds } from "../base/new-ids.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { Plan } from "../plan/plan.ts";
import { planEvent, type DecidedRun, type EventPlan, type FollowUp } from "../plan/plan-event.ts";

/** The conversation whose runs accept the events. */
interface Owner {
  readonly root: () => ForestRoot;
  readonly newRun: (head: ForestNode | null) => OwnedRun;
  readonly allRunIds: () => readonly RunId[];
  readonly commit: (plan: Plan) => Promise<Result<void, Refusal>>;
  readonly closeBlocks: (blocks: readonly ClosedBlock[], status: "done" | "error") => void;
  readonly hasEnded: () => boolean;
  readonly failed: (what: string, problem: unknown) => void;
}

/**
 * Processes one event in the conversation's queue: decide, gather the facts the decision needs, plan, commit, perform. If it
 * is refused or throws before the commit, nothing has happened.
 */
export class EventProcessor {
  readonly #ports: ConversationPorts & { readonly ids: NewIds };
  readonly #owner: Owner;

  constructor(ports: ConversationPorts & { readonly ids: NewIds }, owner: Owner) {
    this.#ports = ports;
    this.#owner = owner;
  }

  /**
   * Applies an event to a run, in one transaction with the siblings it asks for; `reporter` is the activity that reported
   * it.
   */
  async take(
    run: OwnedRun,
    event: TurnEvent,
    context: EventContext,
    reporter: Activity | null,
  ): Promise<Result<void, Refusal>> {
    const decision = this.#decide(run, event, context);
    if (decision.type === "refused") return err(decision.refusal);
    const over = decision.type === "absorbed" ? null : await this.#whyNoTurn(decision, context);
    if (over !== null) return err(over);
    const { plan, followUps } =
      decision.type === "absorbed" ? planAbsorbed(run) : await this.#plan({ run, decision }, context);
    const committed = await this.#owner.commit(plan);
    if (!committed.ok) return committed;
    if (reporter !== null && !isInMidst(event)) run.performer.settle(reporter);
    for (const followUp of followUps) await this.#perform(followUp);
    return committed;
  }

  #decide(run: OwnedRun, event: TurnEvent, { sender, settings = {}, interruption }: EventContext): Decision {
    const sent = { event, sender, settings, ...(interruption && { interruption }) };
    return decide(this.#ports.machine ?? transition, run.snapshot, sent);
  }

  /** Returns why a turn may not begin: the budget of who would begin it is used up. A waiting message is judged in its turn. */
  async #whyNoTurn({ first }: DecidedTurn, context: EventContext): Promise<Refusal | null> {
    const { budgets, rights } = this.#ports;
    if (!first.begins || budgets === undefined || rights === undefined) return null;
    const asked = this.#askersOf(first.sender, context);
    // Until it is known whose a token is, no request is sent.
    return rights.isKnown(asked) ? budgets.whyNot(rights.payerOf(asked)) : null;
  }

  #askersOf(sender: Actor, { askers }: EventContext): TurnAskers {
    return askers ?? this.#ports.rights?.askersOf(sender) ?? {};
  }

  async #plan(taken: DecidedRun, context: EventContext): Promise<EventPlan> {
    const { ids, platform, models } = this.#ports;
    const root = this.#owner.root();
    const askersOf = (sender: Actor, begins: boolean): TurnAskers =>
      begins ? this.#askersOf(sender, context) : (this.#ports.rights?.askersOf(sender) ?? {});
    const { snapshot } = taken.run;
    const gathered = await gather({ ...this.#ports, askersOf }, root, snapshot, taken.decision);
    return planEvent(taken, this.#siblingsOf(taken), gathered, {
      newTurnId: () => ids.turn(),
      newDraftId: () => ids.draft(),
      askersOf,
      payerOf: (asked) => this.#ports.rights?.payerOf(asked) ?? null,
      newNodeId: () => ids.node(),
      authorOf: (message, author, turn) => authorOf(message, author, turn, models),
      root,
      modelsFor: (settings) => modelsOfTurn(models, root, settings),
      now: platform.clock.now(),
      // A person's message ends the leases of all runs of the conversation once it is taken.
      ...(taken.decision.taken.length === 0 ? {} : { preempts: this.#owner.allRunIds() }),
      ...context,
    });
  }

  /** New runs beside a run whose turn begins, one per further reply requested. */
  #siblingsOf({ decision }: DecidedRun): readonly DecidedRun[] {
    // Of a message that waited it is who sent it, not what made its run idle.
    const { sender } = decision.queued ?? decision.first;
    const { completions = 1, ...asked } = settingsOf(decision) ?? {};
    const rest = { ...asked, inDraft: true };
    return Array.from({ length: Math.max(0, completions - 1) }, () => {
      const run = this.#owner.newRun(null);
      const wish = this.#decide(run, { type: "reply-requested" }, { sender, settings: rest });
      return {
        run,
        decision: must(wish.type === "applied" ? wish : null, "a new run accepts the request for a reply"),
      };
    });
  }

  /** Closes the live blocks that an event replaced, and performs its effects. */
  async #perform({ run, performed, closed, closedAs }: FollowUp): Promise<void> {
    const { closeBlocks, failed, hasEnded, root } = this.#owner;
    closeBlocks(closed, closedAs);
    if (hasEnded()) return;
    const { record } = run.snapshot;
    const turn = { runId: record.id, turnId: must(record.turnId, "a turn is under way"), model: record.model };
    const context: EffectContext = { run: record, root: root(), turn };
    await run.performer.performAll(
      context,
      performed,
      (problem) => failed("effect-failed", problem),
      () => !hasEnded(),
    );
  }
}

/** An absorbed event stores nothing; a run that absorbed its restart event accepts other events from then on. */
function planAbsorbed(run: OwnedRun): EventPlan {
  const { snapshot } = run;
  const runs = snapshot.restart === null ? [] : [{ run, next: { ...snapshot, restart: null } }];
  return { plan: { runs }, followUps: [] };
}

/**
 * Whether an activity reports it and goes on: the program of a call asks, or was not answered in time; or the turn is over, which
 * drops the activities that it does not wait for.
 */
function isInMidst({ type, ...event }: TurnEvent): boolean {
  return type === "question-answered" || type === "turn-cancelled" || (type === "question-asked" && "asker" in event);
}
