import type { Refusal } from "../../../src/core/base/errors.ts";

/** Returns the refusal in an answer of the HTTP API; null where it has none. */
export function refusalIn(answer: unknown): Refusal | null {
  return isRefused(answer) ? answer.error : null;
}

function isRefused(answer: unknown): answer is { readonly error: Refusal } {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "error" in answer &&
    typeof answer.error === "object" &&
    answer.error !== null &&
    "message" in answer.error
  );
}
