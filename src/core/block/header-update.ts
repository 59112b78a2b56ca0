import { refusal, type Refusal } from "../base/errors.ts";
import { stableDeepEqual, type JsonObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { blockPath } from "./list-blocks.ts";
import type { BlockChangeBody, BlockHeader } from "./types.ts";

/** The header fields of a block to set; omitted fields do not change. */
export interface HeaderWish {
  readonly collapsed?: boolean | undefined;
  readonly excluded?: boolean | undefined;
  /** The new path of a file; the disk follows it. */
  readonly path?: string | undefined;
  /** Metadata to set; null removes a field, other fields do not change. */
  readonly metadata?: JsonObject | undefined;
}

/**
 * Plans the changes to a block's header; none when it already has these values. A block's place never changes. A file's path
 * says which file on disk the block is, so it changes by `path` alone, which moves the file.
 */
export function planHeaderUpdate(header: BlockHeader, wish: HeaderWish): Result<readonly BlockChangeBody[], Refusal> {
  const { collapsed = header.collapsed, excluded = header.excluded, metadata: fields = {} } = wish;
  if (Object.hasOwn(fields, "after")) {
    return err(
      refusal("INVALID_PARAMS", {
        path: "metadata.after",
        expected: "left out; it can only be given when the block is created",
      }),
    );
  }
  const { path = header.metadata["path"] } = fields;
  if (header.kind === "file" && path !== header.metadata["path"]) return err(pathStays(header));
  if (wish.path !== undefined && blockPath(header) === undefined) return err(pathStays(header));
  const metadata = withFields(header.metadata, wish.path === undefined ? fields : { ...fields, path: wish.path });
  const isFlagged = collapsed === header.collapsed && excluded === header.excluded;
  return ok([
    ...(isFlagged ? [] : [{ type: "flags", collapsed, excluded } as const]),
    ...(stableDeepEqual(metadata, header.metadata) ? [] : [{ type: "metadata", metadata } as const]),
  ]);
}

function pathStays(header: BlockHeader): Refusal {
  const path = blockPath(header);
  return refusal(
    "INVALID_PARAMS",
    { path: "metadata.path", expected: path === undefined ? "left out: the file has none" : `left out, or ${path}` },
    "The path of this block cannot be set as metadata, so nothing was changed. A file is moved with file.move or move_file; a block without a file keeps its name.",
  );
}

function withFields(metadata: JsonObject, fields: JsonObject): JsonObject {
  const all = Object.entries({ ...metadata, ...fields });
  return Object.fromEntries(all.filter(([name, value]) => value !== null || !Object.hasOwn(fields, name)));
}
