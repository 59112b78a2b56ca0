import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { CanvasSummary } from "../../core/forest/list.ts";
import { blockTitle } from "../../core/block/block-title.ts";
import { blockFolder, blockPath } from "../../core/block/list-blocks.ts";
import { titleUnitsMax } from "../../core/protocol/base/limits.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author } from "../document/record/types.ts";
import { defaultPolicy } from "./default-policy.ts";
import { titleOf } from "./canvas-reading.ts";
import { textAt } from "./canvas-revisions.ts";

/** What a person changes about the place of a canvas among the documents; a field left out keeps its value. */
export interface Arrangement {
  readonly title?: string;
  readonly folderPath?: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
}

interface Documents {
  readonly hub: Pick<DocumentHub, "editor" | "reader">;
  canvases(): Promise<readonly CanvasSummary[]>;
}

/** The text is left alone, so an agent that works on the canvas goes on. */
export async function arrangeCanvas(
  { hub }: Pick<Documents, "hub">,
  author: Author,
  canvasId: BlockId,
  { also, ...wish }: Arrangement & { readonly also: () => readonly StoreWrite[] },
): Promise<Result<object, Refusal>> {
  const found = await hub.reader.read(canvasId);
  if (!found.ok) return found;
  // A file is named and moved on disk.
  if (blockPath(found.value.header) !== undefined && (wish.title !== undefined || wish.folderPath !== undefined))
    return err(isFile);
  const done = await hub.editor.update(author, canvasId, { metadata: metadataOf(wish) }, { also, ignoresLease: true });
  return done.ok ? ok({}) : done;
}

const isFile = refusal(
  "INVALID_PARAMS",
  { path: "canvasId", expected: "a canvas that is no file" },
  "This document is a file, so nothing was changed. Rename or move it with file.move, which moves it on disk.",
);

/** null removes a field: what is neither pinned nor archived nor in a folder has none of them. */
function metadataOf({ title, folderPath, pinned, archived }: Arrangement): JsonObject {
  return {
    ...(title === undefined ? {} : { title }),
    ...(folderPath === undefined ? {} : { folder_path: folderPath === "" ? null : folderPath }),
    ...(pinned === undefined ? {} : { pinned: pinned ? true : null }),
    ...(archived === undefined ? {} : { archived: archived ? true : null }),
  };
}

/** Returns a canvas as lists show it. */
export function canvasSummary(header: BlockHeader): CanvasSummary {
  const { id, metadata, createdAt, updatedAt } = header;
  const { folder_path: folderPath, pinned, archived } = metadata;
  const [filePath, fileFolderId] = [blockPath(header), blockFolder(header)];
  return {
    id,
    title: blockTitle(header),
    ...(filePath === undefined || typeof fileFolderId !== "string" ? {} : { filePath, fileFolderId }),
    ...(typeof folderPath === "string" && folderPath !== "" ? { folderPath } : {}),
    ...(pinned === true ? { pinned } : {}),
    ...(archived === true ? { archived } : {}),
    createdAt,
    updatedAt: updatedAt - (updatedAt % minuteMs),
  };
}

const minuteMs = 60_000;

/** Gives a file the policy of new canvases, unless it has one: people and agents then work on it as on a canvas. */
export async function shareAsCanvas(
  { hub, store }: Pick<Documents, "hub"> & { readonly store: Pick<Store, "meta"> },
  author: () => Author,
  blockId: BlockId,
): Promise<Result<void, Refusal>> {
  const found = await hub.reader.read(blockId);
  if (!found.ok) return found;
  if (found.value.header.policy !== undefined) return ok(undefined);
  const set = await hub.editor.setPolicy(author(), blockId, await defaultPolicy(store));
  return set.ok ? ok(undefined) : set;
}

/** Creates a canvas with the text of another as it is now, or as it was at a revision. */
export async function duplicateCanvas(
  workspace: Pick<Documents, "hub"> & {
    readonly store: Pick<Store, "revisions" | "revisionText" | "draftRevisionText">;
    createCanvas(
      author: Author,
      canvas: { readonly title: string; readonly text: string; readonly folderPath?: string },
      remember: (made: { readonly canvasId: BlockId }) => readonly StoreWrite[],
    ): Promise<Result<BlockId, Refusal>>;
  },
  author: Author,
  wish: { readonly canvasId: BlockId; readonly title?: string; readonly revisionId?: string },
  remember: (canvasId: BlockId) => readonly StoreWrite[],
): Promise<Result<{ readonly canvasId: BlockId }, Refusal>> {
  const found = await workspace.hub.reader.read(wish.canvasId);
  if (!found.ok) return found;
  const then = wish.revisionId === undefined ? found.value : await textAt(workspace, wish.canvasId, wish.revisionId);
  if ("ok" in then && !then.ok) return then;
  const { text } = "ok" in then ? then.value : then;
  const { folderPath } = canvasSummary(found.value.header);
  const title = wish.title ?? `${titleOf(found.value) || "Untitled"} copy`.slice(0, titleUnitsMax);
  const made = await workspace.createCanvas(
    author,
    { title, text, ...(folderPath === undefined ? {} : { folderPath }) },
    ({ canvasId }) => remember(canvasId),
  );
  return made.ok ? ok({ canvasId: made.value }) : made;
}

/**
 * Moves every canvas of a folder that the author may move: others, as those of a folder below that is closed to them, stay. What was
 * moved before a failure stays moved; the same request moves the rest.
 */
export async function moveDocumentFolder(
  workspace: Documents,
  author: () => Author,
  { from, to }: { readonly from: string; readonly to: string },
  also: {
    readonly mayMove: (id: BlockId) => Promise<boolean>;
    /** What is stored with each move. */
    readonly eachMoved: (id: BlockId) => readonly StoreWrite[];
    /** What is stored with the last. */
    readonly remember: (answer: { readonly moved: number }) => readonly StoreWrite[];
  },
): Promise<Result<{ readonly moved: number }, Refusal>> {
  if (from === "" || isWithin(to, from)) return err(notThere);
  const all = (await workspace.canvases()).filter(({ folderPath = "" }) => isWithin(folderPath, from));
  const isMoved = await Promise.all(all.map(({ id }) => also.mayMove(id)));
  const inside = all.filter((_canvas, at) => isMoved[at] === true);
  const answer = { moved: inside.length };
  for (const { id, folderPath = "" } of inside) {
    const isLast = id === inside.at(-1)?.id;
    const rest = folderPath.slice(from.length);
    const path = to === "" ? rest.slice(1) : `${to}${rest}`;
    const moved = await arrangeCanvas(workspace, author(), id, {
      folderPath: path,
      also: () => [...also.eachMoved(id), ...(isLast ? also.remember(answer) : [])],
    });
    // Deleted meanwhile.
    if (!moved.ok && moved.error.code !== "IN_TRASH" && moved.error.code !== "BLOCK_NOT_FOUND") return moved;
  }
  return ok(answer);
}

const notThere = refusal(
  "INVALID_PARAMS",
  { path: "to", expected: "a path outside the folder" },
  "A folder cannot be moved into itself, so nothing was moved. Choose another folder.",
);

/** Whether a path is a folder's or one below it. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
