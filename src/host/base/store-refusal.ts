import { StoreAwayError, StoreClosedError, StoreCrashedError } from "../../adapters/storage/shared/store-error.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { StoreRefusal } from "../../core/port/store.ts";

/** What the caller of something new is told when the store does not take it: only the disk can be in the way. */
export function notStored({ code }: StoreRefusal): Refusal {
  return refusal(code === "STORE_FULL" ? "STORE_FULL" : "STORE_FAILED");
}

/**
 * What whoever asked is told of something thrown: a store that is lost takes its process with it, so that the next one is
 * asked the same; one that is away may be back in a moment; anything else is a defect.
 */
export function refusalOf(problem: unknown): Refusal {
  if (problem instanceof StoreCrashedError || problem instanceof StoreClosedError) return refusal("SHUTTING_DOWN");
  if (problem instanceof StoreAwayError) return refusal("STORE_FAILED");
  return refusal("INTERNAL");
}

/** Whether what was thrown may not be thrown any more in a moment: the store was away. */
export function isPassing(problem: unknown): boolean {
  return refusalOf(problem).code === "STORE_FAILED";
}
