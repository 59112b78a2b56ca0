import { StoreAwayError, StoreClosedError, StoreCrashedError } from "../../adapters/storage/shared/store-error.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { StoreRefusal } from "../../core/port/store.ts";

/** Returns the refusal for new data that the store does not take: only the disk can be the cause. */
export function notStored({ code }: StoreRefusal): Refusal {
  return refusal(code === "STORE_FULL" ? "STORE_FULL" : "STORE_FAILED");
}

/**
 * Returns the refusal for an exception: a lost store ends its process, so the client repeats the request to the next one; an
 * unreachable store may be back in a moment; anything else is a bug.
 */
export function refusalOf(problem: unknown): Refusal {
  if (problem instanceof StoreCrashedError || problem instanceof StoreClosedError) return refusal("SHUTTING_DOWN");
  if (problem instanceof StoreAwayError) return refusal("STORE_FAILED");
  return refusal("INTERNAL");
}

/** Whether an exception may not occur again in a moment, because the store was unreachable. */
export function isPassing(problem: unknown): boolean {
  return refusalOf(problem).code === "STORE_FAILED";
}
