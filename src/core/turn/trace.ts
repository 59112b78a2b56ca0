import * as v from "valibot";
import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { RootId, RunId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import type { TurnContext } from "./state/context.ts";
import type { PerformedEffect, SavedEffect } from "./event/effect.ts";
import type { TurnEvent } from "./event/event.ts";
import { readTurnEvent } from "./event/read-event.ts";
import { markOf, restoreEvent, type KnownBlocks, type RunEventRecord, type StateMark } from "./event/run-event.ts";
import type { TurnState } from "./state/state.ts";
import { step } from "./step/step.ts";
import { transition } from "./transition.ts";

/**
 * The version of traces. A trace is a file of JSON lines: what it is of, then for each run its constants and its events,
 * in
 * order. Feeding them to the machine reproduces every state and effect.
 */
const traceVersion = 1;

/** The data of a run that its trace needs. */
export interface TracedRun {
  readonly runId: RunId;
  readonly rootId: RootId;
  /** `provider/model` of its last turn. */
  readonly model: string;
  readonly context: TurnContext;
  readonly events: readonly RunEventRecord[];
}

/** Returns the first line of a conversation's trace. `at` is the time of the export in UTC milliseconds. */
export function traceHeader(of: { readonly rootId: RootId; readonly at: number }): string {
  return JSON.stringify({ type: "heddle-trace", version: traceVersion, ...of });
}

/** Yields the lines of one run, without line ends; `lost` on its line counts blocks that no node holds any more. */
export function* traceLines(
  { runId, rootId, model, context, events }: TracedRun,
  known: KnownBlocks,
): Generator<string, void, undefined> {
  yield JSON.stringify({ type: "run", runId, rootId, model, context, state: { type: "idle" } });
  for (const record of events) {
    const { event, lost } = restoreEvent(record.event, known);
    const { seq, at, state } = record;
    yield JSON.stringify({ type: "event", seq, at, event, state, ...(lost === 0 ? {} : { lost }) });
  }
}

/** The machine's verdict on one event, without the step. */
type ReplayedVerdict =
  | { readonly type: "applied" }
  | { readonly type: "absorbed" }
  | { readonly type: "refused"; readonly code: Refusal["code"] };

/** One event of a trace, fed to the machine. */
export interface ReplayedEvent {
  readonly type: "event";
  /** The line of the file, from 1. */
  readonly line: number;
  readonly seq: number;
  readonly at: number;
  readonly event: TurnEvent;
  /** How many content blocks of the event no node holds any more. */
  readonly lost: number;
  readonly verdict: ReplayedVerdict;
  /** The state after the event. */
  readonly state: TurnState;
  readonly saved: readonly SavedEffect[];
  readonly performed: readonly PerformedEffect[];
  /** The recorded state, when the machine came to another one. */
  readonly differsFrom: StateMark | null;
}

/** The result of replaying one line. */
export type Replayed =
  | { readonly type: "trace"; readonly line: number; readonly rootId: string; readonly at: number }
  | {
      readonly type: "run";
      readonly line: number;
      readonly runId: string;
      readonly model: string;
      readonly context: TurnContext;
      readonly state: TurnState;
    }
  | ReplayedEvent;

/** The run that is being replayed. */
interface Stage {
  readonly context: TurnContext;
  readonly state: TurnState;
  /** Whether lost blocks may have changed the state; then only the state's type is compared. */
  readonly isVague: boolean;
}

/** Replays a trace line by line. Pure: each step depends on its line and the lines before it. */
export class Replay {
  #line = 0;
  #begun = false;
  #stage: Stage | null = null;

  /**
   * Replays one line; null for a blank one. A refusal (TRACE_INVALID) names the line, the place in it and the problem.
   */
  take(text: string): Result<Replayed | null, Refusal> {
    this.#line += 1;
    if (text.trim() === "") return ok(null);
    const parsed = parseLine(text);
    if (!parsed.ok) return err(this.#invalid("", parsed.error));
    const read = v.safeParse(traceLine, parsed.value, { abortEarly: true });
    if (!read.success) {
      const [issue] = read.issues;
      return err(this.#invalid(v.getDotPath(issue) ?? "", issue.message));
    }
    const entry = read.output;
    if (!this.#begun && entry.type !== "heddle-trace") {
      return err(this.#invalid("type", 'A trace must begin with a line of type "heddle-trace".'));
    }
    switch (entry.type) {
      case "heddle-trace": {
        if (this.#begun) return err(this.#invalid("type", "A trace must have only one first line."));
        this.#begun = true;
        return ok({ type: "trace", line: this.#line, rootId: entry.rootId, at: entry.at });
      }
      case "run": {
        const { runId, model, context, state } = entry;
        this.#stage = { context, state, isVague: false };
        return ok({ type: "run", line: this.#line, runId, model, context, state });
      }
      case "event":
        return this.#event(entry);
    }
  }

  /** Refuses a file that ended before its first line. */
  end(): Result<void, Refusal> {
    return this.#begun ? ok(undefined) : err(this.#invalid("", "The file holds no trace."));
  }

  #event(entry: EventLine): Result<ReplayedEvent, Refusal> {
    if (this.#stage === null) return err(this.#invalid("type", 'Events must follow a line of type "run".'));
    const read = readTurnEvent(entry.event);
    if (!read.ok) {
      const { at, problem } = read.error.details ?? {};
      const place = typeof at === "string" && at !== "" ? `event.${at}` : "event";
      return err(this.#invalid(place, String(problem)));
    }
    const { context, state: before } = this.#stage;
    const verdict = transition(before, read.value, context);
    const { state, saved, performed } = verdict.type === "applied" ? verdict : step(before);
    const lost = entry.lost ?? 0;
    const mark = markOf(state);
    const recorded = entry.state ?? null;
    const isSame = recorded === null || (recorded.type === mark.type && recorded.hash === mark.hash);
    const isVague = (this.#stage.isVague || lost > 0) && !(recorded !== null && isSame);
    const fits = isSame || (isVague && recorded.type === mark.type);
    this.#stage = { context, state, isVague };
    const { seq, at } = entry;
    return ok({
      type: "event",
      line: this.#line,
      seq,
      at,
      event: read.value,
      lost,
      verdict: verdict.type === "refused" ? { type: "refused", code: verdict.refusal.code } : { type: verdict.type },
      state,
      saved,
      performed,
      differsFrom: fits ? null : recorded,
    });
  }

  #invalid(at: string, problem: string): Refusal {
    const place = at === "" ? "" : `, ${at}`;
    return refusal("TRACE_INVALID", { line: this.#line, at, problem }, `Line ${this.#line}${place}: ${problem}`);
  }
}

function parseLine(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return err("This is not JSON.");
  }
}

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const context = v.object({
  kind: v.picklist(["conversation", "sub-agent"]),
  roundsMax: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
});

const eventLine = v.object({
  type: v.literal("event"),
  seq: whole,
  at: v.number(),
  event: v.unknown(),
  state: v.exactOptional(v.object({ type: v.string(), hash: v.string() })),
  lost: v.exactOptional(whole),
});
type EventLine = v.InferOutput<typeof eventLine>;

const traceLine = v.variant("type", [
  v.object({
    type: v.literal("heddle-trace"),
    version: v.literal(traceVersion, `This release reads traces of version ${traceVersion}.`),
    rootId: v.string(),
    at: v.number(),
  }),
  v.object({
    type: v.literal("run"),
    runId: v.string(),
    model: v.string(),
    context,
    state: v.object({ type: v.literal("idle") }),
  }),
  eventLine,
]);
