import type { LeaseView } from "../../../src/client/base/types.ts";
import type { EditPolicy } from "../../../src/core/block/types.ts";
import { momentLabel } from "../view/words/undo-label.ts";
import { policyWords } from "./policy-words.ts";

export type HeldLease = NonNullable<LeaseView["held"]>;

/** Returns the time left, such as "0:12" or "1:05", never negative. Both in milliseconds. */
export function countdown(expiresAt: number, now: number): string {
  const seconds = Math.ceil(Math.max(0, expiresAt - now) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Returns the remaining share of a lease's time after its last sign of life, from 0 to 1. */
export function shareLeft({ renewedAt, expiresAt }: HeldLease, now: number): number {
  const whole = expiresAt - renewedAt;
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, (expiresAt - now) / whole));
}

/** A lease for people: holder, start and consequences. */
export interface LeaseFacts {
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly meaning: string;
}

export function leaseFacts(
  lease: LeaseView & { readonly held: HeldLease },
  policy: EditPolicy,
  now: number,
): LeaseFacts {
  const { held, epoch } = lease;
  return {
    rows: [
      { label: "Held by", value: held.holderName },
      { label: "Since", value: `${momentLabel(held.since, now)} (${agoWords(now - held.since)})` },
      { label: "Last renewed", value: agoWords(now - held.renewedAt) },
      { label: "Expires", value: `in ${countdown(held.expiresAt, now)}, unless renewed` },
      { label: "Epoch", value: String(epoch) },
    ],
    meaning: policyWords[policy].held,
  };
}

/** "just now", "12 s ago", "3 min ago". Milliseconds. */
function agoWords(passed: number): string {
  const seconds = Math.floor(Math.max(0, passed) / 1000);
  if (seconds < 1) return "just now";
  return seconds < 120 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`;
}
