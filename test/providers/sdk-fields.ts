import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Json, JsonObject } from "../../src/core/base/json.ts";

/** A field of a type, as a declaration file names it. */
interface Field {
  readonly name: string;
  readonly type: string;
}

/** The declarations of an official client. */
export interface Declarations {
  /** Returns the fields of a type with a made-up value of each; throws when the type is missing. */
  sampleOf(type: string): JsonObject;
}

/** Reads a declaration file of an installed package. */
export function declarationsOf(packageName: string, file: string): Declarations {
  const entry = createRequire(import.meta.url).resolve(packageName);
  const marker = path.join("node_modules", ...packageName.split("/"));
  const folder = entry.slice(0, entry.indexOf(marker) + marker.length);
  const text = readFileSync(path.join(folder, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//gu, "");
  return {
    sampleOf: (type) => Object.fromEntries(fieldsOf(text, type).map((field) => [field.name, sampleValue(field.type)])),
  };
}

/** Reads a list of types, each with its fields, that was taken from a declaration file of a package that is not installed. */
export function declarationsIn(types: Readonly<Record<string, Readonly<Record<string, string>>>>): Declarations {
  return {
    sampleOf: (type) => {
      const fields = types[type];
      if (fields === undefined) throw new Error(`The list has no type ${type}; it has changed.`);
      return Object.fromEntries(Object.entries(fields).map(([name, held]) => [name, sampleValue(held)]));
    },
  };
}

function fieldsOf(text: string, type: string): readonly Field[] {
  const start = new RegExp(`(?:interface|class) ${type}\\b([^{]*)\\{`, "u").exec(text);
  if (start === null) throw new Error(`The client declares no type ${type}; it has changed.`);
  const members: string[] = [];
  let depth = 0;
  let member = "";
  for (const letter of text.slice(start.index + start[0].length)) {
    if ("{([<".includes(letter)) depth += 1;
    if ("})]>".includes(letter)) depth -= 1;
    if (depth < 0) break;
    if (letter === ";" && depth === 0) {
      members.push(member);
      member = "";
    } else member += letter;
  }
  const own = members.flatMap((each): readonly Field[] => {
    const [, name, held] = /^\s*(?:readonly )?['"]?(\w+)['"]?\??:\s*([\s\S]*)$/u.exec(each) ?? [];
    return name === undefined || held === undefined ? [] : [{ name, type: held.trim() }];
  });
  const parent = /extends (?:\w+\.)*(\w+)/u.exec(start[1] ?? "")?.[1];
  return [...(parent === undefined || !text.includes(`interface ${parent} `) ? [] : fieldsOf(text, parent)), ...own];
}

/** A value of the first kind that a type allows. */
function sampleValue(type: string): Json {
  const literal = /^['"]([^'"]*)['"]/u.exec(type)?.[1];
  if (literal !== undefined) return literal;
  if (/^Array<|\[\]/u.test(type)) return [];
  if (/^string\b/u.test(type)) return "x";
  if (/^number\b/u.test(type)) return 1;
  return /^(?:boolean|true|false)\b/u.test(type) ? true : { own: 1 };
}
