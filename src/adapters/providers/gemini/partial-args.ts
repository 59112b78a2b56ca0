import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { listAt, textAt } from "../shared/json-read.ts";

/**
 * Adds pieces of arguments that arrive value by value, each with its path (`$.a.b[0]`). A piece of text continues the text
 * at its path. Pieces without a readable path or value are ignored.
 */
export function addPartialArgs(args: JsonObject, call: unknown): JsonObject {
  let grown: Json = args;
  for (const piece of listAt(call, "partialArgs")) {
    const path = stepsOf(textAt(piece, "jsonPath") ?? "");
    const value = valueOf(piece);
    if (path.length > 0 && value !== undefined) grown = withValue(grown, path, value);
  }
  return isJsonObject(grown) ? grown : args;
}

/** Whether a piece has a readable path, and a value unless it only says that more follows. */
export function isPiece(piece: unknown): boolean {
  const isMark = isJsonObject(piece) && Object.keys(piece).every((key) => key === "jsonPath" || key === "willContinue");
  return stepsOf(textAt(piece, "jsonPath") ?? "").length > 0 && (isMark || valueOf(piece) !== undefined);
}

type Step = string | number;

/** Longest list that a path may create by its index, so that a hostile path cannot exhaust memory. */
const listLengthMax = 10_000;

/** The path that was read last: each piece's is asked for twice, and the pieces of one text have the same. */
let last: { readonly path: string; readonly steps: readonly Step[] } = { path: "", steps: [] };

function stepsOf(path: string): readonly Step[] {
  if (last.path !== path) last = { path, steps: readSteps(path) };
  return last.steps;
}

function readSteps(path: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, name, quoted, place] of path.matchAll(/\.([^.[\]]+)|\['([^']*)'\]|\[(\d+)\]/gu)) {
    if (place === undefined) steps.push(name ?? quoted ?? "");
    else if (Number(place) > listLengthMax) return [];
    else steps.push(Number(place));
  }
  return steps;
}

function valueOf(piece: unknown): Json | undefined {
  if (!isJsonObject(piece)) return undefined;
  if ("nullValue" in piece) return null;
  const { stringValue: text, numberValue: number, boolValue: flag } = piece;
  if (typeof text === "string") return text;
  return typeof number === "number" ? number : typeof flag === "boolean" ? flag : undefined;
}

function withValue(before: Json | undefined, [step, ...rest]: readonly Step[], value: Json): Json {
  if (step === undefined) return typeof before === "string" && typeof value === "string" ? before + value : value;
  if (typeof step === "number") {
    const list: Json[] = Array.isArray(before) ? [...before] : [];
    while (list.length <= step) list.push(null);
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const fields = isJsonObject(before) ? before : {};
  const inner = Object.hasOwn(fields, step) ? fields[step] : undefined;
  // A computed key is a field also when it is called `__proto__`.
  return { ...fields, [step]: withValue(inner, rest, value) };
}
