import { unreachable } from "../../base/assert.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import { isJsonObject, stableDeepEqual, type Json, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { admitted, coerceText, isWellFormed, itemsOf } from "../call/coerce.ts";
import { holdsTags } from "../call/forgotten-tags.ts";
import { nameMax, type ValueGuard } from "../base/grammar.ts";
import type { Syntax, Writing } from "../base/syntax.ts";
import { withEntities } from "../grammars/entities.ts";
import { isRunOf } from "../base/characters.ts";
import { filled } from "../base/registers.ts";
import {
  parameterOrAnySchema,
  parameterSchema,
  requiredOf,
  ToolTable,
  wireName,
  type SyntaxTool,
} from "../base/tools.ts";

/** A call to write. */
export interface CallToWrite {
  readonly name: string;
  readonly parameters: JsonObject;
}

type Fields = Extract<Writing, { readonly type: "fields" }>;
type Arguments = Extract<Writing, { readonly type: "arguments" }>;

/**
 * Writes calls so that reading them in the same syntax returns them: no value can end itself. Refuses what
 * no text can express: half a character, or a name that the syntax cannot write. An optional parameter at its
 * default is omitted.
 */
export function writeCalls(
  syntax: Syntax,
  calls: readonly CallToWrite[],
  tools: readonly SyntaxTool[],
): Result<string, Refusal> {
  const table = new ToolTable(tools);
  const written: string[] = [];
  for (const [index, call] of calls.entries()) {
    const tool = table.find(call.name) ?? { name: call.name, description: "", inputSchema: {} };
    const entries = Object.entries(call.parameters).filter(([key, value]) => !isDefault(tool, key, value));
    const name = syntax.writing.type === "caret" ? wireName(call.name) : call.name;
    const problem = unwritable(syntax, name, entries);
    if (problem !== undefined) return err(problem);
    written.push(writeCall(syntax, { name, index: String(index) }, tool, entries));
  }
  const { writing } = syntax;
  switch (writing.type) {
    case "native":
      return ok(written.join(""));
    case "caret":
      return ok(written.join("\n"));
    case "json":
    case "fields":
    case "arguments":
      return ok(`${writing.wrapper[0]}${written.join(writing.between)}${writing.wrapper[1]}`);
    default:
      return unreachable(writing);
  }
}

type Entries = readonly (readonly [string, Json])[];

function writeCall(
  { writing, grammar }: Syntax,
  facts: { readonly name: string; readonly index: string },
  tool: SyntaxTool,
  entries: Entries,
): string {
  switch (writing.type) {
    case "native":
      return JSON.stringify(Object.fromEntries(entries));
    case "json": {
      const json = JSON.stringify(Object.fromEntries(entries));
      const { keys } = writing;
      const body = writing.namesByKey
        ? `{${JSON.stringify(facts.name)}: ${json}}`
        : keys === null
          ? json
          : `{"${keys.name}": ${JSON.stringify(facts.name)}, "${keys.arguments}": ${json}}`;
      return `${filled(writing.call[0], facts)}${body}${filled(writing.call[1], facts)}`;
    }
    case "fields": {
      const fields = entries.map(([key, value]) =>
        writeField(writing, grammar?.guard, key, value, parameterOrAnySchema(tool, key)),
      );
      return `${filled(writing.call[0], facts)}${fields.join("")}${filled(writing.call[1], facts)}`;
    }
    case "arguments": {
      const fields = entries.map(([key, value]) => `${key}${writing.assign}${writeLoose(writing, value)}`);
      return `${filled(writing.call[0], facts)}${fields.join(writing.separator)}${filled(writing.call[1], facts)}`;
    }
    case "caret":
      return writeCaret(facts.name, tool, entries);
  }
}

// Tags around each value

function writeField(
  writing: Fields,
  guard: ValueGuard | undefined,
  key: string,
  value: Json,
  schema: JsonObject,
): string {
  const [open, close] = writing.field.map((template) => filled(template, { key })) as [string, string];
  const isSafe = (text: string): boolean =>
    !writing.avoid.some((mark) => text.includes(filled(mark, { key }))) &&
    (guard?.type !== "tags" || !holdsTags(text, guard.tags));
  const put = (text: string): string => `${open}${isSafe(text) ? text : cdata(text)}${close}`;
  if (typeof value === "string") {
    if (writing.escape === "entities") return `${open}${withEntities(value)}${close}`;
    const isPlain = isSafe(value) && (writing.typedField !== undefined || readsAs(value, value, schema));
    return `${open}${isPlain ? value : cdata(value)}${close}`;
  }
  if (writing.lists === "repeated" && Array.isArray(value) && value.length > 1 && isListOfTexts(value, schema)) {
    return value.map((element) => put(element)).join("");
  }
  const json = JSON.stringify(value);
  const opening = writing.typedField === undefined ? open : filled(writing.typedField, { key });
  return `${opening}${isSafe(json) && writing.escape === undefined ? json : withoutMarks(json, guard)}${close}`;
}

/** Escapes in JSON what could be read as a mark. Marks hold letters, so they are only in its texts. */
function withoutMarks(json: string, guard: ValueGuard | undefined): string {
  let text = json.replaceAll("<", "\\u003c").replaceAll("&", "\\u0026");
  for (const mark of guard?.type === "tags" ? guard.tags.flatMap(({ open, close }) => [open, close]) : []) {
    const code = mark.charCodeAt(0).toString(16).padStart(4, "0");
    text = text.replaceAll(mark, () => `\\u${code}${mark.slice(1)}`);
  }
  return text;
}

/** Writes a text in CDATA sections; a mark of CDATA inside the text is divided between two. */
function cdata(text: string): string {
  const divided = text.replaceAll(/\]\]>|<!\[CDATA\[/g, (mark) => `${mark.slice(0, 2)}]]><![CDATA[${mark.slice(2)}`);
  return `<![CDATA[${divided}]]>`;
}

function readsAs(text: string, value: Json, schema: JsonObject): boolean {
  const read = coerceText(text, schema);
  return read.ok && read.value.warning === undefined && stableDeepEqual(read.value.value, value);
}

function isListOfTexts(value: readonly Json[], schema: JsonObject): value is readonly string[] {
  if (!admitted(schema).types.has("array")) return false;
  const items = itemsOf(schema);
  return value.every((element) => typeof element === "string" && readsAs(element, element, items));
}

// Lines between carets

const fenceMax = 12;
const dashesMax = 16;

function writeCaret(name: string, tool: SyntaxTool, entries: Entries): string {
  const lines = entries.flatMap(([key, value]) => caretLines(key, value, parameterOrAnySchema(tool, key)));
  let longest = 2;
  for (const line of lines) for (const [run] of line.matchAll(/^\^+/gm)) longest = Math.max(longest, run.length);
  // Such a run is harmless inside a value; the longer fence only helps people who read along.
  const fence = "^".repeat(longest < fenceMax ? longest + 1 : 3);
  return [`${fence}${name}`, ...lines, fence].join("\n");
}

function caretLines(key: string, value: Json, schema: JsonObject): readonly string[] {
  if (typeof value === "string") {
    if (value === "" && readsAs("", "", schema)) return [`${key}:`];
    if (isOneLine(value) && !/^(?:\[|---+|\|)$|^!json/.test(value) && readsAs(value, value, schema))
      return [`${key}: ${value}`];
    const dashes = dashesFor(key, value);
    if (!value.includes("\r") && dashes !== undefined && admitted(schema).types.has("string")) {
      return [`${key} ${dashes}`, value, `${dashes} ${key}`];
    }
    return [`${key}: !json ${JSON.stringify(value)}`];
  }
  if (Array.isArray(value) && isListOfTexts(value, schema) && value.every((text) => isOneLine(text) && text !== "]")) {
    return [`${key}: [`, ...value, "]"];
  }
  const json = JSON.stringify(value);
  return [readsAs(json, value, schema) ? `${key}: ${json}` : `${key}: !json ${json}`];
}

/** Whether a text is non-empty, on one line, without blanks around it. */
function isOneLine(text: string): boolean {
  return text !== "" && !/[\r\n]|^[ \t]|[ \t]$/.test(text);
}

/** Returns dashes that neither before nor after the key are a line of the value. */
function dashesFor(key: string, value: string): string | undefined {
  for (let count = 3; count <= dashesMax; count += 1) {
    const name = key.replaceAll(/[.$]/g, "\\$&");
    const delimiter = new RegExp(`^(?:-{${count}}[ \\t]+${name}|[ \\t]*${name}[ \\t]+-{${count}})[ \\t]*$`, "m");
    if (!delimiter.test(value)) return "-".repeat(count);
  }
  return undefined;
}

// Named arguments in brackets

function writeLoose(writing: Arguments, value: Json): string {
  if (value === null) return writing.words.null;
  if (typeof value === "boolean") return value ? writing.words.true : writing.words.false;
  if (typeof value === "string") return quoted(writing, value);
  if (Array.isArray(value)) return `[${value.map((element) => writeLoose(writing, element)).join(", ")}]`;
  if (isJsonObject(value)) {
    const fields = Object.entries(value).map(
      ([key, field]) => `${quoted(writing, key)}: ${writeLoose(writing, field)}`,
    );
    return `{${fields.join(", ")}}`;
  }
  return JSON.stringify(value);
}

function quoted(writing: Arguments, text: string): string {
  const [open, close] = writing.quotes;
  return open === '"' || text.includes(close) || text.endsWith("<") ? JSON.stringify(text) : `${open}${text}${close}`;
}

// What cannot be written

function unwritable(syntax: Syntax, name: string, entries: Entries): Refusal | undefined {
  const half = entries.find(([key, value]) => !key.isWellFormed() || !isWellFormed(value));
  if (half !== undefined) return refusal("TEXT_MALFORMED", { tool: name, parameter: half[0] });
  const { type } = syntax.writing;
  if (type === "native" || (type === "json" && (syntax.writing.keys !== null || syntax.writing.namesByKey)))
    return undefined;
  if (!isRunOf(type === "caret" ? "word" : "name", name, nameMax)) return unnamed(syntax, name);
  if (type === "json") return undefined;
  const bad = entries.find(([key]) => !isRunOf("key", key, nameMax));
  return bad === undefined ? undefined : unnamed(syntax, bad[0]);
}

function unnamed(syntax: Syntax, name: string): Refusal {
  return refusal(
    "MESSAGE_INVALID",
    { syntax: syntax.id, name },
    `The ${syntax.title} syntax has no place for the name ${JSON.stringify(name.slice(0, nameMax))}.`,
  );
}

function isDefault(tool: SyntaxTool, key: string, value: Json): boolean {
  const schema = parameterSchema(tool, key);
  return (
    schema !== undefined &&
    schema["default"] !== undefined &&
    !requiredOf(tool).includes(key) &&
    stableDeepEqual(schema["default"], value)
  );
}
