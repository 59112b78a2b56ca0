import { refusal, type Refusal } from "../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import { err, ok, type Result } from "../base/result.ts";
import {
  ahead,
  begin,
  end,
  keyName,
  meant,
  parameter,
  problem,
  space,
  toolName,
  valueEnd,
  type Edge,
  type JsonPayload,
  type Opening,
  type State,
  type Token,
} from "./base/grammar.ts";
import type { Syntax, Writing } from "./base/syntax.ts";

/**
 * Builds a syntax from the `response_template` of a model's tokenizer configuration. Its regular expressions are read
 * as literals, white space and names. Refuses with the path of the first part that cannot be read exactly; nothing is
 * guessed.
 */
export function importResponseTemplate(id: string, template: Json): Result<Syntax, Refusal> {
  const fields = isJsonObject(template) ? template["fields"] : undefined;
  if (!isJsonObject(fields)) return unreadable("fields", "the template has none");
  const calls = fields["tool_calls"];
  if (!isJsonObject(calls)) return unreadable("fields.tool_calls", "the template has no tool calls");
  const openings: Opening[] = [];
  const states: Record<string, State> = {};
  let startInReasoning: string | undefined;
  for (const [name, field] of Object.entries(fields)) {
    if (name === "tool_calls" || !isJsonObject(field)) continue;
    const closed = marks(field["close"]);
    if (!closed.ok) return unreadable(`fields.${name}`, closed.error);
    const close = closed.value;
    const open = opened(field);
    if (open === undefined) {
      // The field without an opening is the remaining text; its closing mark is not text.
      openings.push(...close.map((mark): Opening => ({ at: "anywhere", on: [mark], to: "text" })));
      continue;
    }
    if (!open.ok) return unreadable(`fields.${name}`, open.error);
    if (/think|reason|analysis/.test(name)) {
      startInReasoning = name;
      states[name] = { type: "reasoning", ends: close.map((mark) => ({ on: [mark], to: "text" })) };
      openings.push(...open.value.map((on): Opening => ({ at: "anywhere", on, to: name })));
    } else {
      openings.push(...open.value.map((on): Opening => ({ at: "anywhere", on, to: "text" })));
      openings.push(...close.map((mark): Opening => ({ at: "anywhere", on: [mark], to: "text" })));
    }
  }
  const read = readCalls(calls);
  if (!read.ok) return unreadable("fields.tool_calls", read.error);
  Object.assign(states, read.value.states);
  return ok({
    id,
    title: id,
    tier: "model",
    grammar: {
      quoting: "fences",
      closesByGuess: read.value.writing.type === "fields",
      ...(startInReasoning === undefined ? {} : { startInReasoning }),
      openings: [
        ...openings.filter((opening) => opening.to !== "text"),
        ...read.value.openings,
        ...openings.filter((opening) => opening.to === "text"),
      ],
      states,
    },
    writing: read.value.writing,
    results: { open: "<tool_response>\n", close: "\n</tool_response>" },
    explanation: "Call a tool in the form of the example.",
  });
}

interface ReadCalls {
  readonly openings: readonly Opening[];
  readonly states: { readonly [name: string]: State };
  readonly writing: Writing;
}

/** A value, or the problem in words. */
type Read<Value> = Result<Value, string>;

/** The parts of the calls' field that are read before its content. */
interface CallField {
  readonly field: JsonObject;
  readonly openings: NonEmptyArray<readonly Token[]>;
  readonly closings: readonly string[];
  readonly keys: CallKeys;
}

function readCalls(field: JsonObject): Read<ReadCalls> {
  const open = opened(field) ?? err("it has no opening");
  if (!open.ok) return open;
  const openings = open.value;
  if (!isNonEmpty(openings)) return err("it has no opening");
  const close = marks(field["close"]);
  if (!close.ok) return close;
  if (field["close_pattern"] !== undefined) return err("close_pattern is not supported here");
  const keys = keysOf(field["transform"]);
  if (keys === undefined) return err("its transform names neither the call nor its name and arguments");
  if (keys.name === null && !openings.every((on) => on.includes(toolName))) return err("the opening names no tool");
  const given: CallField = { field, openings, closings: close.value, keys };
  const content = field["content"] ?? "text";
  switch (typeof content === "string" ? content : "") {
    case "json":
      return readJsonCalls(given);
    case "xml-inline":
      return readTaggedCalls(given);
    default:
      return err(`its content is ${JSON.stringify(content)}`);
  }
}

/** Reads calls whose arguments are one JSON object, with the tool's name in it or before it. */
function readJsonCalls({ field, openings, closings, keys }: CallField): Read<ReadCalls> {
  const loose = isJsonObject(field["content_args"]) ? field["content_args"] : {};
  if (loose["unquoted_keys"] === true || loose["string_delims"] !== undefined)
    return err("its JSON has an unsupported notation");
  const [first] = openings;
  const [mark = ""] = closings;
  const to = field["transform_each"] === true ? "calls" : "call";
  const isList = to === "calls";
  const payload: JsonPayload =
    keys.name === null
      ? { type: "arguments" }
      : { type: to, nameKeys: [keys.name], argumentKeys: [keys.arguments], idKeys: [] };
  const closing: readonly Edge[] =
    closings.length === 0
      ? [{ on: [], do: [end], to: "text" }]
      : closings.map((one) => ({ on: [one], do: isList ? [] : [end], to: "text" }));
  return ok({
    openings: openings.map((on): Opening => {
      const isNamed = keys.name === null;
      const whole = isNamed ? on : [...on, space, ahead(isList ? ["["] : ["{"])];
      return { at: "anywhere", on: whole, do: [isNamed ? begin : meant], to };
    }),
    states: { [to]: { type: "json", payload, to: "closeCall" }, closeCall: choice(closing) },
    writing: {
      type: "json",
      wrapper: isList ? [`${sample(first)}[`, `]${mark}`] : ["", ""],
      call: isList ? ["", ""] : [sample(first), mark],
      between: isList ? ", " : "\n",
      keys: keys.name === null ? null : { name: keys.name, arguments: keys.arguments },
    },
  });
}

/** Reads calls with a tag around each value. */
function readTaggedCalls({ field, openings, closings, keys }: CallField): Read<ReadCalls> {
  const pattern = isJsonObject(field["content_args"]) ? field["content_args"]["tag_pattern"] : undefined;
  const parts = typeof pattern === "string" ? /^(.*?)\(\?P?<value>\.\*\?\)(.*)$/s.exec(pattern) : null;
  const [mark = ""] = closings;
  if (keys.name !== null || parts === null || mark === "") return err("its tags have an unsupported form");
  const before = tokensOf(parts[1] ?? "");
  const after = tokensOf(parts[2] ?? "");
  if (!before.ok) return before;
  if (!after.ok) return after;
  if (!before.value.includes(keyName)) return err("its tags name no key");
  const hasLead = before.value.at(-1) === space;
  const head = hasLead ? before.value.slice(0, -1) : before.value;
  const next = head.find((token) => typeof token === "string") ?? mark;
  const [first] = openings;
  return ok({
    openings: openings.map((on): Opening => ({ at: "anywhere", on, do: [begin], to: "item" })),
    states: {
      item: tolerant([
        { on: head, do: [parameter("schema")], to: "lead" },
        ...closings.map((one): Edge => ({ on: [one], do: [end], to: "text" })),
      ]),
      lead: {
        type: "choice",
        edges: [{ on: hasLead ? [space, "<![CDATA["] : ["<![CDATA["], do: [{ type: "text-form" }], to: "cdata" }],
        otherwise: { type: "go", to: hasLead ? "skip" : "value" },
      },
      skip: { type: "choice", edges: [{ on: [space], to: "value" }], otherwise: { type: "go", to: "value" } },
      value: {
        type: "value",
        ends: [
          {
            on: [...after.value, ahead([space, next], [space, "</"], ...closings.map((one) => [space, one]))],
            do: [valueEnd],
            to: "item",
          },
        ],
        into: "piece",
        normalisesLineEnds: false,
      },
      cdata: {
        type: "value",
        ends: [
          { on: ["]]><![CDATA["], to: "cdata" },
          { on: ["]]>", ...after.value], do: [valueEnd], to: "item" },
        ],
        into: "piece",
        normalisesLineEnds: false,
      },
    },
    writing: {
      type: "fields",
      wrapper: ["", ""],
      call: [`${sample(first)}\n`, mark],
      between: "\n",
      field: [sample(head), `${sample(after.value)}\n`],
      // White space around a value is ignored there, so a value with any is written in CDATA.
      avoid: [
        ...after.value.filter((token) => typeof token === "string"),
        "<![CDATA[",
        ...(hasLead ? ["\n", "\r", "\t", " ", "\v", "\f"] : []),
      ],
      lists: "json",
    },
  });
}

function choice(edges: readonly Edge[]): State {
  return {
    type: "choice",
    skipSpace: true,
    edges,
    otherwise: {
      type: "problem",
      problem: problem(
        "MALFORMED_CALL",
        "{name}: '{found}' was not expected there. The call was not run: write it again.",
      ),
      skip: "character",
    },
  };
}

/** Between tags of a template any text is allowed; only the tags count. */
function tolerant(edges: readonly Edge[]): State {
  return { type: "choice", skipSpace: true, edges, otherwise: { type: "skip" } };
}

/** Where a call's name and arguments are: under keys of its JSON, or (name null) the name in the opening. */
interface CallKeys {
  readonly name: string | null;
  readonly arguments: string;
}

/** Reads the keys from the transform; undefined for any other form. */
function keysOf(transform: Json | undefined): CallKeys | undefined {
  const call = isJsonObject(transform) ? transform["function"] : undefined;
  if (call === "{content}") return { name: "name", arguments: "arguments" };
  if (!isJsonObject(call)) return undefined;
  const { name, arguments: given } = call;
  if (typeof name !== "string" || typeof given !== "string") return undefined;
  return given === "{content}"
    ? { name: null, arguments: "" }
    : { name: name.slice(1, -1), arguments: given.slice(1, -1) };
}

/** Reads one text or several, each matched literally. */
function marks(value: Json | undefined): Read<readonly string[]> {
  const listed = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  const found = listed.filter((one) => typeof one === "string");
  const odd = found.find(readsAsRegister);
  return odd === undefined ? ok(found) : err(unsayable(odd));
}

/** Whether a grammar would read a word in braces as a register. */
function readsAsRegister(text: string): boolean {
  return /\{\w+\}/.test(text);
}

function unsayable(mark: string): string {
  return `the mark ${JSON.stringify(mark.slice(0, 40))} has a word in braces`;
}

/** Reads how a field opens; undefined when it has no opening. */
function opened(field: JsonObject): Read<readonly (readonly Token[])[]> | undefined {
  const plain = marks(field["open"]);
  if (!plain.ok) return plain;
  if (plain.value.length > 0) return ok(plain.value.map((mark) => [mark]));
  const pattern = field["open_pattern"];
  if (typeof pattern !== "string") return undefined;
  const tokens = tokensOf(pattern);
  return tokens.ok ? ok([tokens.value]) : tokens;
}

/** Reads a regular expression as a sequence of tokens. */
function tokensOf(pattern: string): Read<readonly Token[]> {
  const tokens: Token[] = [];
  const add = (text: string): void => {
    const last = tokens.at(-1);
    if (typeof last === "string") tokens[tokens.length - 1] = last + text;
    else tokens.push(text);
  };
  let rest = pattern;
  while (rest !== "") {
    const group = /^\(\?P?<(name|key)>(?:\\w\+|\[[^\]]+\]\+\??|\.\+\?|\.\*\?)\)/.exec(rest);
    const blank = /^(?:\\s[*+]|\[\\s\\n\]\*|\\n[*?])/.exec(rest);
    const escaped = /^\\([^\w])/.exec(rest) ?? /^\\(n)/.exec(rest);
    const plain = /^[^\\()[\]{}.*+?|^$]/.exec(rest);
    const found = group ?? blank ?? escaped ?? plain;
    if (found === null)
      return err(`the pattern ${JSON.stringify(pattern)} cannot be read from ${JSON.stringify(rest.slice(0, 20))}`);
    if (group !== null) tokens.push(group[1] === "name" ? toolName : keyName);
    else if (blank !== null) tokens.push(space);
    else if (escaped !== null) add(escaped[1] === "n" ? "\n" : (escaped[1] ?? ""));
    else add(found[0]);
    rest = rest.slice(found[0].length);
  }
  const odd = tokens.filter((token) => typeof token === "string").find(readsAsRegister);
  return odd === undefined ? ok(tokens) : err(unsayable(odd));
}

/** Returns how a sequence of tokens is written, with `{name}` and `{key}` in place. */
function sample(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      typeof token === "string" ? token : token === toolName ? "{name}" : token === keyName ? "{key}" : "",
    )
    .join("");
}

function unreadable(where: string, why: string): Result<never, Refusal> {
  return err(refusal("INVALID_PARAMS", { where }, `This response_template cannot be used: ${where}: ${why}.`));
}
