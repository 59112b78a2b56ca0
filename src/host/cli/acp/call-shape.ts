import { join } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk/unstable";
import { unreachable } from "../../../core/base/assert.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import type { ToolMessage, ToolOutcome } from "../../../core/message/types.ts";
import { clipped } from "../chat/cell-width.ts";
import { safeLine } from "../base/safe-text.ts";

/** A call as the door shows it. */
interface ShownCall {
  readonly name: string;
  readonly parameters: JsonObject;
}

const kinds: Readonly<Record<string, ToolKind>> = {
  read_files: "read",
  list_files: "read",
  canvas_check_out: "read",
  canvas_outline: "read",
  canvas_read_lines: "read",
  canvas_read_all: "read",
  block_read: "read",
  block_list: "read",
  load_skill: "read",
  keyword_search: "search",
  kernel_search: "search",
  canvas_grep: "search",
  block_search: "search",
  write_file: "edit",
  replace_in_file: "edit",
  patch: "edit",
  canvas_edit: "edit",
  canvas_apply_patch: "edit",
  block_create: "edit",
  block_append: "edit",
  block_edit: "edit",
  block_splice: "edit",
  block_apply_patch: "edit",
  move_file: "move",
  delete_file: "delete",
  block_delete: "delete",
  bash: "execute",
  think: "think",
};

export function kindOf(name: string): ToolKind {
  return kinds[name] ?? "other";
}

const titleUnitsMax = 200;

/** Returns one line that says what a call does. */
export function titleOf({ name, parameters }: ShownCall): string {
  const first = ["command", "path", "query", "pattern", "title", "files"].find((key) => parameters[key] !== undefined);
  const value = first === undefined ? undefined : parameters[first];
  const paths = pathsOf(parameters);
  const words = paths.length > 0 ? paths.join(", ") : typeof value === "string" ? value : "";
  return safeLine(clipped(words === "" ? name : `${name}: ${words}`, titleUnitsMax));
}

/** Returns the paths of the folder's files that a call names. */
export function pathsOf({ path, to, files, paths }: JsonObject): readonly string[] {
  const listed = [...(Array.isArray(files) ? files : []), ...(Array.isArray(paths) ? paths : [])];
  const named = listed.map((each) =>
    typeof each === "object" && each !== null && "path" in each ? each["path"] : each,
  );
  return [...new Set([path, to, ...named].filter((each) => typeof each === "string"))];
}

/** Returns where a call works, for an editor that follows the agent. */
export function locationsOf({ parameters }: ShownCall, folder: string | null): ToolCallLocation[] {
  if (folder === null) return [];
  return pathsOf(parameters).map((path) => ({ path: join(folder, path) }));
}

export function statusOf(outcome: ToolOutcome): "completed" | "failed" {
  switch (outcome) {
    case "ok":
      return "completed";
    case "error":
    case "cancelled":
    case "skipped":
    case "denied":
    case "unknown":
      return "failed";
    default:
      return unreachable(outcome);
  }
}

/** The most characters of a result that an editor is sent. */
const resultUnitsMax = 100_000;

export function textContent(text: string): ToolCallContent {
  const whole = text.length <= resultUnitsMax;
  const shown = whole ? text : `${text.slice(0, resultUnitsMax).toWellFormed()}\n[cut; the whole is in Heddle]`;
  return { type: "content", content: { type: "text", text: shown } };
}

/** Returns the content of a result: its texts; of images and files, that they are there. */
export function resultContent(result: ToolMessage): ToolCallContent[] {
  return result.content.map((block) =>
    isTextBlock(block) ? textContent(block.text) : textContent(`[${block.type} in Heddle]`),
  );
}
