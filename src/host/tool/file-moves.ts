import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DraftId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath, isBinaryFile } from "../../core/block/list-blocks.ts";
import { readFilePath } from "../../core/base/file-path.ts";
import type { HeaderProposal } from "../../core/block/suggestion/suggestion.ts";
import { documentKey } from "../../core/rights/object-key.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import { proposedContent } from "../../core/tool/block/block-content.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { noteOf, sourceOf } from "../access/audit-notes.ts";
import { notByEveryone } from "../access/why-not-allowed.ts";
import { draftContent, onlyInDraft } from "../../core/tool/canvas/canvas-content.ts";
import type { FilePlacing } from "../document/review/draft-files.ts";
import type { LeaseGrant } from "../lease/types.ts";
import { draftPlaces } from "./draft-places.ts";
import { deleteBlock, writableFiles } from "../files/block-files.ts";
import type { ToolOutput, ToolRefusal } from "./answer.ts";
import { isOverlaid, suggester } from "./canvas-edit.ts";
import { filesOf, guardsOf, type OpenedBlock } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

/** Moves a block to the trash, its file too; under review it is a suggestion. */
export async function deleteOpened(found: OpenedBlock, run: BlockToolRun): Output {
  const { header } = found.reading;
  const inDraft = draftGrantOf(found);
  if (inDraft !== null) {
    const bytes = isBinaryFile(header) ? await filesOf(run).bytes(blockPath(header) ?? "") : null;
    if (bytes?.ok === false) return bytes;
    const of = bytes === null ? {} : { of: bytes.value.hash };
    const placed = await placeInDraft(inDraft, { type: "delete", ...of }, run);
    return placed.ok ? draftAnswer({ path: blockPath(header) }, inDraft) : placed;
  }
  if (isUnderReview(found)) return propose(found, { type: "delete" }, run);
  const toDelete = run.reach?.agent?.toDelete;
  // A file of a folder is arranged, as people do; a canvas is its owners'.
  const isKept = header.policy !== undefined && toDelete?.document(header) === false;
  if (isKept) return err(notByEveryone("delete this document"));
  const ports = { folders: run.ports.folders, deletion: run.ports.hub.deletion };
  const deleted = await deleteBlock(ports, await run.author(), header, { guards: guardsOf(found, run) });
  if (!deleted.ok) return deleted;
  const { version, entry } = deleted.value;
  const path = entry.object.type === "file" ? entry.object.path : undefined;
  return ok({ content: present({ path, version, trash_id: entry.id }) });
}

/** Moves a file to another path; under review it is a suggestion. A block without a file only gets another name. */
export async function moveOpened(found: OpenedBlock, to: string, run: BlockToolRun): Output {
  const { header } = found.reading;
  const path = readFilePath(to);
  if (!path.ok) return path;
  const files = await writableFiles(run.ports, header);
  if (!files.ok) return files;
  const hidden = whyNoPlace(header, path.value, run);
  if (hidden !== null) return err(hidden);
  const inDraft = draftGrantOf(found);
  if (inDraft !== null) {
    const refused = await whyTakenInDraft(path.value, header.id, run);
    if (refused !== null) return err(refused);
    const placed = await placeInDraft(inDraft, { type: "move", path: path.value }, run);
    return placed.ok ? draftAnswer({ path: path.value, moved_from: blockPath(header) }, inDraft) : placed;
  }
  const taken: Refusal | null = (await files.value?.whyTaken(path.value, header.id)) ?? null;
  if (taken !== null) return { ok: false, error: taken };
  if (isUnderReview(found)) return propose(found, { type: "update", path: path.value }, run);
  const author = await run.author();
  const moves = noteOf(sourceOf(author.actor), { act: "document.moved", object: documentKey(header.id) });
  const noted = run.ports.isAudited === true ? [{ type: "append-audit", entry: moves } as const] : [];
  const options = { guards: guardsOf(found, run), also: () => noted };
  const moved =
    files.value === null
      ? await run.ports.hub.editor.update(author, header.id, { path: path.value }, options)
      : await files.value.move(author, header.id, path.value, options);
  if (!moved.ok) return moved;
  return ok({ content: present({ path: path.value, moved_from: blockPath(header), version: moved.value.version }) });
}

/** Returns why a file may not be moved to a path: a place that the caller may not change is none. */
function whyNoPlace(header: BlockHeader, path: string, { reach = null, ports }: BlockToolRun): Refusal | null {
  const folderId = ports.folders.folderOf(header);
  const directory = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const isThere = reach === null || folderId === null || reach.folder(folderId, directory);
  return isThere ? null : refusal("FILE_NOT_FOUND", { path });
}

/** Moves or deletes a file in the draft of its lease; a person who took the draft over is not overwritten. */
export async function placeInDraft(grant: DraftGrant, wish: FilePlacing["wish"], run: BlockToolRun) {
  const { hub, leases } = run.ports;
  const { canvasId, draftId } = grant;
  return hub.suggestions.placeFile(await suggester(run), { canvasId, draftId, guards: [leases.guard(grant)], wish });
}

interface DraftGrant extends LeaseGrant {
  readonly draftId: DraftId;
}

/** Returns the lease of a block that was opened in a draft. */
export function draftGrantOf({ grant }: OpenedBlock): DraftGrant | null {
  return grant === null || grant.draftId === null ? null : { ...grant, draftId: grant.draftId };
}

function draftAnswer(facts: Record<string, string | undefined>, { draftId }: DraftGrant): Awaited<Output> {
  return ok({ content: present({ ...facts, ...draftContent(draftId), note: onlyInDraft }) });
}

/**
 * Returns why a draft may have no file at a path; null where it may. A path that another file leaves with the draft is free
 * for one that it makes, and one of a file that it deletes for any.
 */
export async function whyTakenInDraft(path: string, mover: BlockId | null, run: BlockToolRun): Promise<Refusal | null> {
  const inDraft = (await draftPlaces(run)).at(path);
  const isOwn = inDraft?.type === "here" && inDraft.header.id === mover;
  if (inDraft?.type === "here" && !isOwn) return refusal("FILE_EXISTS", { path, block_id: inDraft.header.id });
  const taken = await filesOf(run).whyTaken(path, mover ?? undefined);
  if (inDraft === undefined || inDraft.type === "here") return taken;
  const isFree = inDraft.type === "deleted" || mover === null || inDraft.blockId === mover;
  return isFree && taken?.details?.["block_id"] === inDraft.blockId ? null : taken;
}

/** Returns whether a person reviews what the caller does to the block: only agents hold a grant. */
export function isUnderReview({ grant, reading }: OpenedBlock): boolean {
  return grant !== null && isOverlaid(reading.header, grant);
}

/** Stores a change beside the text, or a deletion, as a suggestion. */
export async function propose({ reading, grant }: OpenedBlock, proposes: HeaderProposal, run: BlockToolRun): Output {
  const { hub, leases } = run.ports;
  const guards = grant === null ? [] : [leases.guard(grant)];
  const wish = { canvasId: reading.header.id, guards, proposes };
  const proposed = await hub.suggestions.propose(await suggester(run), wish);
  if (!proposed.ok) return proposed;
  const { header, suggestion } = proposed.value;
  return ok({ content: proposedContent(header.version, suggestion?.id ?? null) });
}
