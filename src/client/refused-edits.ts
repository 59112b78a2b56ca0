import { errorTable, type ErrorCode, type Refusal } from "../core/base/errors.ts";

/** Of a push of which the server took nothing and will later: the same one is sent again until it is taken. */
const laterCodes: ReadonlySet<ErrorCode> = new Set(["SHUTTING_DOWN", "RATE_LIMITED", "STORE_FAILED", "STORE_FULL"]);
/** Those that may last, so that a person is told. */
const toldCodes: ReadonlySet<ErrorCode> = new Set(["STORE_FAILED", "STORE_FULL"]);

/** Whether a refused push is sent again as it is, and whether a person is told that it waits. */
export function waitingFor({ code }: Refusal): { readonly sentAgain: boolean; readonly told: boolean } {
  return { sentAgain: laterCodes.has(code), told: toldCodes.has(code) };
}

/** Whether a watch that was refused may stand when it is asked for again. */
export function mayBeWatchedLater({ code }: Refusal): boolean {
  // A defect may be of one answer of the store only.
  return errorTable[code].retryable || code === "INTERNAL";
}

/** What was typed in the edits that a refusal gave up, empty where they only took away; null when it gave up none. */
export function lostIn(told: Refusal | null): string | null {
  const lostText = told?.details?.["lostText"];
  return typeof lostText === "string" ? lostText : null;
}

/** A refusal as a person is told of it: what was lost before stays in it until they have seen it. */
export function withLost(reason: Refusal, before: Refusal | null, lost: string | null): Refusal {
  const lostBefore = lostIn(before);
  if (lost === null && lostBefore === null) return reason;
  return { ...reason, details: { ...reason.details, lostText: `${lostBefore ?? ""}${lost ?? ""}` } };
}
