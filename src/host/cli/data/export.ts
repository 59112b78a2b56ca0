import { existsSync } from "node:fs";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { BlobStore } from "../../../core/port/blobs.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Configuration } from "../../data/configuration.ts";
import { wholeTree } from "../../conversation/export/exported-nodes.ts";
import { exportFormats, exportText, type ExportContent } from "../../conversation/export/export-text.ts";
import { offlinePrices } from "../../models/offline-prices.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { readOwnSyntaxes } from "../../data/own-syntaxes.ts";
import { openBlobs } from "../../data/open-blobs.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { writeNamedFile } from "../base/write-named-file.ts";
import { openDataToRead } from "../start/open-data.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";

export const exportForm: CommandForm = {
  name: "export",
  values: ["data", "store", "conversation", "format", "to"],
  switches: ["blobs", "archived"],
  argument: "conversation",
};

export const exportHelp = `heddle export: write a conversation to a file

Examples
  heddle export                                 list the conversations
  heddle export --archived                      and those in the archive
  heddle export root_01h… > talk.json           whole, for "heddle import"
  heddle export weather-1a2b --format markdown  for reading
  heddle export root_01h… --blobs --to talk.json

Works while the server runs. The file names images and files; with --blobs it contains them.
Into a pipe the text is exact; at a terminal, control characters appear as escapes.
It says what each message and all of them used and cost, at the prices that the data folder and Heddle's own table know.

Flags
  --conversation ID   its id or its slug
  --format FORMAT     json (default), markdown or text
  --archived          list archived conversations too
  --blobs             include the bytes of images and files; json only
  --to FILE           write to FILE instead of standard output
  --data DIR          the data folder to read      HEDDLE_DATA`;

/** Writes a conversation for Heddle or for people; without a name, lists the conversations. */
export async function exportCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { conversation, format = "json", to, ...flags } = line.values;
  const settings = loadConfiguration(flags, userOf(terminal));
  const done = settings.ok
    ? await written(settings.value, {
        conversation,
        format,
        to,
        withBlobs: line.switches.has("blobs"),
        archived: line.switches.has("archived"),
      })
    : settings;
  if (!done.ok) {
    return printRefusal(terminal, done.error);
  }
  if (done.value !== "") terminal.print(terminal.isInteractive ? safeText(done.value) : done.value);
  else if (conversation === undefined) terminal.note(styled(terminal, "dim", "There are no conversations yet."));
  return 0;
}

/** Returns the text for standard output, without the end of its last line. */
async function written(
  configuration: Configuration,
  options: {
    readonly conversation: string | undefined;
    readonly format: string;
    readonly to: string | undefined;
    readonly withBlobs: boolean;
    /** Whether the list has archived conversations. */
    readonly archived: boolean;
  },
): Promise<Result<string, Refusal>> {
  const format = exportFormats.find((each) => each === options.format);
  if (format === undefined) {
    const message = `There is no format "${options.format}". Use ${exportFormats.join(", ")}.`;
    return err(refusal("INVALID_PARAMS", { format: options.format }, message));
  }
  if (options.withBlobs && format !== "json") {
    return err(
      refusal(
        "INVALID_PARAMS",
        { format },
        `Only json can include images and files. Leave out --blobs, or choose json.`,
      ),
    );
  }
  const data = await openDataToRead(configuration);
  if (!data.ok) return data;
  try {
    const { store } = data.value;
    const opened = options.withBlobs ? await blobsOf(configuration) : ok(undefined);
    if (!opened.ok) return opened;
    const blobs = opened.value;
    const pieces =
      options.conversation === undefined
        ? ok(listed(store, options.archived))
        : await textOfOne(store, options.conversation, {
            format,
            pricesOf: await pricesOf(configuration, store),
            ...(blobs !== undefined && { blobs }),
          });
    if (!pieces.ok) return pieces;
    if (options.to === undefined) return ok((await joined(pieces.value)).trimEnd());
    await writeNamedFile(options.to, pieces.value);
    return ok("");
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("STORE_FAILED", { reason }, `The export could not be written: ${reason}`));
  } finally {
    await data.value.close();
  }
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  const read: string[] = [];
  for await (const piece of pieces) read.push(piece);
  return read.join("");
}

/** Returns the prices as they are known here: an export asks no server. */
function pricesOf({ data, providers, models }: Configuration, store: Store): Promise<ExportContent["pricesOf"]> {
  const folder = dataDirectoryAt(data);
  return offlinePrices({
    config: providers,
    store,
    modelsFile: models ?? folder.models,
    publishedFile: folder.publishedModels,
    syntaxes: readOwnSyntaxes(folder.root).syntaxes,
    platform: systemPlatform(),
  });
}

/** Opens the blobs; creates nothing where there are none. */
async function blobsOf(configuration: Configuration): Promise<Result<BlobStore | undefined, Refusal>> {
  const data = dataDirectoryAt(configuration.data);
  if (configuration.blobs === undefined && !existsSync(data.blobs)) return ok(undefined);
  return openBlobs(configuration, data, systemPlatform("warn").clock);
}

async function* listed(store: Store, withArchived: boolean): AsyncGenerator<string, void, undefined> {
  // The conversations of sub-agents belong to the conversations that started them.
  const own = (await store.roots()).filter(
    ({ parent, archived }) => parent === undefined && (withArchived || !archived),
  );
  for (const { id, slug, title, archived } of own) {
    yield `${[id, slug, safeLine(title), ...(archived ? ["archived"] : [])].join("\t")}\n`;
  }
}

async function textOfOne(
  store: Store,
  name: string,
  options: Omit<ExportContent, "nodes">,
): Promise<Result<AsyncIterable<string>, Refusal>> {
  const roots = await store.roots();
  const root = roots.find(({ id, slug }) => id === name || slug === name);
  if (root === undefined) return err(unknown(name, roots));
  return ok(exportText(store, root, { ...options, nodes: await wholeTree(store, root) }));
}

function unknown(name: string, roots: readonly ForestRoot[]): Refusal {
  const guess = nearestWord(
    name,
    roots.flatMap(({ id, slug }) => [id, slug]),
  );
  const hint = guess === undefined ? '"heddle export" lists the conversations.' : `Did you mean ${guess}?`;
  return refusal("ROOT_NOT_FOUND", { root_id: name }, `There is no conversation "${name}". ${hint}`);
}
