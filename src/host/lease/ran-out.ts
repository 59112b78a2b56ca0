import { refusal, type Refusal } from "../../core/base/errors.ts";

/** Returns the refusal of a write whose lease expired before another agent took the canvas: no person stopped it. */
export function ranOut(details: Refusal["details"]): Refusal {
  return refusal(
    "STALE_EPOCH",
    { ...details, ran_out: true },
    "This lease expired and another agent has had the canvas since, so the edit was not made. Check the canvas out again when it is free, and read it before you edit.",
  );
}
