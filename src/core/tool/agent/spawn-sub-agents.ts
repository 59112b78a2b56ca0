import * as v from "valibot";
import { subAgentsMax, subAgentTimeMs } from "./sub-agent-limits.ts";
import { documentReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

const task = v.strictObject({
  task: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(20_000)),
  model: v.exactOptional(
    v.pipe(v.string(), v.nonEmpty(), v.maxLength(200), v.description("`provider/model`; default: your own.")),
  ),
  time_limit_seconds: v.optional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(subAgentTimeMs.max / 1000)),
    subAgentTimeMs.usual / 1000,
  ),
});

/** Returns the description, which names only the tools that sub-agents have here. */
export function spawnDescription(tools: readonly string[]): string {
  const have =
    tools.length === 0
      ? "Agents have no canvas"
      : `Agents have ${tools.join(", ")} in the working folder, and no canvas`;
  return `Starts 1 to 10 agents that work side by side and returns the result of each. An agent knows nothing of this conversation: its task must say everything it needs, and what to report. ${have}; they cannot start agents themselves. Give no two agents the same files.`;
}

/** Starts sub-agents that work side by side, each on its own task, and answers when the last of them has ended. */
export const spawnSubAgents = {
  name: "spawn_sub_agents",
  description: spawnDescription([]),
  input: v.strictObject({ tasks: v.pipe(v.array(task), v.minLength(1), v.maxLength(subAgentsMax)) }),
  access: "write",
  idempotent: false,
  reach: documentReach,
} as const satisfies ToolSpec;
