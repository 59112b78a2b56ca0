import type { BlockId, FolderId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { Store } from "../../core/port/store.ts";
import type { ToolFacts } from "../../core/tool/base/facts.ts";
import { filesNamed } from "../../core/tool/file/run-by-others.ts";

/** Whether there is a text file at a path of a folder. */
type HoldsText = (folderId: FolderId, path: string) => Promise<boolean>;

interface Ports {
  readonly store: Pick<Store, "block">;
  readonly folderId: FolderId | null;
  /** Absent: there are no folders. */
  readonly holdsText?: HoldsText | undefined;
}

/**
 * Whether a call of a turn that works in a draft changes what the draft does not hold: which files there are, or something
 * outside. Such a change is seen by everybody at once, and no other draft can be compared with it.
 */
export async function leavesDraft(
  { store, folderId, holdsText }: Ports,
  { access, inDraft }: Pick<ToolFacts, "access" | "inDraft">,
  { parameters }: { readonly parameters: JsonObject },
): Promise<boolean> {
  if (access !== "write" || inDraft === "held") return false;
  if (inDraft === undefined) return true;
  const { paths, blockIds } = filesNamed(parameters);
  const headers = await Promise.all(blockIds.map((id) => store.block(id as BlockId)));
  const files = headers.flatMap((header) => (header?.kind === "file" && header.policy === undefined ? [header] : []));
  if (inDraft === "not-files") return paths.length + files.length > 0;
  const named = [...paths, ...files.map(blockPath)];
  if (named.length === 0) return false;
  if (folderId === null || holdsText === undefined) return true;
  const held = await Promise.all(named.map(async (path) => path !== undefined && holdsText(folderId, path)));
  return held.includes(false);
}
