import type { PersonActor } from "../core/base/actor.ts";
import { refusal, type Refusal } from "../core/base/errors.ts";
import type { DocumentId } from "../core/base/ids.ts";
import { isJsonObject } from "../core/base/json.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import type { Author } from "./document/types.ts";
import { runnableBlockTools } from "./tool/block-tools.ts";
import type { ToolPorts } from "./tool/runnable.ts";

/**
 * Carries out a block tool for a person or their script. Leases are for agents: a person reads every canvas, and writes
 * wherever they may type.
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
  const output = await tool.run(parameters, {
    ports,
    signal: new AbortController().signal,
    documentId: documentOf(actor),
    leaseHolder: null,
    author: () => call.author(),
  });
  if (!output.ok) return output;
  const { content, revisionId } = output.value;
  return ok({ ...(revisionId === undefined ? {} : { revision_id: revisionId }), ...content });
}

/** A person's blocks that are no files are a document under the person's own id. */
function documentOf({ id }: PersonActor): DocumentId {
  return id as string as DocumentId;
}
