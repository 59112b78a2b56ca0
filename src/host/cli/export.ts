import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorTable, refusal, type Refusal } from "../../core/base/errors.ts";
import { nearestWord } from "../../core/base/nearest-word.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ForestRoot } from "../../core/forest/types.ts";
import type { Store } from "../../core/port/store.ts";
import type { Configuration } from "../configuration.ts";
import { exportFormats, exportText, wholeTree, type ExportFormat } from "../conversation/export-text.ts";
import { loadConfiguration } from "../load-configuration.ts";
import type { CommandForm, CommandLine } from "./command-line.ts";
import { openDataToRead } from "./open-data.ts";
import { styled, userOf, type Terminal } from "./terminal.ts";

export const exportForm: CommandForm = {
  name: "export",
  values: ["data", "store", "conversation", "format", "to"],
  switches: [],
  argument: "conversation",
};

export const exportHelp = `heddle export: write a conversation into a file

Examples
  heddle export                                 list the conversations
  heddle export root_01h… > talk.json           whole, for "heddle import"
  heddle export weather-1a2b --format markdown  for reading
  heddle export root_01h… --to talk.json

Works while the server runs. Images and files are named, not contained.

Flags
  --conversation ID   its id or its slug
  --format FORMAT     json, markdown or text; json by default
  --to FILE           instead of standard output
  --data DIR          the data folder to read      HEDDLE_DATA`;

/** Writes a conversation for Heddle or for people; without one, lists those there are. */
export async function exportCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { conversation, format = "json", to, ...flags } = line.values;
  const settings = loadConfiguration(flags, userOf(terminal));
  const done = settings.ok ? await written(settings.value, { conversation, format, to }) : settings;
  if (!done.ok) {
    terminal.note(styled(terminal, "red", `heddle: ${done.error.message}`));
    return errorTable[done.error.code].exit;
  }
  if (done.value !== "") terminal.print(done.value);
  return 0;
}

/** What goes to standard output, without the last line's end. */
async function written(
  configuration: Configuration,
  wish: { readonly conversation: string | undefined; readonly format: string; readonly to: string | undefined },
): Promise<Result<string, Refusal>> {
  const format = exportFormats.find((each) => each === wish.format);
  if (format === undefined) {
    const message = `There is no format "${wish.format}"; use ${exportFormats.join(", ")}.`;
    return err(refusal("INVALID_PARAMS", { format: wish.format }, message));
  }
  const data = await openDataToRead(configuration);
  if (!data.ok) return data;
  try {
    const { store } = data.value;
    const text =
      wish.conversation === undefined ? ok(await listed(store)) : await textOfOne(store, wish.conversation, format);
    if (!text.ok || wish.to === undefined) return text;
    await writeFile(resolve(wish.to), `${text.value}\n`, { mode: 0o600 });
    return ok("");
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("STORE_FAILED", { reason }, `It could not be written: ${reason}`));
  } finally {
    await data.value.close();
  }
}

async function listed(store: Store): Promise<string> {
  const roots = await store.roots();
  return roots.map(({ id, slug, title }) => [id, slug, title].join("\t")).join("\n");
}

async function textOfOne(store: Store, name: string, format: ExportFormat): Promise<Result<string, Refusal>> {
  const roots = await store.roots();
  const root = roots.find(({ id, slug }) => id === name || slug === name);
  if (root === undefined) return err(unknown(name, roots));
  const text = await exportText(store, root, { nodes: await wholeTree(store, root), format });
  return ok(text.trimEnd());
}

function unknown(name: string, roots: readonly ForestRoot[]): Refusal {
  const guess = nearestWord(
    name,
    roots.flatMap(({ id, slug }) => [id, slug]),
  );
  const hint = guess === undefined ? '"heddle export" lists those there are.' : `Did you mean ${guess}?`;
  return refusal("ROOT_NOT_FOUND", { root_id: name }, `There is no conversation "${name}". ${hint}`);
}
