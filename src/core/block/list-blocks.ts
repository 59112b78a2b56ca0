import { refusal, type Refusal } from "../base/errors.ts";
import type { BlockId, FolderId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { BlockKind } from "./kinds.ts";
import type { BlockHeader, BlockStatus } from "./types.ts";

/** Filters for a list of blocks; a block must pass all of them. */
export interface BlockFilter {
  /** Only blocks below this block. */
  readonly parentId?: BlockId | undefined;
  readonly kind?: BlockKind | undefined;
  readonly status?: BlockStatus | undefined;
  readonly pathPrefix?: string | undefined;
  /** Number of levels below the parent, or below the top without a parent; from 1. Default without a parent: all. */
  readonly depth?: number | undefined;
}

/** Returns the blocks that pass a filter, in the given order. An unknown parent is BLOCK_NOT_FOUND. */
export function listBlocks(
  headers: readonly BlockHeader[],
  filter: BlockFilter,
): Result<readonly BlockHeader[], Refusal> {
  const { parentId, kind, status, pathPrefix } = filter;
  const headersById = new Map(headers.map((header) => [header.id, header]));
  if (parentId !== undefined && !headersById.has(parentId))
    return err(refusal("BLOCK_NOT_FOUND", { block_id: parentId }));
  const depthMax = filter.depth ?? (parentId === undefined ? Infinity : 1);

  /** A block whose parent was deleted is at the top. */
  function parentOf(header: BlockHeader): BlockId | null {
    return header.parentId !== null && headersById.has(header.parentId) ? header.parentId : null;
  }

  /** Returns the levels from the parent (or the top) to a block; undefined when it is not below, or too deep. */
  function depthOf(header: BlockHeader): number | undefined {
    let depth = 1;
    let above = parentOf(header);
    while (above !== (parentId ?? null) && depth < depthMax) {
      const next = above === null ? undefined : headersById.get(above);
      if (next === undefined) return undefined;
      above = parentOf(next);
      depth += 1;
    }
    return above === (parentId ?? null) ? depth : undefined;
  }

  return ok(
    headers.filter(
      (header) =>
        (kind === undefined || header.kind === kind) &&
        (status === undefined || header.status === status) &&
        (pathPrefix === undefined || (blockPath(header)?.startsWith(pathPrefix) ?? false)) &&
        depthOf(header) !== undefined,
    ),
  );
}

/** Returns the path of a file block; undefined for a block without a path or of another kind, whatever its metadata. */
export function blockPath({ kind, metadata }: BlockHeader): string | undefined {
  const { path } = metadata;
  return kind === "file" && typeof path === "string" ? path : undefined;
}

/** Whether a block is of a file that only drafts have: for everybody else it is deleted, and it was never in the trash. */
export function isOnlyInDraft({ deletedAt, metadata }: Pick<BlockHeader, "deletedAt" | "metadata">): boolean {
  return deletedAt !== undefined && metadata["inDraft"] === true;
}

/** Whether a block is of a file that is not text: it has the file's place, and no text of its own. */
export function isBinaryFile({ kind, metadata }: BlockHeader): boolean {
  return kind === "file" && metadata["binary"] === true;
}

/**
 * Returns the folder in which a file block's path is; null: in none, so that the path is a name only; undefined for a block
 * from before files had folders.
 */
export function blockFolder({ metadata }: BlockHeader): FolderId | null | undefined {
  const { folder } = metadata;
  return folder === undefined ? undefined : typeof folder === "string" ? (folder as FolderId) : null;
}
