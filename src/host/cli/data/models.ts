import { mkdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { readPublishedModels } from "../../../adapters/providers/served/published-models.ts";
import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import { writeWhole } from "../../base/write-whole.ts";
import type { Configuration } from "../../data/configuration.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";

export const modelsForm: CommandForm = { name: "models", values: [...serverValues, "prices"], switches: ["json"] };

export const modelsHelp = `heddle models: ask each configured provider for its models

Examples
  heddle models                  name, window in tokens, tool syntax, and who names it
  heddle models --json
  heddle models --prices api.json    take over prices and limits from a copy of https://models.dev/api.json
  HEDDLE_OPENAI_BASE_URL=http://127.0.0.1:8080/v1 heddle models

Each provider that has a key, or needs none, is asked now. A refused key and a server that does not answer are told, and
the exit code is 1 then; a server on this machine that needs no key and does not run is only noted.

Who names a model: "server" is the provider's own list, "person" models.json or a flag, "heddle" Heddle's own table.

With --prices, nobody is asked: the file is checked and kept as models.dev.json in the data folder, where a running server reads
it within seconds. A file with a mistake changes nothing.

Flags
  --prices FILE  a file in the form of models.dev
  --json         machine-readable output
  --url URL      the address of a running server, as it was printed
  --token TOKEN  its token                        HEDDLE_TOKEN
  --data DIR     the data folder                  HEDDLE_DATA
  --store URL    the database                     HEDDLE_DATABASE_URL`;

type Asked = CommandAnswer<"models.ask">["providers"][number];

/** Prints the models of every provider, as the providers themselves list them. */
export async function modelsCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { prices } = line.values;
  if (prices !== undefined) return takePrices(prices, line, terminal);
  let hasFailed = false;
  const code = await atServer(line, terminal, async ({ client }) => {
    const asked = await client.call("models.ask", {});
    if (!asked.ok) return asked;
    const { providers } = asked.value;
    hasFailed = providers.some((provider) => provider.problem !== null && !isOptional(provider));
    if (line.switches.has("json")) terminal.print(JSON.stringify({ providers }));
    else for (const provider of providers) printProvider(provider, terminal);
    return ok(undefined);
  });
  return code === 0 && hasFailed ? 1 : code;
}

/** Keeps a public list of models in the data folder, once it could be read. */
async function takePrices(file: string, line: CommandLine, terminal: Terminal): Promise<number> {
  const { data } = line.values;
  const settings = loadConfiguration(data === undefined ? {} : { data }, userOf(terminal));
  const taken = settings.ok ? await takeOver(resolve(file), settings.value) : settings;
  if (taken.ok) {
    terminal.print(taken.value);
    return 0;
  }
  return printRefusal(terminal, taken.error);
}

async function takeOver(file: string, configuration: Configuration): Promise<Result<string, Refusal>> {
  const refused = (reason: string): Result<never, Refusal> => {
    const message = `${file} cannot be used: ${reason}. Nothing was changed.`;
    return err(refusal("INVALID_PARAMS", { file, reason }, message));
  };
  const folder = dataDirectoryAt(configuration.data);
  try {
    const text = await readFile(file, "utf8");
    const read = readPublishedModels(text);
    if (!read.ok) return refused(read.error);
    const models = [...read.value.values()].flat();
    const priced = models.filter(({ prices }) => prices !== undefined).length;
    await mkdir(folder.root, { recursive: true, mode: 0o700 });
    await writeWhole(folder.publishedModels, text);
    const counts = `${counted(models.length, "model")} of ${counted(read.value.size, "provider")}, ${priced} with prices`;
    return ok(`Kept as ${folder.publishedModels}: ${counts}.`);
  } catch (problem) {
    return refused(reasonOf(problem));
  }
}

/** A server of this machine that nobody set up: it may just not run. */
function isOptional({ id, problem, models }: Asked): boolean {
  return id === "ollama" && problem?.class === "network" && models.length === 0;
}

function printProvider(provider: Asked, terminal: Terminal): void {
  const { name, address, models, problem } = provider;
  if (isOptional(provider)) return terminal.note(`${safeLine(name)} does not run at ${safeLine(address)}.`);
  terminal.print(styled(terminal, "bold", `${safeLine(name)}, ${safeLine(address)}`));
  if (problem !== null) terminal.note(styled(terminal, "red", `  ${safeLine(problem.message)}`));
  else if (models.length === 0) terminal.print("  lists no models");
  const [idWidth, syntaxWidth] = [
    widest(models.map(({ id }) => id)),
    widest(models.map(({ syntax, proposedSyntax }) => shownSyntax(syntax, proposedSyntax))),
  ];
  for (const { id, window, syntax: begun, proposedSyntax, from } of models) {
    const syntax = shownSyntax(begun, proposedSyntax);
    const size = window === null ? "unknown" : String(window);
    terminal.print(`  ${safeLine(id).padEnd(idWidth)}  ${size.padStart(9)}  ${syntax.padEnd(syntaxWidth)}  ${from}`);
  }
}

/** The syntax, and the one that the chat template shows where that is another. */
function shownSyntax(syntax: string, proposed: string | null): string {
  return proposed === null || proposed === syntax ? syntax : `${syntax} (template: ${proposed})`;
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}
