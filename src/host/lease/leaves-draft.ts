import type { BlockId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Store } from "../../core/port/store.ts";
import type { ToolFacts } from "../../core/tool/base/facts.ts";
import { filesNamed } from "../../core/tool/file/run-by-others.ts";

/**
 * Whether a call of a turn that works in a draft changes what the draft does not hold: what lies beside a file's text, or
 * something outside. Such a change is seen by everybody at once, and no other draft can be compared with it.
 */
export async function leavesDraft(
  store: Pick<Store, "block">,
  { access, inDraft }: Pick<ToolFacts, "access" | "inDraft">,
  { parameters }: { readonly parameters: JsonObject },
): Promise<boolean> {
  if (access !== "write" || inDraft === "held") return false;
  if (inDraft === undefined) return true;
  const { paths, blockIds } = filesNamed(parameters);
  const headers = await Promise.all(blockIds.map((id) => store.block(id as BlockId)));
  return paths.length > 0 || headers.some((header) => header?.kind === "file" && header.policy === undefined);
}
