import { errorCodeOf } from "../../../core/base/error-code.ts";

/** Error codes of a stream whose reader has disconnected. */
const goneCodes: ReadonlySet<string> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"]);

/** Waits for a pipeline into an answer. Resolves if the reader disconnects; rejects if the source fails. */
export async function untilRead(sending: Promise<void>): Promise<void> {
  try {
    await sending;
  } catch (problem) {
    if (!goneCodes.has(errorCodeOf(problem) ?? "")) throw problem;
  }
}
