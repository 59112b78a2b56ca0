import type { RunId } from "../../base/ids.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import { shortened } from "../../base/shortened.ts";
import { textOf } from "../../message/content.ts";
import type { ToolMessage } from "../../message/types.ts";
import type { ToolCall } from "../state/state.ts";
import type { SubAgent, SubAgentOutcome } from "../state/sub-agent.ts";

/** Returns the agents with one outcome set. */
export function withOutcome(
  agents: NonEmptyArray<SubAgent>,
  runId: RunId,
  outcome: SubAgentOutcome,
): NonEmptyArray<SubAgent> {
  const [first, ...rest] = agents;
  const set = (agent: SubAgent): SubAgent => (agent.runId === runId ? { ...agent, outcome } : agent);
  return [set(first), ...rest.map(set)];
}

/**
 * Builds the result of the agents, failures included, in the order of their tasks; an error only when no agent completed.
 */
export function agentsResult(call: ToolCall, agents: NonEmptyArray<SubAgent>): ToolMessage {
  const results = agents.map(({ task, outcome }, index) => ({ agent: index + 1, task, ...reportOf(outcome) }));
  const completed = agents.some(({ outcome }) => outcome?.type === "completed");
  return {
    role: "tool",
    tool_call_id: call.id,
    tool_name: call.name,
    content: [{ type: "text", text: JSON.stringify({ results }) }],
    outcome: completed ? "ok" : "error",
  };
}

/** Returns how many agents such a result lists; 0 when they never started. */
export function countListedAgents(message: ToolMessage): number {
  if (message.synthetic === true) return 0;
  try {
    const parsed: unknown = JSON.parse(textOf(message));
    const results = typeof parsed === "object" && parsed !== null && "results" in parsed ? parsed.results : null;
    return Array.isArray(results) ? results.length : 0;
  } catch {
    return 0;
  }
}

/** The longest result of one agent that its parent reads, in UTF-16 units. */
const resultUnitsMax = 40_000;

function reportOf(outcome: SubAgentOutcome | null): Readonly<Record<string, string | boolean>> {
  if (outcome === null) return { status: "cancelled" };
  if (outcome.type === "failed") return { status: "failed", reason: outcome.reason, message: outcome.message };
  const { result, success, implicit } = outcome;
  return {
    status: success ? "completed" : "gave up",
    result: shortened(result, resultUnitsMax),
    ...(implicit ? { implicit } : {}),
  };
}
