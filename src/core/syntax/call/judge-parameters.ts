import type { ErrorCode } from "../../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { repeatedKey } from "../../base/repeated-key.ts";
import { err, ok, type Result } from "../../base/result.ts";
import {
  admitted,
  coerceJson,
  coerceList,
  coerceText,
  isWellFormed,
  type Coerced,
  type Uncoercible,
} from "./coerce.ts";
import type { ValueForm } from "../base/grammar.ts";
import { schemaViolation, type SchemaViolation } from "./schema-violation.ts";
import { isTooDeep } from "../base/nesting.ts";
import {
  allowsOtherParameters,
  parameterOrAnySchema,
  parameterSchema,
  requiredOf,
  type SyntaxTool,
} from "../base/tools.ts";

/** A parameter as written in the call. */
export interface WrittenParameter {
  readonly name: string;
  readonly form: ValueForm;
  readonly text: string;
  /** The elements of a list. */
  readonly elements: readonly string[];
  /** A place that may stay empty without meaning an empty value. */
  readonly isTail: boolean;
  /** Whether its closing tag was not there, and its end is where the next tag begins a line. */
  readonly isGuessed: boolean;
}

/** Why a call must not run, in words that a model can act on. */
export interface CallProblem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A call that may run. */
export interface JudgedCall {
  readonly parameters: JsonObject;
  readonly warnings: readonly string[];
}

const askAgain = "The call was not run: correct this and write it again.";

/** Reads parameters written as text, with names and types by the tool's schema. */
export function judgeWritten(
  tool: SyntaxTool,
  written: readonly WrittenParameter[],
  closesByGuess: boolean,
): Result<JudgedCall, CallProblem> {
  const occurrences = new Map<string, WrittenParameter[]>();
  for (const one of written) {
    const name = fullName(tool, one.name);
    const known = parameterSchema(tool, name) !== undefined;
    if (!known && !allowsOtherParameters(tool)) return err(unknownParameter(tool, one.name, closesByGuess));
    const others = occurrences.get(name) ?? [];
    if (one.isTail && one.text === "" && others.length > 0) continue;
    others.push(one);
    occurrences.set(name, others);
  }
  const entries: [string, Json][] = [];
  const warnings: string[] = [];
  // A tag that was no forgotten one but a part of a value opens a parameter that is there already.
  const isDoubtful = written.some(({ isGuessed }) => isGuessed);
  for (const [name, all] of occurrences) {
    const schema = parameterOrAnySchema(tool, name);
    if (all.length > 1 && (isDoubtful || !mayRepeat(all, schema))) {
      return err(
        closesByGuess
          ? ambiguous(tool, name)
          : {
              code: "DUPLICATE_PARAM",
              message: `${tool.name}: the parameter ${name} occurs ${all.length} times, but takes one value. ${askAgain}`,
            },
      );
    }
    const read = valueOf(all, schema);
    if (!read.ok) return err(uncoercible(tool, name, read.error));
    entries.push([name, read.value.value]);
    if (read.value.warning !== undefined) warnings.push(`${name} ${read.value.warning}`);
  }
  return complete(tool, entries, warnings);
}

/** Reads arguments that came as the text of a JSON object. */
export function judgeJson(tool: SyntaxTool, json: string): Result<JudgedCall, CallProblem> {
  const parameters = parseArguments(tool.name, json);
  return parameters.ok ? judgeArguments(tool, parameters.value) : parameters;
}

/** Parses the text of a JSON object; anything else, or a duplicate key, is refused. */
function parseArguments(name: string, json: string): Result<JsonObject, CallProblem> {
  let value: Json;
  try {
    value = json.trim() === "" ? {} : (JSON.parse(json) as Json);
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : "unreadable";
    return err({ code: "MALFORMED_CALL", message: `${name}: the arguments are not valid JSON (${why}). ${askAgain}` });
  }
  if (!isJsonObject(value)) {
    return err({ code: "MALFORMED_CALL", message: `${name}: the arguments are JSON, but not an object. ${askAgain}` });
  }
  if (isTooDeep(value)) {
    return err({ code: "MALFORMED_CALL", message: `${name}: the arguments are nested too deep. ${askAgain}` });
  }
  const twice = repeatedKey(json);
  if (twice === undefined) return ok(value);
  return err({
    code: "DUPLICATE_PARAM",
    message: `${name}: ${JSON.stringify(twice)} occurs twice in one object. ${askAgain}`,
  });
}

/** Checks parsed arguments against the tool's schema, as of a native call. */
export function judgeArguments(tool: SyntaxTool, given: JsonObject): Result<JudgedCall, CallProblem> {
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(given)) {
    const schema = parameterSchema(tool, name);
    if (schema === undefined && !allowsOtherParameters(tool)) return err(unknownParameter(tool, name, false));
    // An optional parameter given as null counts as absent.
    if (
      value === null &&
      schema !== undefined &&
      !admitted(schema).types.has("null") &&
      !requiredOf(tool).includes(name)
    ) {
      continue;
    }
    if (!name.isWellFormed() || !isWellFormed(value)) return err(halfCharacter(tool.name, name.toWellFormed()));
    const read = coerceJson(value, parameterOrAnySchema(tool, name));
    if (!read.ok) return err(uncoercible(tool, name, read.error));
    entries.push([name, read.value.value]);
  }
  return complete(tool, entries, []);
}

function complete(
  tool: SyntaxTool,
  entries: readonly [string, Json][],
  warnings: readonly string[],
): Result<JudgedCall, CallProblem> {
  for (const [name, value] of entries) {
    // Texts that appear literally in the reply were checked while they streamed.
    if (typeof value !== "string" && !isWellFormed(value)) return err(halfCharacter(tool.name, name));
  }
  const names = new Set(entries.map(([name]) => name));
  const missing = requiredOf(tool).filter((name) => !names.has(name));
  if (missing.length > 0) {
    const list = missing.join(", ");
    return err({
      code: "INVALID_PARAMS",
      message: `${tool.name}: ${list} ${missing.length === 1 ? "is" : "are"} missing. ${askAgain}`,
    });
  }
  const parameters = Object.fromEntries(entries);
  // What was kept as text with a warning does not fit, knowingly.
  const violation = warnings.length > 0 ? undefined : schemaViolation(tool.inputSchema, parameters);
  return violation === undefined ? ok({ parameters, warnings }) : err(broken(tool, violation));
}

function broken(tool: SyntaxTool, { path, keyword, why }: SchemaViolation): CallProblem {
  const isType = keyword === "type" || keyword === "enum" || keyword === "const";
  const place = path === "" ? "the arguments break" : `${path} breaks`;
  return {
    code: isType ? "BAD_TYPE" : "INVALID_PARAMS",
    message: `${tool.name}: ${place} the tool's schema: ${why} ${askAgain}`,
  };
}

/** Refuses half of a surrogate pair, which could be neither stored nor sent. */
export function halfCharacter(tool: string, parameter: string): CallProblem {
  return {
    code: "TEXT_MALFORMED",
    message: `${tool}: the value of ${parameter} holds half a character (a lone surrogate). ${askAgain}`,
  };
}

function valueOf(all: readonly WrittenParameter[], schema: JsonObject): Result<Coerced, Uncoercible> {
  const [only] = all;
  if (all.length > 1 || only === undefined) {
    return coerceList(
      all.map((one) => one.text),
      schema,
    );
  }
  switch (only.form) {
    case "list":
      return coerceList(only.elements, schema);
    case "string":
      // A text explicitly marked as text is not read as another possible type.
      return admitted(schema).types.has("string") ? coerceJson(only.text, schema) : coerceText(only.text, schema);
    case "json":
      return jsonIn(only.text, schema);
    case "schema":
      return coerceText(only.text, schema);
  }
}

function jsonIn(text: string, schema: JsonObject): Result<Coerced, Uncoercible> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : "unreadable";
    return err({ code: "BAD_TYPE", problem: `is not valid JSON (${why})` });
  }
  if (isTooDeep(value)) return err({ code: "BAD_TYPE", problem: "is nested too deep" });
  const twice = repeatedKey(text);
  if (twice !== undefined)
    return err({ code: "BAD_TYPE", problem: `has ${JSON.stringify(twice)} twice in one object` });
  return coerceJson(value, schema);
}

function mayRepeat(all: readonly WrittenParameter[], schema: JsonObject): boolean {
  return admitted(schema).types.has("array") && all.every((one) => one.form === "schema" || one.form === "string");
}

/**
 * Returns a parameter's full name; a list may be given element by element under its singular: `path` fills `paths` if
 * only that exists.
 */
function fullName(tool: SyntaxTool, name: string): string {
  if (parameterSchema(tool, name) !== undefined) return name;
  const plural = parameterSchema(tool, `${name}s`);
  return plural !== undefined && admitted(plural).types.has("array") ? `${name}s` : name;
}

function unknownParameter(tool: SyntaxTool, name: string, closesByGuess: boolean): CallProblem {
  if (closesByGuess) return ambiguous(tool, name);
  return { code: "INVALID_PARAMS", message: `${tool.name}: there is no parameter ${name}. ${askAgain}` };
}

function ambiguous(tool: SyntaxTool, name: string): CallProblem {
  return {
    code: "AMBIGUOUS_CLOSE",
    message: `${tool.name}: ${name} was not expected here; perhaps the value before it holds a closing tag. The call was not run: write such a value as <![CDATA[…]]>.`,
  };
}

function uncoercible(tool: SyntaxTool, name: string, { code, problem }: Uncoercible): CallProblem {
  return { code, message: `${tool.name}: the parameter ${name} ${problem}. ${askAgain}` };
}
