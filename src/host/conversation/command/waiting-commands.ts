import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { UserMessage } from "../../../core/message/types.ts";
import type { CommandParams } from "../../../core/protocol/commands.ts";
import { acceptsMessage, isSettled } from "../../../core/turn/step/precheck.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { Delivery, WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { Remember } from "../../base/once.ts";
import type { ChangedWaiting, SentMessage, WithdrawnMessage } from "../base/types.ts";
import { changed, fits, inPlace, placeIn } from "../base/waiting-list.ts";
import { joinPlans, planWaiting } from "../plan/plan.ts";
import type { EventContext } from "../plan/event-context.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { CommandBase } from "./command-base.ts";

/** A message that a person sends to a run at work. */
interface LateMessage {
  readonly actor: Actor;
  readonly message: UserMessage;
  readonly settings: TurnSettings;
}

/** What people do with messages that wait for a run. Runs in the conversation's queue. */
export class WaitingCommands {
  readonly #base: CommandBase;

  constructor(base: CommandBase) {
    this.#base = base;
  }

  /** Adds a message behind those that wait, or interrupts the turn for it. */
  async add(
    run: OwnedRun,
    { actor, message, settings }: LateMessage,
    deliver: Exclude<Delivery, "refuse">,
    remember: Remember<SentMessage>,
  ): Promise<Result<SentMessage, Refusal>> {
    const { ids, platform } = this.#base.deps;
    const { waiting } = run.snapshot;
    const added: WaitingMessage = {
      id: ids.node(),
      runId: run.id,
      place: placeIn(waiting, deliver === "interrupt" ? "first" : "last"),
      version: 1,
      state: "waiting",
      deliver: deliver === "interrupt" ? "queue" : deliver,
      message,
      actor,
      settings,
      at: platform.clock.now(),
    };
    const fit = fits([...waiting, added]);
    if (!fit.ok) return fit;
    let answer: SentMessage = { nodeId: null, runId: run.id, runIds: [run.id], queued: true, waitingId: added.id };
    const writes = () => remember(answer, this.#base.rootId);
    if (deliver === "interrupt" && !isStopping(run)) {
      const interrupted = await this.#interrupt(run, added, actor, ({ headNodeId, runIds }) => {
        if (headNodeId === added.id) answer = { ...answer, nodeId: added.id, runIds, queued: false, waitingId: null };
        return { writes: writes() };
      });
      return interrupted.ok ? ok(answer) : interrupted;
    }
    const plan = planWaiting(run, inPlace([...waiting, added]), platform.clock.now());
    const committed = await this.#base.conversation.commit(
      joinPlans(plan, { writes: writes(), preempts: deliver === "interrupt" ? this.#base.allRunIds : [] }),
    );
    return committed.ok ? ok(answer) : committed;
  }

  /** Changes a waiting message, against the version that the person saw; sends it where the run is free. */
  change(
    actor: Actor,
    { runId, id, version, ...change }: CommandParams<"waiting.change">,
    remember: Remember<ChangedWaiting>,
  ): Promise<Result<ChangedWaiting, Refusal>> {
    return this.#base.withRun(runId, async (run) => {
      const found = await this.#find(run, id, version);
      if (!found.ok) return found;
      const next = edited(run, found.value, { ...change, actor });
      if (!next.ok) return next;
      const waiting = placed(run.snapshot.waiting, next.value, change.before);
      const fit = fits(waiting);
      if (!fit.ok) return fit;
      const { state } = run.snapshot.record;
      let answer: ChangedWaiting = { version: next.value.version, nodeId: null };
      const writes = () => remember(answer, this.#base.rootId);
      if (next.value.state === "waiting" && isSettled(state)) {
        answer = { ...answer, nodeId: id };
        return this.#send(run, next.value, { alongside: () => ({ writes: writes() }) }, answer);
      }
      if (change.deliver === "interrupt" && !isStopping(run)) {
        const done = await this.#interrupt(run, next.value, actor, ({ headNodeId }) => {
          if (headNodeId === id) answer = { ...answer, nodeId: id };
          return { writes: writes() };
        });
        return done.ok ? ok(answer) : done;
      }
      const plan = planWaiting(run, waiting, this.#base.deps.platform.clock.now());
      const committed = await this.#base.conversation.commit(joinPlans(plan, { writes: writes() }));
      return committed.ok ? ok(answer) : committed;
    });
  }

  /** Removes a waiting message; its text goes back to the person who asked. */
  withdraw(
    { runId, id, version }: CommandParams<"waiting.withdraw">,
    remember: Remember<WithdrawnMessage>,
  ): Promise<Result<WithdrawnMessage, Refusal>> {
    return this.#base.withRun(runId, async (run) => {
      const found = await this.#find(run, id, version);
      if (!found.ok) return found;
      const answer = { text: found.value.message.content.flatMap(textIn).join("\n\n") };
      const left = run.snapshot.waiting.filter((each) => each.id !== id);
      const plan = planWaiting(run, left, this.#base.deps.platform.clock.now());
      const committed = await this.#base.conversation.commit(
        joinPlans(plan, { writes: remember(answer, this.#base.rootId) }),
      );
      return committed.ok ? ok(answer) : committed;
    });
  }

  /** Stops the turn for a message, which is sent in the transaction that makes the run idle. */
  #interrupt(
    run: OwnedRun,
    interruption: WaitingMessage,
    sender: Actor,
    alongside: NonNullable<EventContext["alongside"]>,
  ): Promise<Result<void, Refusal>> {
    return this.#base.conversation.take(
      run,
      { type: "turn-cancelled", reason: "stopped" },
      { sender, interruption, alongside, preempts: this.#base.allRunIds },
    );
  }

  async #send(
    run: OwnedRun,
    { id: waiting, message, actor: sender, settings = {} }: WaitingMessage,
    context: Pick<EventContext, "alongside">,
    answer: ChangedWaiting,
  ): Promise<Result<ChangedWaiting, Refusal>> {
    const accepted = acceptsMessage(run.snapshot.record.state);
    if (!accepted.ok) return accepted;
    const whole = await this.#base.isWhole(run.snapshot.head);
    if (!whole.ok) return whole;
    const event = { type: "message-sent", message, waiting } as const;
    const taken = await this.#base.conversation.take(run, event, { sender, settings, ...context });
    return taken.ok ? ok(answer) : taken;
  }

  async #find(run: OwnedRun, id: NodeId, version: number): Promise<Result<WaitingMessage, Refusal>> {
    const found = run.snapshot.waiting.find((each) => each.id === id);
    if (found === undefined) {
      const node = await this.#base.nodeHere(id);
      return node.ok ? err(refusal("MESSAGE_TAKEN", { node_id: id })) : node;
    }
    return found.version === version
      ? ok(found)
      : err(refusal("CONFLICT", { expected: version, actual: found.version }));
  }
}

function isStopping({ snapshot }: OwnedRun): boolean {
  const { type } = snapshot.record.state;
  return type === "cancelling" || type === "cancelling-sub-agents";
}

type Change = Omit<CommandParams<"waiting.change">, "runId" | "id" | "version"> & { readonly actor: Actor };

/** Returns a message as changed; a blank text without images or files is refused. */
function edited(
  run: OwnedRun,
  message: WaitingMessage,
  { text, deliver, state, actor }: Change,
): Result<WaitingMessage, Refusal> {
  const content = text === undefined ? message.message.content : withText(message.message, text);
  if (!isNonEmpty(content)) return err(refusal("MESSAGE_INVALID", {}, "A message cannot be empty."));
  const interrupts = deliver === "interrupt";
  return ok(
    changed(message, {
      message: { ...message.message, content },
      // The turn works for whose words they are now: nobody puts words into another's mouth.
      ...(text === undefined ? {} : { actor }),
      deliver: interrupts ? "queue" : (deliver ?? message.deliver),
      state: interrupts ? "waiting" : (state ?? message.state),
      place: interrupts ? placeIn(run.snapshot.waiting, "first") : message.place,
    }),
  );
}

/**
 * Returns the messages with a changed one, directly before another, or behind all (null); undefined keeps its place. A new
 * place is no new version of the messages beside it.
 */
function placed(
  waiting: readonly WaitingMessage[],
  message: WaitingMessage,
  before: NodeId | null | undefined,
): readonly WaitingMessage[] {
  const others = waiting.filter(({ id }) => id !== message.id);
  if (before === undefined || before === message.id) return inPlace([...others, message]);
  const at = others.findIndex(({ id }) => id === before);
  return others
    .toSpliced(at === -1 ? others.length : at, 0, message)
    .map((each, index) => (each.place === index + 1 ? each : { ...each, place: index + 1 }));
}

function withText({ content }: UserMessage, text: string): readonly UserMessage["content"][number][] {
  const media = content.filter((block) => block.type !== "text");
  return text.trim() === "" ? media : [...media, { type: "text", text }];
}

function textIn(block: UserMessage["content"][number]): readonly string[] {
  return block.type === "text" ? [block.text] : [];
}
