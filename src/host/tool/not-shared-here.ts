import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { Reach } from "../access/reach.ts";
import type { PlacedConversation, PlacedDocument } from "../access/chains.ts";

type Wanted = { readonly document: PlacedDocument } | { readonly conversation: PlacedConversation };

/**
 * Returns the answer for what a call may not know of: what those who asked may read, and not everyone in the conversation, is not
 * shared there; of everything else there is none.
 */
export function notSharedOr(missing: Refusal, wanted: Wanted, reach: Reach | null | undefined): Refusal {
  const heldBack = reach?.agent?.heldBack;
  if (heldBack === undefined) return missing;
  const isHeldBack =
    "document" in wanted ? heldBack.document(wanted.document) : heldBack.conversation(wanted.conversation);
  return isHeldBack ? refusal("NOT_SHARED_HERE", missing.details ?? {}) : missing;
}
