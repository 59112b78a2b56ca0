import { refusal, type Refusal } from "../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
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
  type Opening,
  type State,
  type Token,
} from "./grammar.ts";
import type { Syntax, Writing } from "./syntax.ts";

/**
 * Makes a syntax of the `response_template` that a model's tokenizer configuration carries. Regular expressions in it are
 * read as rows of literals, white space and names; what cannot be read that way is refused, never guessed.
 */
export function importResponseTemplate(id: string, template: Json): Result<Syntax, Refusal> {
  const fields = isJsonObject(template) ? template["fields"] : undefined;
  if (!isJsonObject(fields)) return unreadable("fields", "there are none");
  const calls = fields["tool_calls"];
  if (!isJsonObject(calls)) return unreadable("fields.tool_calls", "the template has no tool calls");
  const openings: Opening[] = [];
  const states: Record<string, State> = {};
  let startInReasoning: string | undefined;
  for (const [name, field] of Object.entries(fields)) {
    if (name === "tool_calls" || !isJsonObject(field)) continue;
    const close = literals(field["close"]);
    const open = opened(field);
    if (open === undefined) {
      // The field without an opening is what remains: the text. What closes it is no text.
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

/** What went wrong, in words. */
type Read<Value> = Result<Value, string>;

function readCalls(field: JsonObject): Read<ReadCalls> {
  const open = opened(field) ?? err("it has no opening");
  if (!open.ok) return open;
  const [first] = open.value;
  const close = literals(field["close"]);
  const [mark = ""] = close;
  if (first === undefined) return err("it has no opening");
  if (field["close_pattern"] !== undefined) return err("close_pattern is not supported here");
  const keys = keysOf(field["transform"]);
  if (keys === undefined) return err("its transform names neither the call nor its name and arguments");
  const isNamed = keys.name === undefined;
  if (isNamed && !open.value.every((on) => on.some((token) => token === toolName)))
    return err("the opening names no tool");
  const to = field["transform_each"] === true ? "calls" : "call";
  const at = "anywhere" as const;
  const content = typeof field["content"] === "string" ? field["content"] : "";
  switch (content) {
    case "json": {
      const loose = isJsonObject(field["content_args"]) ? field["content_args"] : {};
      if (loose["unquoted_keys"] === true || loose["string_delims"] !== undefined)
        return err("its JSON is of another notation");
      const payload = isNamed
        ? ({ type: "arguments" } as const)
        : ({ type: to, nameKeys: [keys.name ?? ""], argumentKeys: [keys.arguments], idKeys: [] } as const);
      const closing: readonly Edge[] =
        close.length === 0
          ? [{ on: [], do: [end], to: "text" }]
          : close.map((one) => ({ on: [one], do: to === "calls" ? [] : [end], to: "text" }));
      return ok({
        openings: open.value.map((on) => ({
          at,
          on: isNamed ? on : [...on, space, ahead(to === "calls" ? ["["] : ["{"])],
          do: [isNamed ? begin : meant],
          to,
        })),
        states: { [to]: { type: "json", payload, to: "closeCall" }, closeCall: choice(closing) },
        writing: {
          type: "json",
          wrapper: to === "calls" ? [`${sample(first)}[`, `]${mark}`] : ["", ""],
          call: to === "calls" ? ["", ""] : [sample(first), mark],
          between: to === "calls" ? ", " : "\n",
          keys: isNamed ? null : { name: keys.name ?? "", arguments: keys.arguments },
        },
      });
    }
    case "xml-inline": {
      const pattern = isJsonObject(field["content_args"]) ? field["content_args"]["tag_pattern"] : undefined;
      const parts = typeof pattern === "string" ? /^(.*?)\(\?P?<value>\.\*\?\)(.*)$/s.exec(pattern) : null;
      if (!isNamed || parts === null || mark === "") return err("its tags are of another form");
      const before = tokensOf(parts[1] ?? "");
      const after = tokensOf(parts[2] ?? "");
      if (!before.ok) return before;
      if (!after.ok) return after;
      if (!before.value.includes(keyName)) return err("its tags name no key");
      const lead = trailingSpace(before.value);
      const head = lead ? before.value.slice(0, -1) : before.value;
      const next = head.find((token) => typeof token === "string") ?? mark;
      return ok({
        openings: open.value.map((on) => ({ at, on, do: [begin], to: "item" })),
        states: {
          item: tolerant([
            { on: head, do: [parameter("schema")], to: "lead" },
            ...close.map((one): Edge => ({ on: [one], do: [end], to: "text" })),
          ]),
          lead: {
            type: "choice",
            edges: [{ on: lead ? [space, "<![CDATA["] : ["<![CDATA["], do: [{ type: "text-form" }], to: "cdata" }],
            otherwise: { type: "go", to: lead ? "skip" : "value" },
          },
          skip: { type: "choice", edges: [{ on: [space], to: "value" }], otherwise: { type: "go", to: "value" } },
          value: {
            type: "value",
            ends: [
              {
                on: [...after.value, ahead([space, next], [space, "</"], ...close.map((one) => [space, one]))],
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
          // White space around a value does not count there, so a value that has any stands in CDATA.
          avoid: [
            ...after.value.filter((token) => typeof token === "string"),
            "<![CDATA[",
            ...(lead ? ["\n", "\r", "\t", " ", "\v", "\f"] : []),
          ],
          lists: "json",
        },
      });
    }
    default:
      return err(`its content is ${JSON.stringify(field["content"] ?? "text")}`);
  }
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

/** Between tags of a template anything may stand; only the tags count. */
function tolerant(edges: readonly Edge[]): State {
  return { type: "choice", skipSpace: true, edges, otherwise: { type: "skip" } };
}

/** Where the transform takes a call's name and its arguments from: the content's keys, or the opening. */
function keysOf(transform: Json | undefined): { readonly name?: string; readonly arguments: string } | undefined {
  const call =
    isJsonObject(transform) && isJsonObject(transform["function"])
      ? transform["function"]
      : isJsonObject(transform)
        ? transform["function"]
        : undefined;
  if (call === "{content}") return { name: "name", arguments: "arguments" };
  if (!isJsonObject(call)) return undefined;
  const { name, arguments: given } = call;
  if (typeof name !== "string" || typeof given !== "string") return undefined;
  return given === "{content}" ? { arguments: "" } : { name: name.slice(1, -1), arguments: given.slice(1, -1) };
}

function literals(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** How a field opens; undefined where it has no opening. */
function opened(field: JsonObject): Read<readonly (readonly Token[])[]> | undefined {
  const plain = literals(field["open"]);
  if (plain.length > 0) return ok(plain.map((mark) => [mark]));
  const pattern = field["open_pattern"];
  if (typeof pattern !== "string") return undefined;
  const tokens = tokensOf(pattern);
  return tokens.ok ? ok([tokens.value]) : tokens;
}

/** A regular expression as a row of tokens. */
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
  return ok(tokens);
}

function trailingSpace(tokens: readonly Token[]): boolean {
  return tokens.at(-1) === space;
}

/** What a row of tokens is written as, with `{name}` and `{key}` where those stand. */
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
