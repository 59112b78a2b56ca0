import { readFileSync } from "node:fs";
import * as v from "valibot";
import { unlessMissing } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";

/** An agent of another program, as the owner names it in `agents.json`. */
export interface AgentEntry {
  /** The name after `agent/` in the model's id. */
  readonly id: string;
  /** The name that people see. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The mode that its sessions begin in; by default the one of its modes that asks before it writes. */
  readonly mode?: string;
}

const entry = v.strictObject({
  name: v.exactOptional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))),
  command: v.pipe(v.string(), v.minLength(1)),
  args: v.exactOptional(v.array(v.string())),
  env: v.exactOptional(v.record(v.string(), v.string())),
  mode: v.exactOptional(v.pipe(v.string(), v.minLength(1))),
});
const file = v.strictObject({
  agents: v.record(v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/u, "a name of small letters")), entry),
});

/** Reads `agents.json`; a file with a mistake names it and gives no agents, and a missing one gives none. */
export function readAgents(path: string): { readonly agents: readonly AgentEntry[]; readonly problem: string | null } {
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    const read = v.safeParse(file, json);
    if (!read.success) {
      const [issue] = read.issues;
      return { agents: [], problem: `${v.getDotPath(issue) ?? "the file"}: ${issue.message}` };
    }
    const agents = Object.entries(read.output.agents).map(([id, { name = id, args = [], env = {}, ...rest }]) => ({
      ...rest,
      id,
      name,
      args,
      env,
    }));
    return { agents, problem: null };
  } catch (problem) {
    return { agents: [], problem: isMissing(problem) ? null : reasonOf(problem) };
  }
}

function isMissing(problem: unknown): boolean {
  try {
    unlessMissing(problem);
    return true;
  } catch {
    return false;
  }
}
