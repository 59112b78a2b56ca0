import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import { readToolInput } from "../../core/tool/definitions.ts";
import type { ToolInput, ToolSpec } from "../../core/tool/types.ts";
import type { Agents } from "../agents.ts";
import type { ToolContext } from "../conversation/ports.ts";
import type { HostDocumentHub } from "../document/hub.ts";
import type { Searcher } from "../../core/port/searcher.ts";
import type { Author } from "../document/types.ts";
import type { LeaseKeeper } from "../lease/keeper.ts";
import type { ToolOutput, ToolRefusal } from "./answer.ts";

/** What the tools work on. */
export interface ToolPorts {
  readonly hub: HostDocumentHub;
  readonly leases: LeaseKeeper;
  readonly agents: Agents;
  readonly searcher: Searcher;
  readonly platform: Platform;
}

/** One call under way. */
export interface ToolRun {
  readonly ports: ToolPorts;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
  /** Who makes the call's changes: all of them are one undo unit. */
  author(): Promise<Author>;
}

/** A tool with the code that carries it out. */
export interface RunnableTool {
  readonly spec: ToolSpec;
  run(parameters: JsonObject, run: ToolRun): Promise<Result<ToolOutput, ToolRefusal>>;
}

/** Joins a tool's description to its code; parameters that do not fit never reach it. */
export function runnable<Spec extends ToolSpec>(
  spec: Spec,
  handle: (input: ToolInput<Spec>, run: ToolRun) => Promise<Result<ToolOutput, ToolRefusal>>,
): RunnableTool {
  return {
    spec,
    async run(parameters, run) {
      const input = readToolInput(spec, parameters);
      return input.ok ? handle(input.value, run) : input;
    },
  };
}
