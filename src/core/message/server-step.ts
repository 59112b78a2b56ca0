import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { sourcesOf, type Source } from "./citations.ts";
import type { OpaqueBlock } from "./types.ts";

/** What a provider's own tool did, for people. */
export interface ServerStep {
  readonly kind: "search" | "code" | "page" | "files" | "other";
  /** What it was asked: the queries, the code, the addresses; empty where the item does not say. */
  readonly asked: string;
  readonly sources: readonly Source[];
  /** What running the code gave. */
  readonly output: string;
}

/**
 * Reads an item of a provider's own as a step. APIs agree on no form, so what the item is follows from its names, and its
 * content from the few keys that they use. Null for an item that is no step: a signature, a compaction, a reference.
 */
export function serverStepOf(block: OpaqueBlock): ServerStep | null {
  const named = namesIn(block.raw);
  const kind = kindOf(named);
  if (kind === null) return null;
  const asked = kind === "code" ? textsAt(block.raw, codeKeys) : textsAt(block.raw, queryKeys);
  return {
    kind,
    asked: asked.join(kind === "code" ? "\n" : ", ").trim(),
    sources: sourcesOf(block),
    output: kind === "code" ? textsAt(block.raw, outputKeys).join("\n").trim() : "",
  };
}

/** Says on one line what a step did. */
export function stepWords({ kind, asked }: ServerStep): string {
  const what = asked === "" ? "" : `: ${asked.replaceAll(/\s+/gu, " ").slice(0, 200)}`;
  switch (kind) {
    case "search":
      return `Searched the web${what}`;
    case "page":
      return `Opened a page${what}`;
    case "files":
      return `Searched stored files${what}`;
    case "code":
      return "Ran code at the provider";
    case "other":
      return `Used a tool of the provider${what}`;
  }
}

/** The item's type, its tool's name and the keys of its top, in lower case with underscores. */
function namesIn(raw: JsonObject): string {
  const { type, name, tool_name: toolName, toolType } = raw;
  const said = [type, name, toolName, toolType].filter((each) => typeof each === "string");
  const camel = [...said, ...Object.keys(raw)].join(" ");
  return camel.replaceAll(/([a-z])([A-Z])/gu, "$1_$2").toLowerCase();
}

function kindOf(names: string): ServerStep["kind"] | null {
  if (/file_search/u.test(names)) return "files";
  if (/code|bash|executable|text_editor/u.test(names)) return "code";
  if (/search/u.test(names)) return "search";
  if (/fetch|url_context|open_page/u.test(names)) return "page";
  return /(?:_call|_result|tool_use|tool_call|tool_response)\b/u.test(names) ? "other" : null;
}

const codeKeys: ReadonlySet<string> = new Set(["code", "command", "source_code"]);
const queryKeys: ReadonlySet<string> = new Set([
  "query",
  "queries",
  "q",
  "url",
  "urls",
  "pattern",
  "web_search_queries",
]);
const outputKeys: ReadonlySet<string> = new Set(["stdout", "stderr", "output", "logs", "result"]);
/** Longest text of one kind that is shown. */
const textMax = 20_000;

/** The texts below certain keys, where they are not inside a list of results. */
function textsAt(value: Json, keys: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const visit = (held: Json, depth: number): void => {
    if (depth > 6 || !isJsonObject(held)) return;
    for (const [key, each] of Object.entries(held)) {
      if (keys.has(key) && typeof each === "string") found.push(each.slice(0, textMax));
      else if (keys.has(key) && Array.isArray(each))
        found.push(...each.filter((part): part is string => typeof part === "string"));
      else if (isJsonObject(each)) visit(each, depth + 1);
      else if (Array.isArray(each) && key === "outputs") for (const part of each) visit(part, depth + 1);
    }
  };
  visit(value, 0);
  return [...new Set(found.filter((text) => text.trim() !== ""))];
}
