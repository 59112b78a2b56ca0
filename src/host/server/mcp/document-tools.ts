import * as v from "valibot";
import { refusal } from "../../../core/base/errors.ts";
import { revisionId } from "../../../core/block/revision.ts";
import { ok } from "../../../core/base/result.ts";
import { canvasId } from "../../../core/protocol/base/parts.ts";
import { documentReach } from "../../../core/tool/base/reach.ts";
import type { ToolAnswer, ToolInput, ToolSpec } from "../../../core/tool/base/types.ts";
import { refusedAnswer, toolAnswer } from "../../tool/answer.ts";
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

/** The tools for documents as a whole, and search. */
export const documentTools: readonly DoorTool[] = [
  tool(listSpec, listDocuments),
  commandTool("document_create", "canvas.create"),
  commandTool("search_words", "search.words"),
  tool(openSpec, openCanvas),
];

async function listDocuments(input: ToolInput<typeof listSpec>, { workspace }: DoorCall): Promise<ToolAnswer> {
  const canvases = (await workspace.canvases()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const shown = page(
    canvases,
    input,
    ({ id, title, createdAt }) => ({ canvas_id: id, title, created_at: createdAt }),
    "documents",
  );
  return toolAnswer(shown);
}

async function openCanvas({ canvas_id: id }: ToolInput<typeof openSpec>, { workspace }: DoorCall): Promise<ToolAnswer> {
  const read = await workspace.hub.reader.read(id);
  if (!read.ok) return refusedAnswer(read.error);
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
