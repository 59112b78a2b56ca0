import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RunId } from "../../../core/base/ids.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { Activity } from "../base/activities.ts";
import type { ApprovalRules } from "../run/approval-rules.ts";
import type { EndReason } from "./conversation-feed.ts";
import type { ConversationPorts, Reports } from "../base/conversation-ports.ts";
import { ConversationState } from "./conversation-state.ts";
import type { EventContext } from "../plan/event-context.ts";
import { EventProcessor } from "./event-processor.ts";
import type { NewIds } from "../base/new-ids.ts";
import { newRunSnapshot, type NewRun } from "../run/new-run.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { Plan } from "../plan/plan.ts";
import type { UnfinishedBlock } from "../base/ports.ts";
import { placeOfLeft, restartOf } from "../run/recovery.ts";
import { ReportedEvents } from "./reported-events.ts";
import { RunBlocks } from "./run-blocks.ts";
import { RunPerformer } from "../run/run-performer.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { Restart, RunSnapshot } from "../base/run-snapshot.ts";
import { SerialQueue } from "../../base/serial-queue.ts";
import type { ConversationView, ConversationWatcher, Segment, SegmentWish } from "../base/types.ts";

export interface ConversationDeps extends ConversationPorts {
  readonly ids: NewIds;
  /** The approval rules that people made. */
  readonly approvalRules: ApprovalRules;
  /** Called when the conversation's own record has changed. */
  readonly onRootChanged: (root: ForestRoot) => void;
  /** Called when messages were added or runs have changed, with the time of the newest message if there is one. */
  readonly onActivity: (root: ForestRoot, addedAt: number | null, states: readonly TurnState[]) => void;
  /** Called when another process wrote to the conversation, which makes this memory stale. */
  readonly onConflict: () => void;
}

/** A run that was interrupted, and how it goes on. */
interface BrokenRun {
  readonly run: OwnedRun;
  readonly restart: Restart;
}

/**
 * One conversation and the one queue in which everything about it happens: people's commands, the reports of its runs, and
 * the recovery of interrupted work.
 */
export class Conversation {
  readonly #deps: ConversationDeps;
  readonly #queue = new SerialQueue();
  readonly #state: ConversationState;
  readonly #events: EventProcessor;
  readonly #reported: ReportedEvents;
  readonly #blocks: RunBlocks;
  #ending: EndReason | null = null;

  constructor(
    deps: ConversationDeps,
    stored: { readonly root: ForestRoot; readonly feedSeq: number; readonly runs: readonly RunSnapshot[] },
  ) {
    const own = {
      commit: (plan: Plan) => this.commit(plan),
      hasEnded: () => this.#ending !== null,
      enqueue: (job: () => Promise<void>) => this.#enqueue(job),
      failed: (what: string, problem: unknown) => this.#failed(what, problem),
    };
    this.#deps = deps;
    this.#blocks = new RunBlocks({ ports: deps, ...own });
    this.#events = new EventProcessor(deps, {
      ...own,
      root: () => this.root,
      newRun: (head) => this.newRun(head),
      allRunIds: () => this.runs.map(({ id }) => id),
      closeBlocks: (blocks, status) => this.#blocks.close(blocks, status),
    });
    this.#reported = new ReportedEvents(deps, {
      ...own,
      take: (run, event, context, reporter) => this.take(run, event, context, reporter),
    });
    this.#state = new ConversationState(
      {
        ...deps,
        performerOf: (run) => new RunPerformer(deps, this.#reportsOf(run), deps.approvalRules),
        onConflict: () => this.#closeOnConflict(),
      },
      stored,
    );
  }

  /** Opens a stored conversation and resumes interrupted runs. */
  static async open(deps: ConversationDeps, root: ForestRoot): Promise<Conversation> {
    const { store, blocks } = deps;
    const feedSeq = await store.feedSeq(root.id);
    const runs: RunSnapshot[] = [];
    for (const record of await store.runs(root.id)) {
      const head = record.headNodeId === null ? null : await store.node(record.headNodeId);
      const openEffects = isSettled(record.state) ? [] : await store.effects(record.id);
      const waiting = await store.waiting(record.id);
      runs.push({ record, head, liveBlocks: [], waiting, openEffects, isStored: true, restart: null });
    }
    const conversation = new Conversation(deps, { root, feedSeq, runs });
    const left = await blocks.unfinished(root.id);
    await conversation.#queue.run(() => conversation.#recover(left));
    return conversation;
  }

  get root(): ForestRoot {
    return this.#state.root;
  }

  get runs(): readonly OwnedRun[] {
    return this.#state.runs;
  }

  run(id: RunId): OwnedRun | undefined {
    return this.#state.run(id);
  }

  /** Whether memory holds nothing that the store does not: nobody watches, and nothing works or waits. */
  get isIdle(): boolean {
    return this.#queue.isEmpty && this.#state.isIdle;
  }

  /** Ends an idle conversation, which is opened again from the store when somebody looks at it. */
  retire(): void {
    this.#terminate("CONFLICT");
  }

  /** Runs a person's command in the conversation's queue. */
  command<Value>(job: () => Promise<Result<Value, Refusal>>): Promise<Result<Value, Refusal>> {
    return this.#queue.run(async () => (this.#ending === null ? job() : err(refusal(this.#ending))));
  }

  /** A new run at a node. It joins the conversation with the first commit that changes it. */
  newRun(head: ForestNode | null, as: NewRun = {}): OwnedRun {
    const { ids, platform } = this.#deps;
    const snapshot = newRunSnapshot(this.root, head, { ...as, id: as.id ?? ids.run(), now: platform.clock.now() });
    return this.#state.draftRun(snapshot);
  }

  /** Applies one event to a run; see `EventProcessor`. Only in the queue. */
  async take(
    run: OwnedRun,
    event: TurnEvent,
    context: EventContext,
    reporter: Activity | null = null,
  ): Promise<Result<void, Refusal>> {
    const restarted = event === run.snapshot.restart?.event ? ok(undefined) : await this.#reported.takeRestart(run);
    return restarted.ok ? this.#events.take(run, event, context, reporter) : restarted;
  }

  /** Commits a plan, the only way to change the conversation. Only in the queue. */
  commit(plan: Plan): Promise<Result<void, Refusal>> {
    return this.#state.commit(plan);
  }

  /** Commits a plan in one transaction with feed entries of another conversation. Only in the queues of both. */
  commitWith(
    plan: Plan,
    elsewhere: { readonly conversation: Conversation; readonly feed: readonly RunFeedBody[] },
  ): Promise<Result<void, Refusal>> {
    return this.#state.commit(plan, [{ state: elsewhere.conversation.#state, feed: elsewhere.feed }]);
  }

  /** Reads the heads of all runs again after a change above them changed their hashes. Only in the queue. */
  async readHeads(): Promise<void> {
    try {
      const runs = [];
      for (const run of this.runs) {
        const { head } = run.snapshot;
        const stored = head === null ? null : await this.#deps.store.node(head.id);
        if (stored !== null) runs.push({ run, next: { ...run.snapshot, head: stored } });
      }
      await this.commit({ runs });
    } catch (problem) {
      this.#failed("heads-not-read", problem);
      this.#closeOnConflict();
    }
  }

  /** Joins the feed; see `Conversations.watch`. */
  async watch(
    afterSeq: number,
    watcher: ConversationWatcher,
    segment?: SegmentWish,
  ): Promise<Result<() => void, Refusal>> {
    return this.command(async () => ok(await this.#state.join(afterSeq, watcher, segment)));
  }

  /** Reads a part of the conversation between two changes. */
  segment(wish: SegmentWish): Promise<Result<Segment & { readonly seq: number }, Refusal>> {
    return this.command(async () => ok(await this.#state.segment(wish)));
  }

  /** Ends the conversation after its deletion and notifies its watchers. Only in the queue. */
  end(): void {
    this.#terminate("IN_TRASH");
  }

  view(): Promise<Result<ConversationView, Refusal>> {
    return this.command(async () => ok(await this.#state.view()));
  }

  /** Stops all work without an event: the next start resumes from the store. */
  async close(): Promise<void> {
    this.#ending ??= "SHUTTING_DOWN";
    await Promise.all(this.runs.map((run) => run.performer.stop()));
    await this.#queue.drained();
    this.#terminate("SHUTTING_DOWN");
  }

  async #recover(left: readonly UnfinishedBlock[]): Promise<void> {
    const { models, tools, platform, restartsAfter } = this.#deps;
    const broken: BrokenRun[] = [];
    for (const run of this.runs) {
      const { record, openEffects } = run.snapshot;
      if (isSettled(record.state)) continue;
      const remains = { run: record, effects: openEffects, blocks: left };
      const restart = restartOf(remains, { models, tools, now: platform.clock.now() });
      await this.#reported.expectRestart(run, restart);
      broken.push({ run, restart });
    }
    if (restartsAfter === undefined) return this.#goOn(broken, left);
    void restartsAfter.then(() => this.#enqueue(() => this.#goOn(broken, left)));
  }

  /** Lets interrupted runs go on, and closes what they showed. */
  async #goOn(runs: readonly BrokenRun[], left: readonly UnfinishedBlock[]): Promise<void> {
    if (this.#ending !== null) return;
    const broken = new Set<unknown>();
    for (const { run, restart } of runs) {
      broken.add(run.id);
      await this.#reported.restart(run, restart);
    }
    for (const block of left) {
      const place = placeOfLeft(await this.#aroundHead(block), block);
      const closed = place === null ? { id: block.id } : { id: block.id, place };
      this.#blocks.close([closed], broken.has(block.metadata["run_id"]) ? "error" : "done");
    }
  }

  /** Returns the branch of a left block's run, and what is beside its end: a broken attempt. */
  async #aroundHead({ metadata }: UnfinishedBlock): Promise<readonly ForestNode[]> {
    const head = this.runs.find(({ id }) => id === metadata["run_id"])?.snapshot.head ?? null;
    if (head === null) return [];
    const { store } = this.#deps;
    return [...(await store.path(head.id)), ...(await store.children(this.root.id, head.id))];
  }

  #reportsOf(run: () => OwnedRun): Reports {
    return {
      event: (activity, event, beside = {}) =>
        this.#enqueue(() => this.#reported.take(run(), { ...beside, activity, event })),
      block: (activity, id, callId) => this.#enqueue(() => this.#blocks.show(run(), activity, { id, callId })),
      intent: (effectId, also) => this.#start(effectId, also),
      again: (activity, job) =>
        this.#enqueue(async () => {
          if (this.#ending === null && run().performer.isCurrent(activity)) await job();
        }),
    };
  }

  async #start(effectId: string, also: readonly StoreWrite[]): Promise<boolean> {
    try {
      return await this.#state.start(effectId, also);
    } catch (problem) {
      this.#failed("intent-not-stored", problem);
      return false;
    }
  }

  /** Closes the conversation because memory no longer matches the store; it is opened again from the store. */
  #closeOnConflict(): void {
    for (const run of this.runs) run.performer.drop();
    this.#terminate("CONFLICT");
    this.#deps.onConflict();
  }

  #terminate(reason: EndReason): void {
    this.#ending ??= reason;
    this.#state.terminate(reason);
  }

  #enqueue(job: () => Promise<void>): void {
    void this.#queue.run(job).catch((problem: unknown) => this.#failed("conversation-failed", problem));
  }

  #failed(what: string, problem: unknown): void {
    this.#deps.platform.logger.error(what, { rootId: this.root.id, reason: reasonOf(problem) });
  }
}
