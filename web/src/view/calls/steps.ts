import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { AssistantContentBlock, ToolMessage } from "../../../../src/core/message/types.ts";
import { summariseTool } from "./tool-summary.ts";

type ToolUse = Extract<AssistantContentBlock, { type: "tool-use" }>;

/** A reply and the results of its calls. */
export interface Step {
  readonly node: ForestNode;
  readonly results: ReadonlyMap<ToolCallId, ToolMessage>;
}

/** How many calls some replies made, and how many lines these added and removed. */
export interface StepSum {
  readonly count: number;
  readonly added: number;
  readonly removed: number;
}

/** Returns the calls of a reply; none of other messages. */
export function callsOf({ message }: Pick<ForestNode, "message">): readonly ToolUse[] {
  return message.role === "assistant" ? message.content.filter((block) => block.type === "tool-use") : [];
}

/** Whether every call of a reply succeeded, and none of them waits for a person. */
export function isDone({ node, results }: Step): boolean {
  return callsOf(node).every(({ id, name, parameters }) => {
    const result = results.get(id) ?? null;
    if (result?.outcome !== "ok") return false;
    return summariseTool({ name, parameters, result, status: null, canvasTitle: null }).suggested === null;
  });
}

export function sumOfSteps(steps: readonly Step[]): StepSum {
  let [count, added, removed] = [0, 0, 0];
  for (const { node, results } of steps) {
    for (const { id, name, parameters } of callsOf(node)) {
      const result = results.get(id) ?? null;
      const { change } = summariseTool({ name, parameters, result, status: null, canvasTitle: null });
      count += 1;
      added += change?.added ?? 0;
      removed += change?.removed ?? 0;
    }
  }
  return { count, added, removed };
}
