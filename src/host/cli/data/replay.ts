import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { counted } from "../../../core/base/counted.ts";
import { errorTable, refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { TurnEffect } from "../../../core/turn/event/effect.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import { Replay, type Replayed, type ReplayedEvent } from "../../../core/turn/trace.ts";
import { visibleText } from "../../../core/base/visible-text.ts";
import { exactJson, safeLine } from "../base/safe-text.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { styled, type Terminal } from "../base/terminal.ts";

export const replayForm: CommandForm = { name: "replay", values: ["trace"], switches: ["json"], argument: "trace" };

export const replayHelp = `heddle replay: feed a recorded trace to the turn machine, and print every state and effect

Examples
  heddle trace weather-1a2b > weather.trace && heddle replay weather.trace
  heddle trace weather-1a2b | heddle replay -
  heddle replay weather.trace --json | jq -c .state

No model is asked and no tool runs: the machine is a pure function, so the same events give the same states. Each state
is compared with the recorded one. Events that changed nothing are marked absorbed; events that the machine refuses are
marked refused. Where the texts of an event were edited or deleted since, only the type of the state is compared.

Exit codes: 0 every state matches · 1 a state differs (the first is named) · 2 the file is not a trace (the line is named)

Flags
  --trace FILE   or without the flag; - for standard input
  --json         one JSON object a line`;

/** The totals of a replay. */
interface Summary {
  readonly runs: number;
  readonly events: number;
  readonly lost: number;
  readonly refused: number;
}

/** Replays a trace. The exit code says whether the machine still gives the recorded states. */
export async function replayCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { trace } = line.values;
  if (trace === undefined) {
    return failed(refusal("INVALID_PARAMS", {}, "Which trace? Give its file, or - for standard input."), terminal);
  }
  const isJson = line.switches.has("json");
  const show = (step: Replayed): void => {
    if (isJson) terminal.print(exactJson(step));
    else for (const shown of linesOf(step)) terminal.print(painted(step, visibleText(shown), terminal));
  };
  const done = await replayed(trace, terminal, show);
  if (!done.ok) return failed(done.error, terminal);
  if ("differing" in done.value) {
    terminal.note(styled(terminal, "red", `heddle: ${visibleText(differenceWords(done.value.differing))}`));
    return 1;
  }
  const { runs, events, lost, refused } = done.value;
  const also = [
    lost === 0 ? "" : `${lost} with texts that were edited or deleted since`,
    refused === 0 ? "" : `${refused} refused`,
  ].filter((part) => part !== "");
  const all = `${counted(events, "event")} of ${counted(runs, "run")}`;
  terminal.note(
    styled(terminal, "green", `${all}: every state as recorded.${also.length === 0 ? "" : ` (${also.join(", ")})`}`),
  );
  return 0;
}

async function replayed(
  trace: string,
  terminal: Terminal,
  show: (step: Replayed) => void,
): Promise<Result<Summary | { readonly differing: ReplayedEvent }, Refusal>> {
  const replay = new Replay();
  const summary = { runs: 0, events: 0, lost: 0, refused: 0 };
  try {
    for await (const text of trace === "-" ? splitLines(await terminal.input()) : fileLines(trace)) {
      const step = replay.take(text);
      if (!step.ok) return step;
      if (step.value === null) continue;
      show(step.value);
      if (step.value.type === "run") summary.runs += 1;
      if (step.value.type !== "event") continue;
      if (step.value.differsFrom !== null) return ok({ differing: step.value });
      summary.events += 1;
      if (step.value.lost > 0) summary.lost += 1;
      if (step.value.verdict.type === "refused") summary.refused += 1;
    }
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("TRACE_INVALID", { reason }, `${trace} could not be read: ${reason}`));
  }
  const end = replay.end();
  return end.ok ? ok(summary) : end;
}

function splitLines(text: string): readonly string[] {
  return text.split("\n");
}

function fileLines(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
}

function failed(refused: Refusal, terminal: Terminal): number {
  terminal.note(styled(terminal, "red", `heddle: ${visibleText(refused.message)}`));
  return errorTable[refused.code].exit;
}

function differenceWords({ line, seq, event, state, differsFrom }: ReplayedEvent): string {
  const recorded = differsFrom === null ? "" : `${differsFrom.type} (${differsFrom.hash})`;
  return `Event ${seq} (${event.type}, line ${line}): the record has ${recorded}, the machine gives ${stateWords(state)}.`;
}

function painted(step: Replayed, shown: string, terminal: Terminal): string {
  if (step.type !== "event") return styled(terminal, "bold", shown);
  if (step.differsFrom !== null) return styled(terminal, "red", shown);
  if (step.verdict.type === "refused") return styled(terminal, "yellow", shown);
  return shown.startsWith("        ") || step.verdict.type === "absorbed" ? styled(terminal, "dim", shown) : shown;
}

/** Formats one step for people: the event and its new state, and below them its effects. */
function linesOf(step: Replayed): readonly string[] {
  switch (step.type) {
    case "trace":
      return [`trace of ${step.rootId}, made ${new Date(step.at).toISOString()}`];
    case "run": {
      const { runId, model, context } = step;
      return [
        "",
        `${runId} · ${model} · ${context.kind}, up to ${context.roundsMax} tool rounds · ${stateWords(step.state)}`,
      ];
    }
    case "event": {
      const { seq, event, state, saved, performed, verdict, lost, differsFrom } = step;
      const marks = [
        verdict.type === "refused" ? `refused: ${verdict.code}` : verdict.type === "absorbed" ? "absorbed" : "",
        lost > 0 ? "edited or deleted since" : "",
        differsFrom === null ? "" : `differs: the record has ${differsFrom.type} ${differsFrom.hash}`,
      ].filter((mark) => mark !== "");
      const marked = marks.length === 0 ? "" : `   (${marks.join("; ")})`;
      const head = `  ${String(seq).padStart(4)}  ${event.type.padEnd(18)} → ${stateWords(state)}${marked}`;
      return [head, ...[...saved, ...performed].map((effect) => `        ${effectWords(effect)}`)];
    }
  }
}

/** Formats a state in a few words. */
function stateWords(state: TurnState): string {
  switch (state.type) {
    case "requesting":
      return `requesting, attempt ${state.attempt}${state.retryAt === null ? "" : ", waits for its retry"}${askingWords(state)}`;
    case "awaiting":
      return `awaiting${askingWords(state)}`;
    case "running-tools":
      return `running-tools: ${names(state.pending, state.running)}; ${state.pending.length} open, ${state.completed.length} done`;
    case "awaiting-approval":
      return `awaiting-approval of ${state.request.callId} (${state.request.reason})`;
    case "awaiting-answer":
      return `awaiting-answer to ${state.questions.length} questions${state.asker === undefined ? "" : ` of ${safeLine(state.asker)}`}`;
    case "awaiting-sub-agents":
    case "cancelling-sub-agents":
      return `${state.type}: ${state.agents.filter(({ outcome }) => outcome !== null).length} of ${state.agents.length} ended`;
    case "error":
      return `error: ${state.kind} (${state.detail})`;
    case "failed":
      return `failed: ${state.reason}`;
    case "completed":
      return `completed${state.success ? "" : ", without success"}${state.implicit ? ", by its last words" : ""}`;
    case "idle":
    case "cancelling":
    case "context-exhausted":
      return state.type;
  }
}

function askingWords({ progress }: Extract<TurnState, { readonly type: "awaiting" | "requesting" }>): string {
  return progress.asking === "reply" ? "" : ` (${progress.asking})`;
}

function names(pending: readonly { readonly id: string; readonly name: string }[], running: readonly string[]): string {
  return safeLine(pending.flatMap(({ id, name }) => (running.includes(id) ? [name] : [])).join(", "));
}

/** Formats an effect in a few words. */
function effectWords(effect: TurnEffect): string {
  switch (effect.type) {
    case "save-message":
      return `save-message: ${effect.message.role}${effect.headMoves ? "" : ", beside the branch"}`;
    case "save-compaction":
      return `save-compaction: ${effect.compacts.messages} messages, ${effect.compacts.tokensBefore} → ${effect.compacts.tokensAfter} tokens`;
    case "notify":
      return `notify: ${safeLine(effect.notice)}`;
    case "request-model":
      return `request-model: attempt ${effect.attempt}${effect.asking === "reply" ? "" : `, ${effect.asking}`}`;
    case "run-tool":
      return `run-tool: ${safeLine(effect.call.name)}${effect.approved === null ? "" : ", allowed by a person"}`;
    case "abort-tool":
      return `abort-tool: ${safeLine(effect.callId)}`;
    case "answer-call":
      return `answer-call: ${safeLine(effect.callId)}${effect.answers === null ? ", declined" : ""}`;
    case "schedule-retry":
      return `schedule-retry: attempt ${effect.attempt} in ${effect.delayMs} ms`;
    case "await-sub-agent":
    case "cancel-sub-agent":
      return `${effect.type}: ${effect.agent.runId}`;
    case "switch-model":
      return `switch-model: ${safeLine(effect.model)}`;
    case "prepare-request":
    case "abort-request":
    case "preempt-leases":
    case "release-leases":
    case "schedule-expiry":
    case "count-usage":
      return effect.type;
  }
}
