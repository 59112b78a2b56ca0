import { readFileSync } from "node:fs";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { UserFolders } from "../data/data-directory.ts";
import { readMcpConfig } from "./read-mcp-config.ts";
import { targetOf } from "./server-target.ts";

/** What the file of MCP servers says, read without starting any server. */
export interface McpExamined {
  /** The servers that would be started. */
  readonly servers: readonly string[];
  readonly problems: readonly string[];
}

/** Reads the file of MCP servers, and checks whether its variables are set. */
export function examineMcp(
  { file, required }: { readonly file: string; readonly required: boolean },
  { env, home }: UserFolders,
): McpExamined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (problem) {
    const isMissing = errorCodeOf(problem) === "ENOENT";
    if (isMissing && !required) return { servers: [], problems: [] };
    return { servers: [], problems: [isMissing ? "the file does not exist" : reasonOf(problem)] };
  }
  const { entries, problems } = readMcpConfig(text);
  const wanted = (entries ?? []).filter(({ enabled }) => enabled);
  const unfilled = wanted.flatMap((entry) => {
    const target = targetOf(entry, env, home);
    return target.ok ? [] : [`"${entry.name}": ${target.error}`];
  });
  return { servers: wanted.map(({ name }) => name), problems: [...problems, ...unfilled] };
}
