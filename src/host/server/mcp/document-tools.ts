import * as v from "valibot";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { Reach } from "../../access/reach.ts";
import { refusal } from "../../../core/base/errors.ts";
import { revisionId } from "../../../core/block/revision.ts";
import { ok } from "../../../core/base/result.ts";
import { canvasId } from "../../../core/protocol/base/parts.ts";
import { documentReach } from "../../../core/tool/base/reach.ts";
import type { ToolAnswer, ToolInput, ToolSpec } from "../../../core/tool/base/types.ts";
import { refusedAnswer, toolAnswer } from "../../tool/answer.ts";
import { canvasViewMeta } from "./canvas-view.ts";
import { commandTool } from "./command-tools.ts";
import { tool } from "./conversation-tools.ts";
import type { DoorCall } from "./door-call.ts";
import type { DoorTool } from "./door-tool.ts";
import { page, pageInput } from "./page.ts";

const reading = { access: "read", reach: documentReach, idempotent: true } as const;

const listSpec = {
  ...reading,
  name: "document_list",
  description: "Lists the canvases of the workspace, with the ids that the canvas and block tools take.",
  input: v.strictObject(pageInput),
} satisfies ToolSpec;

const openSpec = {
  ...reading,
  name: "open_canvas",
  description:
    "Shows a canvas to the person you work for, and returns its text. To edit it, take its lease with canvas_check_out.",
  input: v.strictObject({ canvas_id: canvasId }),
} satisfies ToolSpec;

const searchTool = commandTool("search_words", "search.words");

/** The tools for documents as a whole, and search. */
export const documentTools: readonly DoorTool[] = [
  tool(listSpec, listDocuments),
  commandTool("document_create", "canvas.create"),
  { ...searchTool, run: searchWithin },
  { ...tool(openSpec, openCanvas), meta: canvasViewMeta },
];

async function listDocuments(input: ToolInput<typeof listSpec>, { workspace, reach }: DoorCall): Promise<ToolAnswer> {
  const all = (await workspace.canvases()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const canvases = reach === null ? all : all.filter((canvas) => reach.canvas(canvas));
  const shown = page(
    canvases,
    input,
    ({ id, title, createdAt }) => ({ canvas_id: id, title, created_at: createdAt }),
    "documents",
  );
  return toolAnswer(shown);
}

/** Searches by words; a token for single objects finds only what it reaches. */
async function searchWithin(...[parameters, call, name]: Parameters<DoorTool["run"]>): Promise<ToolAnswer> {
  const { reach, workspace, caller } = call;
  if (reach === null) return searchTool.run(parameters, call, name);
  const everywhere = { ...call, reach: null, caller: { ...caller, token: null } };
  const found = await searchTool.run(parameters, everywhere, name);
  const matches = found.content["matches"];
  if (!found.ok || !Array.isArray(matches)) return found;
  const within: Json[] = [];
  for (const match of matches) {
    if (isJsonObject(match) && (await isWithin(match, reach, workspace))) within.push(match);
  }
  return { ...found, content: { matches: within } };
}

async function isWithin(
  { id, root_id: rootId }: JsonObject,
  reach: Reach,
  { store }: DoorCall["workspace"],
): Promise<boolean> {
  const root = typeof rootId === "string" ? await store.root(rootId as RootId) : null;
  if (root !== null) return reach.conversation(root);
  const header = await store.block(id as BlockId);
  return header !== null && reach.document(header);
}

async function openCanvas(
  { canvas_id: id }: ToolInput<typeof openSpec>,
  { workspace, reach }: DoorCall,
): Promise<ToolAnswer> {
  const read = await workspace.hub.reader.read(id);
  const isOut = read.ok && reach !== null && !reach.document(read.value.header);
  if (!read.ok || isOut) return refusedAnswer(read.ok ? refusal("BLOCK_NOT_FOUND", { block_id: id }) : read.error);
  const { header, text } = read.value;
  if (header.policy === undefined) return refusedAnswer(refusal("BLOCK_NOT_FOUND", { block_id: id }));
  const { title } = header.metadata;
  const { held } = workspace.leases.status(id);
  return toolAnswer(
    ok({
      content: {
        canvas_id: id,
        title: typeof title === "string" ? title : "",
        text,
        policy: header.policy,
        version: header.version,
        holder: held === null ? null : held.holderName,
      },
      revisionId: revisionId(header.version, text),
    }),
  );
}
