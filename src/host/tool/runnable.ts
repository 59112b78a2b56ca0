import type { DocumentId, RunId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import type { Store } from "../../core/port/store.ts";
import type { WordIndex } from "../document/word-index.ts";
import type { Platform } from "../../core/port/platform.ts";
import { readToolInput } from "../../core/tool/definitions.ts";
import type { ToolInput, ToolSpec } from "../../core/tool/types.ts";
import type { Agents } from "../replica/replica-registry.ts";
import type { ToolContext } from "../conversation/base/ports.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Shell } from "../../core/port/shell.ts";
import type { Searcher } from "../../core/port/searcher.ts";
import type { Author } from "../document/record/types.ts";
import type { WorkspaceFiles } from "../files/workspace-files.ts";
import type { LeaseKeeper } from "../lease/types.ts";
import type { ToolOutput, ToolRefusal } from "./answer.ts";
import type { CommandSlots } from "./command-slots.ts";

/** What the tools work on. */
export interface ToolPorts {
  readonly hub: DocumentHub;
  readonly leases: LeaseKeeper;
  readonly agents: Agents;
  readonly searcher: Searcher;
  readonly platform: Platform;
  readonly store: Pick<Store, "searchWords">;
  readonly words: Pick<WordIndex, "settle">;
  /** The files of the workspace folder; null where it has none. */
  readonly files: WorkspaceFiles | null;
  /** Where commands are run; null where there is no folder for them, or the owner wants none. */
  readonly shell: Shell | null;
}

/** One call of a block tool under way, of an agent or of a person. */
export interface BlockToolRun {
  readonly ports: ToolPorts;
  readonly signal: AbortSignal;
  /** Where blocks stand that are no files. Files of any document can be reached, other blocks only of this one. */
  readonly documentId: DocumentId;
  /** The run that must hold the lease of a canvas it works on; null for a person, who needs none. */
  readonly leaseHolder: RunId | null;
  /** Who makes the call's changes: all of them are one undo unit. */
  author(): Promise<Author>;
}

/** One call of an agent under way. */
export interface ToolRun extends BlockToolRun {
  readonly context: ToolContext;
  readonly commandSlots: CommandSlots;
}

/** A tool with the code that carries it out. */
export interface RunnableTool<Run> {
  readonly spec: ToolSpec;
  readonly run: (parameters: JsonObject, run: Run) => Promise<Result<ToolOutput, ToolRefusal>>;
}

/** Joins a tool's description to its code; parameters that do not fit never reach it. */
export function runnable<Spec extends ToolSpec, Run>(
  spec: Spec,
  handle: (input: ToolInput<Spec>, run: Run) => Promise<Result<ToolOutput, ToolRefusal>>,
): RunnableTool<Run> {
  return {
    spec,
    run: async (parameters, run) => {
      const input = readToolInput(spec, parameters);
      return input.ok ? handle(input.value, run) : input;
    },
  };
}
