import type { BlockId, LeaseId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { Store } from "../../core/port/store.ts";
import { commentTools } from "../../core/tool/comment/comment-tools.ts";
import { filesNamed, isRunByOthers } from "../../core/tool/file/run-by-others.ts";
import type { RunLeases } from "./types.ts";

const commentNames: ReadonlySet<string> = new Set(commentTools.map(({ name }) => name));

interface Ports {
  readonly store: Pick<Store, "block">;
  readonly leases: Pick<RunLeases, "grant">;
}

/**
 * Returns the file run by other programs that a call names, by its path, its block or the lease on it; null if it names none.
 * `canvasId` is the canvas that the call means without naming one.
 */
export async function namedRunByOthers(
  { store, leases }: Ports,
  { name, parameters }: { readonly name: string; readonly parameters: JsonObject },
  canvasId: BlockId | null,
): Promise<string | null> {
  // A comment is beside the text: no file has it.
  if (commentNames.has(name.replaceAll(".", "_"))) return null;
  const { paths, blockIds, leaseIds } = filesNamed(parameters);
  const path = paths.find(isRunByOthers);
  if (path !== undefined) return path;
  const leased = leaseIds.map((id) => leases.grant(id as LeaseId)?.canvasId ?? canvasId);
  for (const id of [...(blockIds as BlockId[]), ...leased]) {
    const header = id === null ? null : await store.block(id);
    const named = header === null ? undefined : blockPath(header);
    if (named !== undefined && isRunByOthers(named)) return named;
  }
  return null;
}
