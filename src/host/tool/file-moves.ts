import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import { readFilePath } from "../../core/base/file-path.ts";
import type { HeaderProposal } from "../../core/block/suggestion/suggestion.ts";
import { documentKey } from "../../core/rights/object-key.ts";
import { present } from "../../core/tool/base/answer-content.ts";
import { proposedContent } from "../../core/tool/block/block-content.ts";
import { noteOf, sourceOf } from "../access/audit-notes.ts";
import { deleteBlock, writableFiles } from "../files/block-files.ts";
import type { ToolOutput, ToolRefusal } from "./answer.ts";
import { isOverlaid, suggester } from "./canvas-edit.ts";
import { guardsOf, type OpenedBlock } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

type Output = Promise<Result<ToolOutput, ToolRefusal>>;

/** Moves a block to the trash, its file too; under review it is a suggestion. */
export async function deleteOpened(found: OpenedBlock, run: BlockToolRun): Output {
  const { header } = found.reading;
  if (isUnderReview(found)) return propose(found, { type: "delete" }, run);
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
