import type { BlockId, FolderId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { Store } from "../../core/port/store.ts";
import type { ToolFacts } from "../../core/tool/base/facts.ts";
import { filesNamed } from "../../core/tool/file/run-by-others.ts";

/** Tools that change the texts of files, which a draft holds as it holds a canvas's. */
const textTools: ReadonlySet<string> = new Set([
  "write_file",
  "replace_in_file",
  "patch",
  "block_edit",
  "block_splice",
  "block_apply_patch",
  "block_append",
]);

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
  { access }: Pick<ToolFacts, "access">,
  { name, parameters }: { readonly name: string; readonly parameters: JsonObject },
): Promise<boolean> {
  if (access !== "write") return false;
  const plain = name.replaceAll(".", "_");
  if (plain.startsWith("canvas_") || plain.startsWith("comment_")) return false;
  const isText = textTools.has(plain);
  if (!isText && !plain.startsWith("block_")) return true;
  const { paths, blockIds } = filesNamed(parameters);
  const headers = await Promise.all(blockIds.map((id) => store.block(id as BlockId)));
  const files = headers.filter((header) => header !== null && header.kind === "file" && header.policy === undefined);
  if (!isText) return paths.length > 0 || files.length > 0;
  const named = [...paths, ...files.map((header) => (header === null ? undefined : blockPath(header)))];
  const isFile = plain.startsWith("block_") ? named.length > 0 : true;
  if (!isFile) return false;
  if (named.length === 0 || folderId === null || holdsText === undefined) return true;
  const held = await Promise.all(named.map(async (path) => path !== undefined && holdsText(folderId, path)));
  return held.includes(false);
}
