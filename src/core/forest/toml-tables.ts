import { refusal, type Refusal } from "../base/errors.ts";

/** The tables of one name in a settings file, and the lines that could not be read. */
export interface TomlTables {
  readonly tables: readonly { readonly [key: string]: string | number | boolean }[];
  readonly problems: readonly Refusal[];
}

/**
 * Reads the tables `[[name]]` of a TOML file, as far as a list of bookmarks needs it: keys with strings, numbers,
 * booleans
 * and times on one line each. Everything else in the file is skipped.
 */
export function readTomlTables(text: string, name: string): TomlTables {
  const tables: { [key: string]: string | number | boolean }[] = [];
  const problems: Refusal[] = [];
  let inside = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const header = headerOf(line.trim());
    if (header !== null) {
      inside = header === name;
      if (inside) tables.push({});
      continue;
    }
    const table = tables.at(-1);
    if (!inside || table === undefined || /^(?:#|$)/.test(line.trim())) continue;
    const pair = /^("[^"]*"|'[^']*'|[\w-]+)\s*=(.*)$/.exec(line.trim());
    const value = pair === null ? undefined : readValue((pair[2] ?? "").trim());
    if (pair === null || value === undefined) {
      problems.push(refusal("FILE_STORE_INVALID", { at: `line ${index + 1}`, problem: "The line cannot be read." }));
    } else table[unquoted(pair[1] ?? "")] = value;
  }
  return { tables, problems };
}

/** Returns the name of the array of tables that a line opens, "" for another table; null for a line that opens none. */
function headerOf(line: string): string | null {
  if (!line.startsWith("[")) return null;
  const end = line.indexOf("]]");
  return line.startsWith("[[") && end !== -1 ? unquoted(line.slice(2, end).trim()) : "";
}

/** Returns a value followed by nothing but a comment; undefined for an unsupported kind. */
function readValue(text: string): string | number | boolean | undefined {
  const match = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"']+(?: [\d:.Z+-]+)?)\s*(?:#.*)?$/.exec(text);
  const value = match?.[1];
  if (value === undefined) return undefined;
  if (value.startsWith("'")) return value.slice(1, -1);
  if (value.startsWith('"')) return readText(value);
  if (value === "true" || value === "false") return value === "true";
  if (/^\d{4}-\d\d-\d\d/.test(value)) return value;
  return /^[+-]?\d[\d_]*(?:\.\d+)?$/.test(value) ? Number(value.replaceAll("_", "")) : undefined;
}

/** Reads a TOML string, whose escapes are JSON's and `\U`. */
function readText(quoted: string): string | undefined {
  const asJson = quoted.replaceAll(/\\U([0-9a-fA-F]{8})/g, (_match, digits: string) => {
    const point = Number.parseInt(digits, 16);
    return point > 0x10ffff ? "\\x" : JSON.stringify(String.fromCodePoint(point)).slice(1, -1);
  });
  try {
    const text: unknown = JSON.parse(asJson);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function unquoted(key: string): string {
  return /^(["']).*\1$/.test(key) ? key.slice(1, -1) : key;
}
