import { errorCodeOf } from "../../../core/base/error-code.ts";

/** What a stream into an answer fails with when its reader has gone. */
const goneCodes: ReadonlySet<string> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"]);

/** Waits for a pipeline into an answer. A reader who goes away ends it and is no failure; a source that breaks off is. */
export async function untilRead(sending: Promise<void>): Promise<void> {
  try {
    await sending;
  } catch (problem) {
    if (!goneCodes.has(errorCodeOf(problem) ?? "")) throw problem;
  }
}
