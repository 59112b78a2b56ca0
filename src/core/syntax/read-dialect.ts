import * as v from "valibot";
import { isJsonObject } from "../base/json.ts";
import { nearestWord } from "../base/nearest-word.ts";
import { reasonOf } from "../base/reason.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Syntax } from "./base/syntax.ts";
import { compileDialect } from "./grammars/compile-dialect.ts";
import { dialectSchema, type Dialect } from "./grammars/dialect.ts";

/** The longest file of a dialect, in characters. */
const dialectUnitsMax = 20_000;

/**
 * Reads a dialect from JSON and compiles it. A mistake is described with its line and field, in words for the person who
 * wrote it; `taken` are the ids that it must not have.
 */
export function readDialect(text: string, taken: readonly string[] = []): Result<Syntax, string> {
  if (text.length > dialectUnitsMax) return err(`the file is longer than ${dialectUnitsMax} characters`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (problem) {
    return err(`invalid JSON: ${reasonOf(problem)}`);
  }
  if (!isJsonObject(data)) return err("must be an object that describes a syntax");
  const read = v.safeParse(dialectSchema, data);
  if (!read.success) return err(mistakeOf(read.issues[0], text));
  const wrong = contradictionOf(read.output, taken);
  if (wrong !== undefined) return err(`line ${lineOf(text, wrong.field)}: ${wrong.field}: ${wrong.problem}`);
  return ok(compileDialect(read.output));
}

function mistakeOf(issue: v.BaseIssue<unknown>, text: string): string {
  const path = (issue.path ?? []).map(({ key }) => String(key));
  const [field] = path;
  if (field === undefined) return issue.message;
  const place = `line ${lineOf(text, field)}: ${path.join(".")}`;
  const known = Object.keys(dialectSchema.entries);
  if (!known.includes(field)) {
    const guess = nearestWord(field, known);
    return `${place}: unknown field; ${guess === undefined ? `known are ${known.join(", ")}` : `did you mean ${guess}?`}`;
  }
  if (issue.received === "undefined" && path.length === 1) return `${field}: is missing`;
  return `${place}: ${issue.message}`;
}

/** The line of a field, from 1; 1 for a field that the text does not name. */
function lineOf(text: string, field: string): number {
  const at = text.search(new RegExp(`"${field.replaceAll(/[^\w]/g, "\\$&")}"\\s*:`));
  return at === -1 ? 1 : text.slice(0, at).split("\n").length;
}

interface Contradiction {
  readonly field: string;
  readonly problem: string;
}

/** The first thing that no field alone has wrong. */
function contradictionOf(dialect: Dialect, taken: readonly string[]): Contradiction | undefined {
  const { id, calls, call, value, typed_value: typed, fence, escape, keys } = dialect;
  if (taken.includes(id)) return { field: "id", problem: `${id} is the name of another syntax` };
  if (calls === "fence") return fence === undefined ? { field: "calls", problem: "needs the field fence" } : undefined;
  if (call === undefined) return { field: "calls", problem: "needs the field call" };
  if (calls === "json") return jsonContradiction(dialect, call, keys !== undefined);
  const [open, close] = call;
  if (!open.includes("{name}")) return { field: "call", problem: "must hold {name} before the values" };
  if (close.trim() === "") return { field: "call", problem: "needs a mark after the values" };
  if (value === undefined) return { field: "calls", problem: "needs the field value" };
  if (!value[0].includes("{key}")) return { field: "value", problem: "must hold {key} before the value" };
  if (value[1].trim() === "") return { field: "value", problem: "needs a mark after the value" };
  const [head = ""] = open.split("{name}");
  const [before = ""] = value[0].split("{key}");
  if (head.trim() === "") return { field: "call", problem: "must begin with a mark before {name}" };
  if (before.trim() === "") return { field: "value", problem: "must begin with a mark before {key}" };
  if (typed !== undefined && !typed.startsWith(`${before}{key}`))
    return { field: "typed_value", problem: "must begin as value does, up to {key}" };
  if (escape === "entities" && typed === undefined)
    return { field: "escape", problem: "entities need the field typed_value, which tells texts from JSON" };
  if (escape === "entities" && !value[1].trim().startsWith("<"))
    return { field: "escape", problem: "entities need a mark after the value that begins with <" };
  return tooLong({ call: head, value: before });
}

function jsonContradiction(
  dialect: Dialect,
  [open, close]: readonly [string, string],
  hasKeys: boolean,
): Contradiction | undefined {
  const namesTool = open.includes("{name}");
  if (namesTool && (dialect.list === true || dialect.name_is_key === true))
    return { field: "call", problem: "must not hold {name} when the JSON names the tools" };
  if (!namesTool && open.trim() === "" && dialect.list !== true)
    return { field: "call", problem: "needs a mark before the JSON, or a list" };
  if (dialect.name_is_key === true && hasKeys)
    return { field: "keys", problem: "must not be there when the tool's name is the key" };
  if (namesTool && close.trim() === "" && dialect.section !== undefined)
    return { field: "call", problem: "needs a mark after the JSON inside a section" };
  const [head = ""] = open.split("{name}");
  if (namesTool && head.trim() === "") return { field: "call", problem: "must begin with a mark before {name}" };
  return namesTool ? tooLong({ call: head }) : tooLong({ call: open });
}

const headMax = 70;

/** A mark longer than what is looked ahead could not be recognised. */
function tooLong(marks: { readonly [field: string]: string }): Contradiction | undefined {
  const long = Object.entries(marks).find(([, mark]) => mark.length > headMax);
  return long && { field: long[0], problem: `the mark before the name must not be longer than ${headMax} characters` };
}
