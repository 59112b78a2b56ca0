import { refusal, type Refusal } from "../../core/base/errors.ts";

/** What a write is told whose lease ran out before another agent took the canvas: nobody has stopped it. */
export function ranOut(details: Refusal["details"]): Refusal {
  return refusal(
    "STALE_EPOCH",
    { ...details, ran_out: true },
    "This lease ran out, and another agent has had the canvas since, so this was not done. Check out again when it is free, and read before you edit.",
  );
}
