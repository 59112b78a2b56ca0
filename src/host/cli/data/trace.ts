import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Configuration } from "../../data/configuration.ts";
import { traceText } from "../../conversation/export/trace-text.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { writeNamedFile } from "../base/write-named-file.ts";
import { openDataToRead } from "../start/open-data.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { safeText } from "../base/safe-text.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";

export const traceForm: CommandForm = {
  name: "trace",
  values: ["data", "store", "conversation", "to"],
  switches: [],
  argument: "conversation",
};

export const traceHelp = `heddle trace: write the events of a conversation's turns to a file

Examples
  heddle trace weather-1a2b > weather.trace
  heddle trace root_01h… --to weather.trace
  heddle replay weather.trace              run it again, state by state

A trace has every event of the conversation's runs and of its sub-agents: messages, replies, tool results, approvals,
retries, restarts, each with the state that it led to. Texts come from the current messages: a text that was edited or
deleted since is missing, and the trace says where. A trace has no keys and no tokens, but everything that people and
models warning. Works while the server runs.

Flags
  --conversation ID   its id or its slug
  --to FILE           write to FILE instead of standard output
  --data DIR          the data folder to read      HEDDLE_DATA
  --store URL         the database to read         HEDDLE_DATABASE_URL`;

/** Writes the trace of a conversation. */
export async function traceCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { conversation, to, ...flags } = line.values;
  const settings = loadConfiguration(flags, userOf(terminal));
  const traced = settings.ok ? await traceOf(settings.value, conversation) : settings;
  if (!traced.ok) {
    return printRefusal(terminal, traced.error);
  }
  const { text, events, lost } = traced.value;
  try {
    if (to === undefined) terminal.print(terminal.isInteractive ? safeText(text.trimEnd()) : text.trimEnd());
    else await writeNamedFile(to, text);
  } catch (problem) {
    terminal.note(styled(terminal, "red", `heddle: ${to} could not be written: ${reasonOf(problem)}`));
    return 1;
  }
  terminal.note(styled(terminal, "dim", `${counted(events, "event")}.`));
  if (lost > 0) {
    const warning = `${lost} of them had text that was edited or deleted since; the trace does not have it.`;
    terminal.note(styled(terminal, "yellow", warning));
  }
  return 0;
}

interface Traced {
  readonly text: string;
  readonly events: number;
  /** Events with text that no message has any more. */
  readonly lost: number;
}

async function traceOf(configuration: Configuration, name: string | undefined): Promise<Result<Traced, Refusal>> {
  if (name === undefined) {
    const message = 'Which conversation? Give its id or its slug; "heddle export" lists them.';
    return err(refusal("INVALID_PARAMS", {}, message));
  }
  const data = await openDataToRead(configuration);
  if (!data.ok) return data;
  try {
    const { store } = data.value;
    const roots = await store.roots();
    const root = roots.find(({ id, slug }) => id === name || slug === name);
    if (root === undefined) {
      const guess = nearestWord(
        name,
        roots.flatMap(({ id, slug }) => [id, slug]),
      );
      const hint = guess === undefined ? '"heddle export" lists the conversations.' : `Did you mean ${guess}?`;
      return err(refusal("ROOT_NOT_FOUND", { root_id: name }, `There is no conversation "${name}". ${hint}`));
    }
    const lines: string[] = [];
    for await (const line of traceText(store, root, Date.now())) lines.push(line);
    const events = lines.filter((line) => line.startsWith('{"type":"event"'));
    return ok({
      text: lines.join(""),
      events: events.length,
      lost: events.filter((line) => /"lost":\d+\}$/mu.test(line)).length,
    });
  } finally {
    await data.value.close();
  }
}
