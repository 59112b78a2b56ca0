import { reasonOf } from "../../core/base/reason.ts";
import type { KeptTexts } from "../../core/port/searcher.ts";
import type { BlockToolRun } from "./runnable.ts";

/** How long a search reads texts that were not read before: of very many, the next search reads on. */
const readingMs = 20_000;

/** Texts for a search, read for so long and no longer, and not after the call is stopped. One that cannot be read is no text. */
export interface BoundedReading {
  readonly texts: KeptTexts;
  /** What a reader of the answer has to know of it; undefined where everything was read. */
  note(): string | undefined;
}

export function boundedReading(whole: KeptTexts, { ports, signal }: BlockToolRun): BoundedReading {
  const { clock, logger } = ports.platform;
  const until = clock.monotonic() + readingMs;
  let unreached = 0;
  let broken = 0;
  return {
    texts: {
      of: whole.of,
      async load(index) {
        if (signal.aborted) return null;
        if (clock.monotonic() >= until) {
          unreached += 1;
          return null;
        }
        try {
          return await whole.load(index);
        } catch (problem) {
          logger.error("not-searched", { reason: reasonOf(problem) });
          broken += 1;
          return null;
        }
      },
    },
    note() {
      const notes = [
        ...(unreached === 0 ? [] : [`${unreached} files were not read in time: search again, or below a path_prefix.`]),
        ...(broken === 0 ? [] : [`Texts that could not be read and were not searched: ${broken}.`]),
      ];
      return notes.length === 0 ? undefined : notes.join(" ");
    },
  };
}
