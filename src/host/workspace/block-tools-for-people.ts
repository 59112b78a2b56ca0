import type { PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ToolSpec } from "../../core/tool/base/types.ts";
import { documentOfPerson } from "../document/record/document-of.ts";
import type { Author } from "../document/record/types.ts";
import type { Folders } from "../files/folder-types.ts";
import { runnableBlockTools } from "../tool/block-tools.ts";
import { runnableBlockSync } from "../tool/block-sync.ts";
import { subscribe, type Subscriber } from "../tool/block-subscribe.ts";
import type { BlockToolRun, ToolPorts } from "../tool/runnable.ts";

/** The ports of a person's calls: a path without a folder is in the default one. */
type PersonPorts = ToolPorts & { readonly folders: Pick<Folders, "defaultId"> };

const tools = [...runnableBlockTools, runnableBlockSync];

/** The tools that people and their programs can call, as they are described. */
export const blockToolSpecs: readonly ToolSpec[] = tools.map(({ spec }) => spec);

/**
 * Runs a block tool for a person, their script or another client, in the founding design's form: lines count from 0, ends are
 * exclusive. A dotted name (`block.search`) gives that design's answer too: a search and a list are plain lists. Leases are for
 * agents: a person reads every canvas, and writes wherever they may type.
 */
export async function runBlockTool(
  ports: PersonPorts,
  call: {
    readonly actor: PersonActor;
    readonly name: string;
    readonly parameters: unknown;
    /** Returns the person as the author of the call's changes. */
    author(): Promise<Author>;
  },
): Promise<Result<unknown, Refusal>> {
  const { actor, name, parameters } = call;
  const tool = tools.find(({ spec }) => spec.name === name.replaceAll(".", "_"));
  if (tool === undefined) {
    return err(refusal("UNKNOWN_TOOL", { requested: name, tools: tools.map(({ spec }) => spec.name) }));
  }
  if (!isJsonObject(parameters)) return err(refusal("INVALID_PARAMS", { expected: "an object" }));
  const { folders } = ports;
  const folder = folders.defaultId === null ? null : await folders.use(folders.defaultId);
  const output = await tool.run(parameters, { ...runFor(ports, actor, () => call.author()), folder });
  if (!output.ok) return output;
  const { content, revisionId } = output.value;
  const list = name.includes(".") ? foundingListOf(tool.spec.name, content) : undefined;
  if (list !== undefined) return ok(list);
  return ok({ ...(revisionId === undefined ? {} : { revision_id: revisionId }), ...content });
}

/** The field of an answer that the founding design's tool, called by its dotted name, answers with: a plain list. */
const foundingLists: Readonly<Record<string, string>> = {
  block_search: "matches",
  block_list: "blocks",
  kernel_search: "blocks",
};

function foundingListOf(name: string, content: JsonObject): Json | undefined {
  const field = foundingLists[name];
  return field === undefined ? undefined : content[field];
}

/** Streams blocks to a person's program; see `subscribe`. */
export function subscribeToBlocks(
  ports: PersonPorts,
  actor: PersonActor,
  parameters: JsonObject,
  subscriber: Subscriber,
): ReturnType<typeof subscribe> {
  const nobody = (): Promise<Author> => Promise.reject(new Error("a subscription changes nothing"));
  return subscribe(parameters, runFor(ports, actor, nobody), subscriber);
}

function runFor(ports: PersonPorts, actor: PersonActor, author: () => Promise<Author>): BlockToolRun {
  return {
    ports,
    signal: new AbortController().signal,
    documentId: documentOfPerson(actor.id),
    folderId: ports.folders.defaultId,
    folder: null,
    leaseHolder: null,
    canvases: true,
    author,
  };
}
