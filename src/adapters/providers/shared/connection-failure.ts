import type { ModelFailure } from "../../../core/model/failure.ts";
import { networkFailure } from "./errors.ts";
import type { Watch } from "./watch.ts";

/** Why reading an answer failed: the watch's reason, else the connection's. */
export function failureOf(problem: unknown, watch: Watch): ModelFailure {
  return watch.failure ?? networkFailure(wordsOf(problem));
}

/** The connection's problem as a message; the useful text is in its cause. */
function wordsOf(problem: unknown): string {
  const words: string[] = [];
  for (let at: unknown = problem, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const code = "code" in at && typeof at.code === "string" ? at.code : undefined;
    words.push(code === undefined || at.message.includes(code) ? at.message : `${at.message} (${code})`);
  }
  return words.length === 0
    ? "The connection to the provider failed."
    : `The connection to the provider failed: ${words.join(": ")}.`;
}
