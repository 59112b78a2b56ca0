import { refusal, type Refusal } from "../../core/base/errors.ts";
import { caseFolded } from "../../core/base/file-path.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { blockPath, isOnlyInDraft } from "../../core/block/list-blocks.ts";
import type { HeaderProposal } from "../../core/block/suggestion/suggestion.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { BlockToolRun } from "./runnable.ts";

/** Where files are in the draft of a run: it makes some, moves others, and others it deletes. */
export interface DraftPlaces {
  /** What is at a path in the draft: a file that it made or moved there, or none. undefined: what everybody has there. */
  readonly at: (path: string) => DraftFileAt | undefined;
  /** Returns a file's header with its path in the draft; null where the draft deletes it. */
  readonly seen: (header: BlockHeader) => BlockHeader | null;
  /** The files that the draft made or moved. */
  readonly here: readonly BlockHeader[];
  /** The files that only the draft has. */
  readonly made: readonly BlockHeader[];
  /** The documents that the draft has in another way than everybody, by their text or their path. */
  readonly changed: ReadonlySet<BlockId>;
}

export type DraftFileAt =
  | { readonly type: "here"; readonly header: BlockHeader; readonly isMoved: boolean }
  | { readonly type: "moved" | "deleted"; readonly blockId: BlockId };

const nowhere: DraftPlaces = { at: () => undefined, seen: (header) => header, here: [], made: [], changed: new Set() };

/** Reads where files are in the draft of a run; without a draft, everything is where everybody has it. */
export async function draftPlaces({ draft, leaseHolder, ports, folderId }: BlockToolRun): Promise<DraftPlaces> {
  if (draft === undefined || leaseHolder === null) return nowhere;
  const { parts, blockIds } = await ports.hub.suggestions.filesOfDraft(draft);
  const byPath = new Map<string, DraftFileAt>();
  const seenById = new Map<BlockId, BlockHeader | null>();
  const made: BlockHeader[] = [];
  for (const { blockId, proposes } of parts) {
    const header = await ports.store.block(blockId);
    if (header === null || ports.folders.folderOf(header) !== folderId) continue;
    const isOnly = isOnlyInDraft(header);
    // A file that another draft made and a person took is everybody's.
    if (proposes.type === "create" ? !isOnly : header.deletedAt !== undefined) continue;
    const from = blockPath(header) ?? "";
    const to = pathIn(proposes);
    if (to === undefined) continue;
    const isMoved = to !== null && proposes.type !== "create";
    if (to === null || isMoved) byPath.set(caseFolded(from), { type: isMoved ? "moved" : "deleted", blockId });
    const seen = to === null ? null : { ...header, metadata: { ...header.metadata, path: to } };
    seenById.set(blockId, seen);
    if (isOnly && seen !== null) made.push(seen);
  }
  // What is at a path now counts, whatever left it before.
  for (const header of seenById.values()) {
    if (header === null) continue;
    byPath.set(caseFolded(blockPath(header) ?? ""), { type: "here", header, isMoved: !isOnlyInDraft(header) });
  }
  return {
    at: (path) => byPath.get(caseFolded(path)),
    seen: (header) => (seenById.has(header.id) ? (seenById.get(header.id) ?? null) : header),
    here: [...seenById.values()].filter((header) => header !== null),
    made,
    changed: blockIds,
  };
}

/** Returns the path that a file has with a part of a draft; null: it is deleted, undefined: it stays where it is. */
export function pathIn(proposes: HeaderProposal): string | null | undefined {
  return proposes.type === "delete" ? null : proposes.path;
}

/** Refuses what names a file that the agent's draft deletes or has elsewhere. */
export function notInDraft(path: string, how: "moved" | "deleted"): Refusal {
  const message = `You ${how} ${path} in your draft, so it is not there for you. Others have it until a person takes the draft.`;
  return refusal("FILE_NOT_FOUND", { path }, message);
}
