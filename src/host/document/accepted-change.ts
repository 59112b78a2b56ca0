import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { Lanes } from "./lanes.ts";
import type { Applied } from "./mutation.ts";
import type { AcceptedChange } from "./types.ts";

/** Returns what became of a text mutation; for a request that was carried out before, the text as it is now. */
export async function acceptedChange(
  lanes: Lanes,
  blockId: BlockId,
  applied: Result<Applied, Refusal>,
  made: () => Pick<AcceptedChange, "text" | "delta">,
): Promise<Result<AcceptedChange, Refusal>> {
  if (!applied.ok) return applied;
  const { version, repeated } = applied.value;
  if (!repeated) return ok({ version, ...made() });
  return lanes.alone(blockId, async ({ document }) => ok({ version, text: document.text(), delta: [] }));
}
