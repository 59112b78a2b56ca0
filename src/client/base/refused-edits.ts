import { errorTable, type ErrorCode, type Refusal } from "../../core/base/errors.ts";

/** Codes of a push that the server did not store and may store later: the same push is sent again until it is stored. */
const resentCodes: ReadonlySet<ErrorCode> = new Set([
  "SHUTTING_DOWN",
  "RATE_LIMITED",
  "STORE_FAILED",
  "STORE_FULL",
  "IN_TRASH",
]);
/** Those of them that may last for long, so that views show them. */
const shownCodes: ReadonlySet<ErrorCode> = new Set(["STORE_FAILED", "STORE_FULL", "IN_TRASH"]);

/** Tells whether a refused push is sent again as it is, and whether views show meanwhile that it waits. */
export function pushRetry({ code }: Refusal): { readonly resent: boolean; readonly shown: boolean } {
  return { resent: resentCodes.has(code), shown: shownCodes.has(code) };
}

/** Tells whether a refused watch may be accepted when it is sent again. */
export function retriesWatch({ code }: Refusal): boolean {
  // An internal error may concern a single answer of the store.
  return errorTable[code].retryable || code === "INTERNAL" || code === "IN_TRASH";
}

/** Returns the text typed in the edits that a refusal gave up, "" when they only deleted; null when it gave up none. */
export function lostIn(shown: Refusal | null): string | null {
  const lostText = shown?.details?.["lostText"];
  return typeof lostText === "string" ? lostText : null;
}

/** Returns the refusal to show: text that was lost before stays in its details until a person has dismissed it. */
export function withLost(reason: Refusal, before: Refusal | null, lost: string | null): Refusal {
  const lostBefore = lostIn(before);
  if (lost === null && lostBefore === null) return reason;
  return { ...reason, details: { ...reason.details, lostText: `${lostBefore ?? ""}${lost ?? ""}` } };
}
