import type { BlockId, LeaseId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { Store } from "../../core/port/store.ts";
import { commentTools } from "../../core/tool/comment/comment-tools.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import { filesNamed, isRunByOthers } from "../../core/tool/file/run-by-others.ts";
import type { RunLeases } from "./types.ts";

const commentNames: ReadonlySet<string> = new Set(commentTools.map(({ name }) => name));

interface Ports {
  readonly store: Pick<Store, "block">;
  readonly leases: Pick<RunLeases, "grant">;
  /** What the folders' own git runs; without it there are no folders. */
  readonly folders?: Pick<FileTree, "isRunByGit"> | undefined;
}

/**
 * Returns the file run by other programs that a call names, by its path, its block or the lease on it; null if it names none.
 * `canvasId` is the canvas that the call means without naming one.
 */
export async function namedRunByOthers(
  { store, leases, folders }: Ports,
  { name, parameters }: { readonly name: string; readonly parameters: JsonObject },
  canvasId: BlockId | null,
): Promise<string | null> {
  // A comment is beside the text: no file has it.
  if (commentNames.has(name.replaceAll(".", "_"))) return null;
  const { paths, blockIds, leaseIds } = filesNamed(parameters);
  for (const path of paths) if (await isRun(path, folders)) return path;
  const leased = leaseIds.map((id) => leases.grant(id as LeaseId)?.canvasId ?? canvasId);
  for (const id of [...(blockIds as BlockId[]), ...leased]) {
    const header = id === null ? null : await store.block(id);
    const named = header === null ? undefined : blockPath(header);
    if (named !== undefined && (await isRun(named, folders))) return named;
  }
  return null;
}

/** Whether other programs run or obey a file: by its name, or because git is told to. */
async function isRun(path: string, folders: Ports["folders"]): Promise<boolean> {
  return isRunByOthers(path) || (await folders?.isRunByGit(path)) === true;
}
