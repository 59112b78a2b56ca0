import { StoreAwayError, StoreClosedError, StoreCrashedError } from "../../adapters/storage/shared/store-error.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, type Result } from "../../core/base/result.ts";
import type { StoreRefusal } from "../../core/port/store.ts";

/** Returns the refusal for new data that the store does not take: only the disk can be the cause. */
export function notStored({ code }: StoreRefusal): Refusal {
  return refusal(code === "STORE_FULL" ? "STORE_FULL" : "STORE_FAILED");
}

/** Thrown where new data was not stored, by functions whose callers rarely see that. `refusal` is what the caller is told. */
export class NotStoredError extends Error {
  override readonly name = "NotStoredError";
  readonly refusal: Refusal;

  constructor(why: Refusal) {
    super(why.message);
    this.refusal = why;
  }
}

/** Runs `work`, and returns the refusal of data that was not stored as a value. Other exceptions continue. */
export async function orNotStored<Value, Failure>(
  work: () => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure | Refusal>> {
  try {
    return await work();
  } catch (problem) {
    if (problem instanceof NotStoredError) return err(problem.refusal);
    throw problem;
  }
}

/**
 * Returns the refusal for an exception: a lost store ends its process, so the client repeats the request to the next one; an
 * unreachable store may be back in a moment; anything else is a bug.
 */
export function refusalOf(problem: unknown): Refusal {
  if (problem instanceof StoreCrashedError || problem instanceof StoreClosedError) return refusal("SHUTTING_DOWN");
  if (problem instanceof StoreAwayError) return refusal("STORE_FAILED");
  if (problem instanceof NotStoredError) return problem.refusal;
  return refusal("INTERNAL");
}

/** Whether an exception may not occur again in a moment, because the store was unreachable or its disk full. */
export function isPassing(problem: unknown): boolean {
  return ["STORE_FAILED", "STORE_FULL"].includes(refusalOf(problem).code);
}
