import { refusal, type Refusal } from "../core/base/errors.ts";
import type { StoreRefusal } from "../core/port/store.ts";

/** What the caller of something new is told when the store does not take it: only the disk can be in the way. */
export function notStored({ code }: StoreRefusal): Refusal {
  return refusal(code === "STORE_FULL" ? "STORE_FULL" : "STORE_FAILED");
}
