import * as v from "valibot";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { revisionId } from "../../../core/block/revision.ts";
import { err, ok, type Err } from "../../../core/base/result.ts";
import type { Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import { canvasId } from "../../../core/protocol/base/parts.ts";
import { documentReach } from "../../../core/tool/base/reach.ts";
import type { ToolAnswer, ToolInput, ToolSpec } from "../../../core/tool/base/types.ts";
import { isRunOfToken } from "../../lease/outside-runs.ts";
import { refusedAnswer, toolAnswer } from "../../tool/answer.ts";
import { canvasViewMeta } from "./canvas-view.ts";
import { commandTool } from "./command-tools.ts";
import { tool } from "./conversation-tools.ts";
import { tokenIdOf, type DoorCall } from "./door-call.ts";
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

const takeControlSpec = {
  access: "write",
  reach: documentReach,
  idempotent: true,
  name: "canvas_take_control",
  description:
    "For the person at the canvas view: ends the lease of an agent with the same token, whose next call is STALE_EPOCH. Others' leases are ended in Heddle.",
  input: v.strictObject({ canvas_id: canvasId }),
} satisfies ToolSpec;

const searches = [commandTool("search_words", "search.words"), commandTool("search_all", "search.all")];

/** The tools for documents as a whole, and search. */
export const documentTools: readonly DoorTool[] = [
  tool(listSpec, listDocuments),
  commandTool("document_create", "canvas.create"),
  ...searches.map((search) => ({ ...search, run: within(search) })),
  { ...tool(openSpec, openCanvas), meta: canvasViewMeta },
  { ...tool(takeControlSpec, takeControl), meta: { ui: { visibility: ["app"] } } },
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

/** Searches by words; a token for single objects searches in what it reaches, as if there were nothing else. */
function within(search: DoorTool): DoorTool["run"] {
  return async (parameters, call, name) => {
    const { reach, caller, workspace } = call;
    if (reach === null) return search.run(parameters, call, name);
    const { root_id: rootId } = parameters;
    const root = typeof rootId === "string" ? await workspace.store.root(rootId as RootId) : undefined;
    const isOut = root !== undefined && (root === null || !reach.conversation(root));
    if (isOut) return refusedAnswer(refusal("ROOT_NOT_FOUND", { root_id: rootId ?? null }));
    return search.run(parameters, { ...call, caller: { ...caller, token: null, within: reach } }, name);
  };
}

/** The most suggestions, and the most text of each, that `open_canvas` shows. */
const shownSuggestionsMax = 20;
const shownUnitsMax = 500;

type OpenedCanvas = Extract<Awaited<ReturnType<DoorCall["workspace"]["hub"]["reader"]["read"]>>, { readonly ok: true }>;

/** Reads a canvas that the caller may know of. */
async function canvasFor(id: BlockId, { workspace, reach }: DoorCall): Promise<OpenedCanvas | Err<Refusal>> {
  const read = await workspace.hub.reader.read(id);
  if (!read.ok) return read;
  const isOut = reach !== null && !reach.document(read.value.header);
  return isOut || read.value.header.policy === undefined ? err(refusal("BLOCK_NOT_FOUND", { block_id: id })) : read;
}

async function openCanvas({ canvas_id: id }: ToolInput<typeof openSpec>, call: DoorCall): Promise<ToolAnswer> {
  const { workspace, peopleAt } = call;
  const read = await canvasFor(id, call);
  if (!read.ok) return refusedAnswer(read.error);
  const { header, text } = read.value;
  const { title } = header.metadata;
  const { held } = workspace.leases.status(id);
  const suggested = await workspace.hub.suggestions.list(id, false, (found) => found.flatMap(shownHunks));
  return toolAnswer(
    ok({
      content: {
        canvas_id: id,
        title: typeof title === "string" ? title : "",
        text,
        policy: header.policy ?? null,
        version: header.version,
        holder: held === null ? null : held.holderName,
        people: [...(peopleAt?.(id) ?? [])],
        suggestions: suggested.ok ? suggested.value.slice(0, shownSuggestionsMax) : [],
      },
      revisionId: revisionId(header.version, text),
    }),
  );
}

function shownHunks({ author, draftId, hunks }: Suggestion): JsonObject[] {
  if (draftId !== undefined) return [];
  return hunks
    .filter(({ state }) => state === "open")
    .map(({ startLine, oldText, newText }) => ({
      by: author.name,
      line: startLine + 1,
      removed: oldText.slice(0, shownUnitsMax),
      added: newText.slice(0, shownUnitsMax),
    }));
}

/** Ends a lease that the same token holds: a token may give up what is its own, and no more. */
async function takeControl({ canvas_id: id }: ToolInput<typeof takeControlSpec>, call: DoorCall): Promise<ToolAnswer> {
  const { workspace, caller } = call;
  const read = await canvasFor(id, call);
  if (!read.ok) return refusedAnswer(read.error);
  const { held, epoch } = workspace.leases.status(id);
  if (held !== null && !isRunOfToken(held.holder, tokenIdOf(caller))) {
    const message = `${held.holderName} holds this canvas with rights of its own. Take control in Heddle. Nothing was changed.`;
    return refusedAnswer(refusal("LOCK_NOT_OWNED", { canvas_id: id }, message));
  }
  const taken = held === null ? ok({ epoch }) : await workspace.leases.takeControl(id);
  return taken.ok
    ? toolAnswer(ok({ content: { canvas_id: id, canvas_epoch: taken.value.epoch } }))
    : refusedAnswer(taken.error);
}
