import { isJsonObject, type Json, type JsonObject } from "../../../../src/core/base/json.ts";

/** A stretch of a result that people read by itself. */
export interface ResultPart {
  readonly title: string;
  readonly text: string;
}

/** A tool's result as people read it: what a command printed and what files say as texts, the rest as the tool gave it. */
export function resultParts(result: string): readonly ResultPart[] {
  const answer = parsed(result);
  if (!isJsonObject(answer)) return [{ title: "Result", text: result }];
  const { output, files, ...rest } = answer;
  if (typeof output === "string") return [{ title: "Output", text: output }, ...remaining(rest)];
  if (Array.isArray(files) && files.some(isReadFile)) {
    const read = files.filter(isReadFile).map(({ path, text }) => ({ title: path, text }));
    const others = files.filter((file) => !isReadFile(file));
    return [...read, ...remaining(others.length === 0 ? rest : { ...rest, files: others })];
  }
  return [{ title: "Result", text: JSON.stringify(answer, null, 2) }];
}

function remaining(rest: JsonObject): readonly ResultPart[] {
  return Object.keys(rest).length === 0 ? [] : [{ title: "Result", text: JSON.stringify(rest, null, 2) }];
}

function isReadFile(file: Json): file is { readonly path: string; readonly text: string } {
  return isJsonObject(file) && typeof file["path"] === "string" && typeof file["text"] === "string";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
