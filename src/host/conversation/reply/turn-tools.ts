import { askUser } from "../../../core/tool/agent/ask-user.ts";
import { toolDefinition } from "../../../core/tool/base/definitions.ts";
import { factsOfSpec, type ToolFacts } from "../../../core/tool/base/facts.ts";
import { findTool } from "../../../core/tool/registry.ts";
import { spawnSubAgents } from "../../../core/tool/agent/spawn-sub-agents.ts";
import { submitResult } from "../../../core/tool/agent/submit-result.ts";
import type { ToolSpec } from "../../../core/tool/base/types.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";
import type { TurnContext } from "../../../core/turn/state/context.ts";

/** Tools that the turn itself answers instead of a program: they ask a person, start sub-agents, or end a sub-agent. */
export interface TurnTool {
  /** What a call asks for: a person's answer, sub-agents, or the end of this one. */
  readonly asks: "answer" | "agents" | "end";
  readonly spec: ToolSpec;
  readonly definition: SyntaxTool;
  readonly facts: ToolFacts;
}

/** Returns the turn's own tools for a run of this kind. */
export function turnTools(kind: TurnContext["kind"]): readonly TurnTool[] {
  return kind === "conversation" ? ofConversations : ofSubAgents;
}

/** The tool with which a sub-agent submits its result. */
export const submitTool: TurnTool = turnTool("end", submitResult);
const ofConversations: readonly TurnTool[] = [turnTool("answer", askUser), turnTool("agents", spawnSubAgents)];
const ofSubAgents: readonly TurnTool[] = [submitTool];

/** Finds the turn's own tool with this name; other spellings count as for every tool. */
export function findTurnTool(kind: TurnContext["kind"], name: string): TurnTool | null {
  const tools = turnTools(kind);
  const found = findTool(
    tools.map(({ spec }) => spec),
    name,
  );
  return found.ok ? (tools.find(({ spec }) => spec.name === found.value.name) ?? null) : null;
}

function turnTool(asks: TurnTool["asks"], spec: ToolSpec): TurnTool {
  return { asks, spec, definition: { ...toolDefinition(spec), access: spec.access }, facts: factsOfSpec(spec) };
}
