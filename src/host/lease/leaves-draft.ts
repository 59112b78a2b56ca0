import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Store } from "../../core/port/store.ts";
import type { ToolFacts } from "../../core/tool/base/facts.ts";
import { filesNamed } from "../../core/tool/file/run-by-others.ts";

/**
 * Whether a call of a turn that works in a draft changes what the draft does not hold: a file, or something outside. Such a
 * change is seen by everybody at once, and no other draft can be compared with it.
 */
export async function leavesDraft(
  store: Pick<Store, "block">,
  { access }: Pick<ToolFacts, "access">,
  { name, parameters }: { readonly name: string; readonly parameters: JsonObject },
): Promise<boolean> {
  if (access !== "write") return false;
  const plain = name.replaceAll(".", "_");
  if (plain.startsWith("canvas_") || plain.startsWith("comment_")) return false;
  if (!plain.startsWith("block_")) return true;
  const { paths, blockIds } = filesNamed(parameters);
  if (paths.length > 0) return true;
  const headers = await Promise.all(blockIds.map((id) => store.block(id as BlockId)));
  return headers.some((header) => header !== null && header.kind === "file" && header.policy === undefined);
}
