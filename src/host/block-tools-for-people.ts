import type { ModelActor, PersonActor } from "../core/base/actor.ts";
import { refusal, type Refusal } from "../core/base/errors.ts";
import type { RootId, RunId, TurnId } from "../core/base/ids.ts";
import { isJsonObject } from "../core/base/json.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import type { Author } from "./document/types.ts";
import { runnableBlockTools } from "./tool/block-tools.ts";
import type { ToolPorts, ToolRun } from "./tool/runnable.ts";

/** The document of blocks that people make with block tools and that are no files. */
const scratchDocument = "http";

/**
 * Carries out a block tool for a person or their script. They hold no lease, so that a canvas is closed to them here as it
 * is to an agent that has not checked it out.
 */
export async function runBlockTool(
  ports: ToolPorts,
  call: {
    readonly actor: PersonActor;
    readonly name: string;
    readonly parameters: unknown;
    /** The person as the author of what the call does. */
    author(): Promise<Author>;
  },
): Promise<Result<unknown, Refusal>> {
  const { actor, name, parameters } = call;
  const tool = runnableBlockTools.find(({ spec }) => spec.name === name.replaceAll(".", "_"));
  if (tool === undefined) {
    return err(refusal("UNKNOWN_TOOL", { requested: name, tools: runnableBlockTools.map(({ spec }) => spec.name) }));
  }
  if (!isJsonObject(parameters)) return err(refusal("INVALID_PARAMS", { expected: "an object" }));
  const output = await tool.run(parameters, runFor(ports, actor, () => call.author()));
  if (!output.ok) return output;
  const { content, revisionId } = output.value;
  return ok({ ...(revisionId === undefined ? {} : { revision_id: revisionId }), ...content });
}

/** A run that is nobody's: it has a place for blocks and no lease. */
function runFor(ports: ToolPorts, actor: PersonActor, author: () => Promise<Author>): ToolRun {
  const runId = "run_http" as RunId;
  const turnId = "turn_http" as TurnId;
  const nobody: ModelActor = { type: "model", id: actor.id, name: actor.name, model: "none", runId, turnId };
  return {
    ports,
    context: { rootId: scratchDocument as RootId, runId, turnId, actor: nobody, canvasId: null, cwd: "" },
    signal: new AbortController().signal,
    author,
  };
}
