import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorTable, refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { allUnderstood, explainedRows, type ExplainedRow } from "../../core/syntax/explained-rows.ts";
import type { CallPolicy } from "../../core/forest/run-rules.ts";
import { readDialect } from "../../core/syntax/read-dialect.ts";
import { recogniseSyntax } from "../../core/syntax/recognise.ts";
import { findSyntax } from "../../core/syntax/registry.ts";
import { importResponseTemplate } from "../../core/syntax/response-template.ts";
import { usualPolicy } from "../../core/syntax/base/policy.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import type { SyntaxTool } from "../../core/syntax/base/tools.ts";
import { toolDefinition } from "../../core/tool/base/definitions.ts";
import { allFeatures, toolSpecs } from "../../core/tool/registry.ts";
import { loadConfiguration } from "../data/load-configuration.ts";
import { readOwnSyntaxes, type OwnSyntaxes } from "../data/own-syntaxes.ts";
import type { CommandForm, CommandLine } from "./base/command-line.ts";
import { styled, userOf, type Terminal } from "./base/terminal.ts";

export const syntaxForm: CommandForm = {
  name: "syntax",
  values: ["do", "name", "tools", "policy", "template", "file", "data"],
  switches: ["json", "cut", "in-reasoning"],
  argument: ["do", "name"],
};

export const syntaxHelp = `heddle syntax: list the syntaxes of tool calls, or try one

Examples
  heddle syntax list                             the names that "--tool-syntax" takes
  heddle syntax try caret < reply.txt            what a reply contains, and why some of it is not a call
  heddle syntax try xml --tools tools.json < reply.txt
  heddle syntax try --template tokenizer_config.json < reply.txt
  heddle syntax try --file my-dialect.json < reply.txt
  heddle syntax recognise --template tokenizer_config.json

The exit code of "recognise" is 1 where no known syntax was recognised. The exit code of "try" is 1 where something looked like a call and would not run.

Flags
  --tools FILE      the tools, as JSON: a list with name, description and inputSchema, or as OpenAI's API takes it;
                    default: Heddle's own
  --policy POLICY   how many calls a reply may make: serial-one, smart, serial-all or parallel;
                    default: as in a conversation, one call in text
  --cut             the reply was cut off: by its limit, or by a broken connection
  --in-reasoning    the reply begins in the model's reasoning
  --template FILE   the response_template of a model's tokenizer_config.json, instead of NAME; for "recognise", the
                    file whose chat_template shows the syntax, or the template itself
  --file FILE       a file that describes a syntax, instead of NAME; the data folder's own are known by name
  --data FOLDER     the data folder whose syntaxes/*.json are known; default: as for "heddle serve"
  --json            machine-readable output`;

const policies = ["serial-one", "smart", "serial-all", "parallel"] as const satisfies readonly CallPolicy[];

/** Lists the syntaxes, or reads a reply in one of them. */
export async function syntaxCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { do: subcommand = "list" } = line.values;
  const own = ownSyntaxes(line, terminal);
  if (!own.ok) return failed(terminal, own.error);
  if (subcommand === "list") return list(line, terminal, own.value);
  if (subcommand === "recognise") return recognise(line, terminal, own.value.syntaxes);
  const rows =
    subcommand === "try" ? await tried(line, terminal, own.value.syntaxes) : err(unknownSubcommand(subcommand));
  if (!rows.ok) return failed(terminal, rows.error);
  const understood = allUnderstood(rows.value);
  if (line.switches.has("json")) terminal.print(JSON.stringify({ ok: understood, rows: rows.value }));
  else for (const row of rows.value) terminal.print(told(row, terminal));
  return understood ? 0 : 1;
}

function failed(terminal: Terminal, { code, message }: Refusal): number {
  terminal.note(styled(terminal, "red", `heddle: ${message}`));
  return errorTable[code].exit;
}

/** The syntaxes of the data folder that the flags, the environment or the configuration name. */
function ownSyntaxes({ values }: CommandLine, terminal: Terminal): Result<OwnSyntaxes, Refusal> {
  const { data } = values;
  const configuration = loadConfiguration(data === undefined ? {} : { data }, userOf(terminal));
  return configuration.ok ? ok(readOwnSyntaxes(configuration.value.data)) : configuration;
}

/** Prints the syntax whose marks a chat template holds. */
async function recognise(
  { values, switches }: CommandLine,
  terminal: Terminal,
  known: readonly Syntax[],
): Promise<number> {
  const { template: file } = values;
  if (file === undefined) return failed(terminal, invalid('Name the file: "heddle syntax recognise --template FILE".'));
  const text = await readText(file);
  if (!text.ok) return failed(terminal, text.error);
  const found = recogniseSyntax(templateIn(text.value), known);
  if (switches.has("json")) terminal.print(JSON.stringify({ syntax: found?.id ?? null }));
  else if (found !== null) terminal.print(found.id);
  else terminal.note(`${file}: no known syntax has its marks in this template.`);
  return found === null ? 1 : 0;
}

/** The chat template of a tokenizer's configuration; a text that is no such file is the template itself. */
function templateIn(text: string): string {
  try {
    const config: unknown = JSON.parse(text);
    const template = isJsonObject(config) ? config["chat_template"] : undefined;
    return typeof template === "string" ? template : text;
  } catch {
    return text;
  }
}

function list(line: CommandLine, terminal: Terminal, { syntaxes, files }: OwnSyntaxes): number {
  for (const { name, problem } of files) if (problem !== null) terminal.note(`syntaxes/${name}: ${problem}.`);
  if (line.switches.has("json")) {
    terminal.print(JSON.stringify(syntaxes.map(({ id, title, tier }) => ({ id, title, tier }))));
    return 0;
  }
  const width = Math.max(...syntaxes.map(({ id }) => id.length));
  const tiers = {
    native: "the provider's own calls, separate from the text",
    taught: "explained in the prompt",
    model: "known to some models by training",
  } as const;
  for (const { id, title, tier } of syntaxes)
    terminal.print(`${id.padEnd(width)}  ${title.padEnd(18)}  ${tiers[tier]}`);
  return 0;
}

async function tried(
  line: CommandLine,
  terminal: Terminal,
  known: readonly Syntax[],
): Promise<Result<readonly ExplainedRow[], Refusal>> {
  const { name, template, file, tools: toolsFile } = line.values;
  const syntax =
    file !== undefined ? await described(file) : template === undefined ? named(name, known) : await imported(template);
  if (!syntax.ok) return syntax;
  const tools = toolsFile === undefined ? ok(ownTools()) : await toolsOf(toolsFile);
  if (!tools.ok) return tools;
  const wanted = line.values["policy"] ?? usualPolicy(syntax.value);
  const policy = policies.find((one) => one === wanted);
  if (policy === undefined) return err(invalid(`There is no policy "${wanted}". Use ${policies.join(", ")}.`));
  const startIn = line.switches.has("in-reasoning") ? "reasoning" : "text";
  const end = line.switches.has("cut") ? "cut" : "stopped";
  return ok(explainedRows(syntax.value, await terminal.input(), { tools: tools.value, policy, startIn }, end));
}

function named(name: string | undefined, syntaxes: readonly Syntax[]): Result<Syntax, Refusal> {
  if (name === undefined) return err(invalid('Name a syntax: "heddle syntax list" shows them.'));
  const found = findSyntax(syntaxes, name);
  if (!found.ok || found.value.grammar !== null) return found;
  return err(invalid("Native calls are separate from the text, so the text has none to read. Try xml or caret."));
}

async function described(file: string): Promise<Result<Syntax, Refusal>> {
  const text = await readText(file);
  if (!text.ok) return text;
  const read = readDialect(text.value);
  return read.ok ? read : err(invalid(`${file}: ${read.error}.`));
}

async function imported(file: string): Promise<Result<Syntax, Refusal>> {
  const json = await readJson(file);
  if (!json.ok) return json;
  const whole = json.value;
  const inside = isJsonObject(whole) ? whole["response_template"] : undefined;
  return importResponseTemplate("response-template", inside ?? whole);
}

function ownTools(): readonly SyntaxTool[] {
  return toolSpecs(allFeatures).map((spec) => ({ ...toolDefinition(spec), access: spec.access }));
}

async function toolsOf(file: string): Promise<Result<readonly SyntaxTool[], Refusal>> {
  const json = await readJson(file);
  if (!json.ok) return json;
  const tools = Array.isArray(json.value) ? json.value.map(toolOf) : [];
  const known = tools.filter((tool) => tool !== null);
  return tools.length > 0 && known.length === tools.length
    ? ok(known)
    : err(invalid(`${file} is not a list of tools, each with a name and an inputSchema.`));
}

function toolOf(value: Json): SyntaxTool | null {
  const tool = isJsonObject(value) && isJsonObject(value["function"]) ? value["function"] : value;
  if (!isJsonObject(tool) || typeof tool["name"] !== "string") return null;
  const schema = tool["inputSchema"] ?? tool["input_schema"] ?? tool["parameters"] ?? {};
  if (!isJsonObject(schema)) return null;
  return { name: tool["name"], description: textAt(tool, "description"), inputSchema: schema, ...accessOf(tool) };
}

function accessOf({ access }: JsonObject): Pick<SyntaxTool, "access"> {
  return access === "read" || access === "write" ? { access } : {};
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

async function readText(file: string): Promise<Result<string, Refusal>> {
  try {
    return ok(await readFile(resolve(file), "utf8"));
  } catch (problem) {
    return err(invalid(`${file} could not be read: ${reasonOf(problem)}.`));
  }
}

async function readJson(file: string): Promise<Result<Json, Refusal>> {
  try {
    return ok(JSON.parse(await readFile(resolve(file), "utf8")) as Json);
  } catch (problem) {
    return err(invalid(`${file} could not be read: ${reasonOf(problem)}.`));
  }
}

function told(row: ExplainedRow, terminal: Terminal): string {
  const place = styled(terminal, "dim", `${row.line}`.padStart(5));
  switch (row.type) {
    case "text":
      return `${place}  text     ${shown(row.text)}`;
    case "reasoning":
      return `${place}  thought  ${shown(row.text)}`;
    case "call": {
      const warned = row.warnings.map((warning) => `\n         ${styled(terminal, "yellow", `warning  ${warning}`)}`);
      const call = `${row.name} ${JSON.stringify(row.parameters)}`;
      return `${place}  ${styled(terminal, "green", "call   ")}  ${call}${warned.join("")}`;
    }
    case "error":
      return `${place}  ${styled(terminal, "red", "error  ")}  ${row.code}: ${row.message}`;
    case "not-read":
      return `${place}  ${styled(terminal, "yellow", "not read")} ${row.text}: ${row.why}`;
  }
}

const shownUnitsMax = 100;

function shown(text: string): string {
  const one = JSON.stringify(text.trim());
  return one.length > shownUnitsMax ? `${one.slice(0, shownUnitsMax).toWellFormed()}…` : one;
}

function unknownSubcommand(subcommand: string): Refusal {
  return invalid(`"heddle syntax" takes list, try or recognise, not "${subcommand}".`);
}

function invalid(message: string): Refusal {
  return refusal("INVALID_PARAMS", {}, message);
}
