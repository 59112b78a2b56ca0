import type { Actor } from "../../core/base/actor.ts";
import { assert, must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, RunId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { prefixHash } from "../../core/forest/prefix-hash.ts";
import type { ForestNode, ForestRoot, ModelRequestFacts } from "../../core/forest/types.ts";
import type { Message } from "../../core/message/types.ts";
import type { RunRecord, StoreRefusal, StoreWrite, SubAgentOf } from "../../core/port/store.ts";
import type { TurnEvent } from "../../core/turn/event.ts";
import type { RunFeedBody } from "../../core/turn/feed.ts";
import { isAtRest } from "../../core/turn/precheck.ts";
import type { TurnSettings } from "../../core/turn/settings.ts";
import { transition } from "../../core/turn/transition.ts";
import type { Activity } from "./activities.ts";
import { authorOf } from "./actors.ts";
import type { ApprovalShelf } from "./approval-shelf.ts";
import { ConversationFeed, type Ending } from "./conversation-feed.ts";
import { storeRetryMs, type ConversationPorts, type Reports } from "./conversation-ports.ts";
import type { NewIds } from "./new-ids.ts";
import type { OwnedRun } from "./owned-run.ts";
import {
  planStep,
  statusOf,
  toldNothing,
  type LiveBlock,
  type RunInHand,
  type StepPlan,
  type ToldOfCanvases,
} from "./plan-step.ts";
import type { LeftBlock } from "./ports.ts";
import { restartEvent } from "./recovery.ts";
import { ReportedEvents } from "./reported-events.ts";
import { contextOf } from "./run-context.ts";
import { RunPerformer } from "./run-performer.ts";
import { SerialQueue } from "../serial-queue.ts";
import { settingsWrites } from "./turn-settings.ts";
import type { ConversationView, ConversationWatcher } from "./types.ts";

/** What a new run is, where it is not a person's own. */
export interface NewRun {
  readonly id?: RunId;
  readonly subAgent?: SubAgentOf;
  /** `provider/model`; the conversation's where it is left out. */
  readonly model?: string;
}

/** What rides in the transaction of an event besides what the machine decides. */
export interface Act {
  readonly sender: Actor;
  /** Written first. May depend on what the event leads to, and in which runs: the run itself, then its siblings. */
  readonly writes?: (plan: StepPlan, runIds: readonly RunId[]) => readonly StoreWrite[];
  /** Told before what the event leads to. */
  readonly feed?: readonly RunFeedBody[];
  /** Whose leases end where the event preempts; the run's own by default. */
  readonly preempts?: readonly RunId[];
  /** How a turn that begins asks the model. */
  readonly settings?: TurnSettings;
  /** How the model was asked whose reply the event brings. */
  readonly request?: ModelRequestFacts;
}

interface PlannedStep {
  readonly run: OwnedRun;
  readonly event: TurnEvent;
  readonly plan: StepPlan;
}

export interface ConversationDeps extends ConversationPorts {
  readonly ids: NewIds;
  /** What people allowed for good. */
  readonly shelf: ApprovalShelf;
  /** Called when the conversation's own record has changed. */
  readonly onRootChanged: (root: ForestRoot) => void;
  /** Somebody else has written: what is in memory here is out of date. */
  readonly onLost: () => void;
}

/**
 * One conversation: its runs, its feed and the one queue in which everything about it happens. An event is decided, stored
 * in one transaction, told, and then performed; what comes of that is an event again.
 */
export class Conversation {
  readonly #deps: ConversationDeps;
  readonly #queue = new SerialQueue();
  readonly #runsById = new Map<RunId, OwnedRun>();
  readonly #feed: ConversationFeed;
  readonly #reported: ReportedEvents;
  #root: ForestRoot;
  #ending: Ending | null = null;

  constructor(deps: ConversationDeps, root: ForestRoot, feedSeq: number) {
    this.#deps = deps;
    this.#root = root;
    this.#feed = new ConversationFeed(root.id, feedSeq, deps.platform.logger);
    this.#reported = new ReportedEvents(deps, {
      take: (run, event, act, reporter) => this.take(run, event, act, reporter),
      hasEnded: () => this.#ending !== null,
      enqueue: (job) => this.#enqueue(job),
      failed: (problem) => this.#failed("event-failed", problem),
    });
  }

  /** Takes up a conversation as the store has it, and goes on with whatever a stop had interrupted. */
  static async open(deps: ConversationDeps, root: ForestRoot): Promise<Conversation> {
    const { store, blocks } = deps;
    const conversation = new Conversation(deps, root, await store.feedSeq(root.id));
    for (const record of await store.runs(root.id)) {
      const head = record.headNodeId === null ? null : await store.node(record.headNodeId);
      const owed = isAtRest(record.state) ? [] : await store.effects(record.id);
      conversation.#own({ record, head, liveBlocks: [], owed }, true);
    }
    const left = await blocks.unfinished(root.id);
    await conversation.#queue.run(() => conversation.#recover(left));
    return conversation;
  }

  get root(): ForestRoot {
    return this.#root;
  }

  get runs(): readonly OwnedRun[] {
    return [...this.#runsById.values()];
  }

  run(id: RunId): OwnedRun | undefined {
    return this.#runsById.get(id);
  }

  /** Runs a person's command in the conversation's queue. */
  command<Value>(job: () => Promise<Result<Value, Refusal>>): Promise<Result<Value, Refusal>> {
    return this.#inTurn(async () => (this.#ending === null ? job() : err(refusal(this.#ending))));
  }

  /** A run that begins at a node. It is stored with its first event. */
  newRun(head: ForestNode | null, as: NewRun = {}): OwnedRun {
    const now = this.#deps.platform.clock.now();
    const record: RunRecord = {
      id: as.id ?? this.#deps.ids.run(),
      rootId: this.#root.id,
      headNodeId: head?.id ?? null,
      state: { type: "idle" },
      stateSince: now,
      contextUsed: null,
      subAgent: as.subAgent ?? null,
      eventSeq: 0,
      turnId: null,
      model: as.model ?? this.#root.model,
      queued: null,
      createdAt: now,
      updatedAt: now,
    };
    return this.#own({ record, head, liveBlocks: [], owed: [] }, false);
  }

  /**
   * Decides, stores, tells and performs one event, in one transaction with the siblings that it asks for. Only inside the
   * queue. Null: the event was absorbed. Where it is refused or throws before it is stored, nothing has happened.
   */
  async take(
    run: OwnedRun,
    event: TurnEvent,
    act: Act,
    reporter: Activity | null = null,
  ): Promise<Result<StepPlan | null, Refusal>> {
    const { leases } = this.#deps;
    const restarted = event === run.restart ? ok(null) : await this.#reported.takeRestart(run);
    if (!restarted.ok) return restarted;
    const planned = await this.#plan(run, event, act);
    if (!planned.ok || planned.value === null) {
      if (planned.ok && reporter !== null) run.performer.settle(reporter);
      return planned;
    }
    const plan = planned.value;
    const steps: PlannedStep[] = [{ run, event, plan }];
    const completions = plan.began?.settings.completions ?? 1;
    while (steps.length < completions) steps.push(await this.#sibling(plan, act));
    const runs = steps.map((step) => step.run);
    const runIds = runs.map(({ inHand }) => inHand.record.id);
    const preempted = steps.some((step) => step.plan.preempts) ? (act.preempts ?? runIds) : [];
    const stored = await this.store(
      [
        ...(act.writes?.(plan, runIds) ?? []),
        ...steps.flatMap((step) => this.#writesOf(step)),
        ...leases.preemptWrites(preempted),
      ],
      [...(act.feed ?? []), ...steps.flatMap((step) => step.plan.feed)],
      () => {
        for (const step of steps) {
          step.run.inHand = step.plan.run;
          step.run.stored = true;
        }
      },
    );
    if (!stored.ok) return stored;
    await this.preempted(preempted);
    if (reporter !== null) run.performer.settle(reporter);
    for (const step of steps) {
      this.#close(step.plan.closed, step.event.type === "response-failed" ? "error" : "done");
      await this.#perform(step.run, step.plan);
    }
    return ok(plan);
  }

  /** One transaction with its feed entries; `applied` runs between the disk and the watchers. Only inside the queue. */
  async store(
    writes: readonly StoreWrite[],
    feed: readonly RunFeedBody[],
    applied: () => void,
  ): Promise<Result<void, Refusal>> {
    const entries = this.entries(feed);
    const added = feed.flatMap((body) => (body.type === "node-added" ? [body.node] : []));
    const revisions = added.length === 0 ? [] : await this.#deps.canvases.revisionWrites(added, this.#root.canvasId);
    const all = [...writes, ...revisions, ...entries.writes];
    const committed = all.length === 0 ? ok(undefined) : await this.#deps.store.commit(all);
    if (!committed.ok) return err(this.#refused(committed.error));
    applied();
    entries.tell();
    return ok(undefined);
  }

  /** Takes the heads of all runs from the store, after a change above them that gave them other hashes. Inside the queue. */
  async readHeads(): Promise<void> {
    try {
      for (const run of this.runs) {
        const { head } = run.inHand;
        const stored = head === null ? null : await this.#deps.store.node(head.id);
        if (stored !== null) run.inHand = { ...run.inHand, head: stored };
      }
    } catch (problem) {
      this.#failed("heads-not-read", problem);
      this.#lose();
    }
  }

  /** The next entries of this conversation's feed, for a transaction that is told of when it is on disk. Inside the queue. */
  entries(feed: readonly RunFeedBody[]): { readonly writes: readonly StoreWrite[]; readonly tell: () => void } {
    const entries = this.#feed.next(feed, this.#deps.platform.clock.now());
    return {
      writes: entries.writes,
      tell: () => {
        for (const body of feed) if (body.type === "root-changed") this.#rootChanged(body.root);
        entries.tell();
      },
    };
  }

  /** The run's row with a change that is no event; fenced like one. */
  withRecord(run: OwnedRun, change: Partial<RunRecord>): { readonly inHand: RunInHand; readonly write: StoreWrite } {
    const { record } = run.inHand;
    const next = { ...record, ...change, eventSeq: record.eventSeq + 1, updatedAt: this.#deps.platform.clock.now() };
    return { inHand: { ...run.inHand, record: next }, write: this.#putRun(run, next) };
  }

  /** The nodes below a parent that say these messages already, level by level, as far as they stand. */
  async #standingAll(parent: ForestNode | null, messages: readonly Message[]): Promise<readonly ForestNode[]> {
    const found: ForestNode[] = [];
    for (const message of messages) {
      const node = await this.standing(found.at(-1) ?? parent, message);
      if (node === null) break;
      found.push(node);
    }
    return found;
  }

  /** The node below a parent that says this already. */
  async standing(parent: ForestNode | null, message: Message): Promise<ForestNode | null> {
    const hash = prefixHash(parent?.prefixHash ?? null, message);
    const children = await this.#deps.store.children(this.#root.id, parent?.id ?? null);
    return children.find((child) => child.prefixHash === hash) ?? null;
  }

  /** Tells the tools, once it is on disk, that a person ended the leases of these runs. */
  async preempted(runIds: readonly RunId[]): Promise<void> {
    if (runIds.length > 0) await this.#logged("preempt-leases-failed", () => this.#deps.leases.preempted(runIds));
  }

  /** Joins the feed; see `Conversations.watch`. */
  async watch(afterSeq: number, watcher: ConversationWatcher): Promise<Result<() => void, Refusal>> {
    const { store } = this.#deps;
    return this.command(async () => ok(await this.#feed.join(afterSeq, watcher, { store, view: () => this.#view() })));
  }

  /** It was deleted: nobody finds it any more, and its watchers are told so. Inside the queue. */
  gone(): void {
    this.#terminate("ROOT_NOT_FOUND");
  }

  view(): Promise<Result<ConversationView, Refusal>> {
    return this.command(async () => ok(await this.#view()));
  }

  /** Lets go of everything that is under way, without an event: a later start goes on from what is stored. */
  async close(): Promise<void> {
    this.#ending ??= "SHUTTING_DOWN";
    await Promise.all(this.runs.map((run) => run.performer.stop()));
    await this.#queue.drained();
    this.#terminate("SHUTTING_DOWN");
  }

  async #plan(run: OwnedRun, event: TurnEvent, act: Act): Promise<Result<StepPlan | null, Refusal>> {
    const { ids, platform, models } = this.#deps;
    const { inHand } = run;
    const said = event.type === "message-sent" || event.type === "response-finished" ? event.message : null;
    const told = await this.#told(inHand, event);
    const sent = event.type === "message-sent" ? told.before : [];
    return planStep(inHand, event, {
      sender: act.sender,
      newTurnId: () => ids.turn(),
      newNodeId: () => ids.node(),
      authorOf: (message, sender, turn) => authorOf(message, sender, turn, models),
      model: this.#root.model,
      settings: act.settings ?? {},
      ...(act.request === undefined ? {} : { request: act.request }),
      standing: said === null ? [] : await this.#standingAll(inHand.head, [...sent, said]),
      told,
      now: platform.clock.now(),
    });
  }

  /** What the model of a run is told of canvases, where the event sends a message or ends a turn. */
  async #told({ record, head }: RunInHand, event: TurnEvent): Promise<ToldOfCanvases> {
    const { canvases, store } = this.#deps;
    const next = transition(record.state, event, contextOf(record));
    if (!next.ok) return toldNothing;
    const begins = isAtRest(record.state) && event.type === "message-sent";
    const ends = !isAtRest(record.state) && isAtRest(next.value.state);
    if (!begins && !ends) return toldNothing;
    const path = head === null ? [] : await store.path(head.id);
    const { turnId } = record;
    const after = ends ? await canvases.afterTurn({ path, turnId }) : [];
    const takesNext = next.value.state.type === "idle" && record.queued !== null;
    if (!begins && !takesNext) return { ...toldNothing, after };
    const branch = ends ? { path, turnId: null, told: after } : { path, turnId, told: [] };
    const { updates, canvas } = await canvases.beforeMessage(branch, this.#root.canvasId);
    return { after, before: updates, canvas };
  }

  /** One more run beside a run whose turn begins: it asks for another reply to the same message. */
  async #sibling(plan: StepPlan, act: Act): Promise<PlannedStep> {
    const run = this.newRun(plan.run.head);
    const event = { type: "reply-requested" } as const;
    const planned = await this.#plan(run, event, { ...act, settings: plan.began?.settings ?? {} });
    assert(planned.ok && planned.value !== null, "a new run takes the wish for a reply");
    return { run, event, plan: planned.value };
  }

  #writesOf({ run, plan }: PlannedStep): readonly StoreWrite[] {
    const done = plan.finished.length === run.inHand.owed.length;
    const { id: runId } = run.inHand.record;
    return [
      ...plan.nodes.map((node) => ({ type: "put-node", node }) as const),
      this.#putRun(run, plan.run.record),
      ...plan.taken.map((record) => ({ type: "put-run-event", record }) as const),
      ...(plan.finished.length === 0
        ? []
        : done
          ? [{ type: "finish-effects-of-run", runId } as const]
          : plan.finished.map(({ id }) => ({ type: "finish-effect", id }) as const)),
      ...plan.performed.flatMap(({ record }) =>
        record === null ? [] : [{ type: "put-effect", effect: record } as const],
      ),
      ...settingsWrites(plan),
    ];
  }

  /** Does something in the queue. A run that the store has not heard of by then ends with what it was made for. */
  #inTurn<Value>(job: () => Promise<Value>): Promise<Value> {
    return this.#queue.run(async () => {
      try {
        return await job();
      } finally {
        for (const [id, { stored }] of this.#runsById) if (!stored) this.#runsById.delete(id);
      }
    });
  }

  async #recover(left: readonly LeftBlock[]): Promise<void> {
    const { models, tools, platform } = this.#deps;
    const broken = new Set<unknown>();
    for (const run of this.runs) {
      const { record } = run.inHand;
      if (isAtRest(record.state)) continue;
      broken.add(record.id);
      const effects = run.inHand.owed;
      const event = restartEvent({ run: record, effects, blocks: left }, { models, tools, now: platform.clock.now() });
      await this.#reported.restart(run, event);
    }
    for (const block of left) this.#close([block.id], broken.has(block.metadata["run_id"]) ? "error" : "done");
  }

  async #perform(run: OwnedRun, plan: StepPlan): Promise<void> {
    if (this.#ending !== null) return;
    const { record } = run.inHand;
    const turn = { runId: record.id, turnId: must(record.turnId, "a turn is under way"), model: record.model };
    const scene = { run: record, root: this.#root, turn };
    await run.performer.performAll(
      scene,
      plan.performed,
      (problem) => this.#failed("effect-failed", problem),
      () => this.#ending === null,
    );
  }

  #own(inHand: RunInHand, stored: boolean): OwnedRun {
    const reports: Reports = {
      event: (activity, event, request) =>
        this.#enqueue(() => this.#reported.take(run, { activity, event, ...(request && { request }) })),
      block: (activity, id, callId) => this.#enqueue(() => this.#showBlock(run, activity, { id, callId })),
      intent: (effectId) => this.#intent(effectId),
      again: (activity, job) =>
        this.#enqueue(async () => {
          if (this.#ending === null && run.performer.isCurrent(activity)) await job();
        }),
    };
    const performer = new RunPerformer(this.#deps, reports, this.#deps.shelf);
    const run: OwnedRun = { inHand, stored, restart: null, performer };
    this.#runsById.set(inHand.record.id, run);
    return run;
  }

  async #intent(effectId: string): Promise<boolean> {
    const { store, platform } = this.#deps;
    try {
      const committed = await store.commit([{ type: "start-effect", id: effectId, at: platform.clock.now() }]);
      if (!committed.ok) this.#refused(committed.error);
      return committed.ok;
    } catch (problem) {
      this.#failed("intent-not-stored", problem);
      return false;
    }
  }

  async #showBlock(run: OwnedRun, activity: Activity, block: LiveBlock): Promise<void> {
    if (this.#ending !== null) return;
    if (!run.performer.isCurrent(activity)) return this.#close([block.id], "error");
    run.inHand = { ...run.inHand, liveBlocks: [...run.inHand.liveBlocks, block] };
    await this.#tellBlock(run, block);
  }

  /** Tells of a live block, while it is one, as soon as the store takes that. */
  async #tellBlock(run: OwnedRun, block: LiveBlock): Promise<void> {
    if (this.#ending !== null || !run.inHand.liveBlocks.includes(block)) return;
    try {
      if ((await this.store([], [statusOf(run.inHand)], () => {})).ok) return;
    } catch (problem) {
      this.#failed("live-block-not-told", problem);
    }
    this.#deps.platform.clock.setTimer(storeRetryMs, () => this.#enqueue(() => this.#tellBlock(run, block)));
  }

  #close(ids: readonly BlockId[], status: "done" | "error"): void {
    for (const id of ids) void this.#logged("live-block-not-closed", () => this.#deps.blocks.finish(id, status));
  }

  #putRun(run: OwnedRun, record: RunRecord): StoreWrite {
    return { type: "put-run", run: record, expectedEventSeq: run.stored ? run.inHand.record.eventSeq : null };
  }

  async #view(): Promise<ConversationView> {
    return {
      seq: this.#feed.seq,
      root: this.#root,
      nodes: await this.#deps.store.nodes(this.#root.id),
      runs: this.runs.map((run) => statusOf(run.inHand)),
      bookmarks: await this.#deps.store.bookmarks(this.#root.id),
    };
  }

  #refused(refused: StoreRefusal): Refusal {
    if (refused.code === "CONFLICT") this.#lose();
    const facts = "reason" in refused ? { reason: refused.reason } : {};
    return refused.code === "DUPLICATE_REQUEST" ? refusal("CONFLICT") : refusal(refused.code, facts);
  }

  /** What is in memory is not what is stored: others take the conversation up anew. */
  #lose(): void {
    for (const run of this.runs) run.performer.drop();
    this.#terminate("CONFLICT");
    this.#deps.onLost();
  }

  #rootChanged(root: ForestRoot): void {
    this.#root = root;
    this.#deps.onRootChanged(root);
  }

  #terminate(reason: Ending): void {
    this.#ending ??= reason;
    this.#feed.terminate(reason);
  }

  #enqueue(job: () => Promise<void>): void {
    void this.#logged("conversation-failed", () => this.#inTurn(job));
  }

  async #logged(what: string, job: () => Promise<void>): Promise<void> {
    try {
      await job();
    } catch (problem) {
      this.#failed(what, problem);
    }
  }

  #failed(what: string, problem: unknown): void {
    this.#deps.platform.logger.error(what, { rootId: this.#root.id, reason: reasonOf(problem) });
  }
}
