import { must, unreachable } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { CommandEnd } from "../../core/port/shell.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import { KeptOutput } from "../../core/tool/shell/kept-output.ts";
import { bash, commandSeconds } from "../../core/tool/shell/shell-tools.ts";
import { think } from "../../core/tool/agent/think.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import { cancelledCall, type ToolOutput, type ToolRefusal } from "./answer.ts";
import { runnable, type RunnableTool, type ToolRun } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

export const runnableShellTools: readonly RunnableTool<ToolRun>[] = [
  runnable(bash, runInSlot),
  runnable(think, async () => ok({ content: { ok: true } })),
];

/** Interval at which output is shown to people. */
const showEveryMs = 100;

/** Runs a command when a slot is free: one reply may ask for hundreds of commands. */
async function runInSlot(input: ToolInput<typeof bash>, run: ToolRun): Output {
  if (!(await run.commandSlots.take(run.context.runId, run.signal))) return err(cancelledCall());
  try {
    return await runCommand(input, run);
  } finally {
    run.commandSlots.giveBack(run.context.runId);
  }
}

/** Runs the command, then imports its changes to open files. */
async function runCommand(input: ToolInput<typeof bash>, run: ToolRun): Output {
  if (input.command.includes("\0")) return err(refusal("INVALID_PARAMS", { path: "command", expected: "no NUL" }));
  const { shell, files } = must(run.folder?.ok === true ? run.folder.value : null, "the folder can be used");
  if (shell === null) return err(refusal("SANDBOX_UNAVAILABLE", {}, "No commands run in this folder."));
  const { clock } = run.ports.platform;
  const kept = new KeptOutput();
  const shown = new PacedOutput(clock, (text) => run.context.progress(text));
  const startedAt = clock.monotonic();
  const held: string[] = [];
  const command = async (): Promise<Result<CommandEnd, Refusal>> => {
    const ended = await shell.run(input.command, {
      timeLimitMs: (input.time_limit_s ?? commandSeconds.usual) * 1_000,
      signal: run.signal,
      onHeld: (paths) => held.push(...paths),
      onOutput(text) {
        kept.add(text);
        shown.add(text);
      },
    });
    shown.flush();
    return ended;
  };
  const lent = await files.lend(() => run.author(), command);
  if (!lent.value.ok) return lent.value;
  const end = lent.value.value;
  // A cancelled call does not wait for the disk.
  if (end.type === "cancelled") return err(cancelledCommand());
  await lent.settled;
  const { output, leftOut } = kept.shown;
  const seconds = Math.round((clock.monotonic() - startedAt) / 100) / 10;
  return ok({
    content: present({
      ...endContent(end),
      output,
      left_out: leftOut === 0 ? undefined : leftOut,
      seconds,
      ...(held.length === 0 ? {} : { renamed: held, renamed_note: heldNote }),
    }),
  });
}

const heldNote =
  "Other programs would run or obey these files by themselves, so Heddle gave them these names, under which nothing runs them. Write such a file with write_file: then a person is asked, and sees all of it.";

function endContent(end: Exclude<CommandEnd, { readonly type: "cancelled" }>): JsonObject {
  switch (end.type) {
    case "exited":
      return { ended: "exited", exit_code: end.code };
    case "signalled":
      return { ended: "signalled", signal: end.signal };
    case "timed-out":
      return {
        ended: "timed_out",
        note: `The command and all processes that it started were ended at the time limit. time_limit_s may be up to ${commandSeconds.max}.`,
      };
    case "flooded":
      return {
        ended: "too_much_output",
        note: "The command was ended because it printed too much. Make it print less.",
      };
    case "out-of-memory":
      return {
        ended: "out_of_memory",
        note: "The command and all processes that it started were ended because together they used too much memory. Use less, for example with fewer processes at once.",
      };
    default:
      return unreachable(end);
  }
}

function cancelledCommand(): Refusal {
  return { ...cancelledCall(), message: "The command was stopped. Changes that it had made remain." };
}

/** Forwards text in pieces, so that a command that prints letter by letter does not cause an event for each letter. */
class PacedOutput {
  readonly #clock: Clock;
  readonly #forward: (text: string) => void;
  #waiting = "";
  #cancelTimer: (() => void) | null = null;

  constructor(clock: Clock, forward: (text: string) => void) {
    this.#clock = clock;
    this.#forward = forward;
  }

  add(text: string): void {
    this.#waiting += text;
    this.#cancelTimer ??= this.#clock.setTimer(showEveryMs, () => this.flush());
  }

  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const text = this.#waiting;
    this.#waiting = "";
    if (text !== "") this.#forward(text);
  }
}
