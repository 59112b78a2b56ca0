import { reasonOf } from "../../core/base/reason.ts";
import type { KeptTexts } from "../../core/port/searcher.ts";
import type { BlockToolRun } from "./runnable.ts";

/** Time limit for reading texts that no earlier search has read; the next search continues. */
const readingMs = 20_000;

/** Texts for a search, read within a time limit and until the call is stopped. An unreadable text is skipped. */
export interface BoundedReading {
  readonly texts: KeptTexts;
  /** Returns a note for the answer about texts that were not read; undefined when all were. */
  note(): string | undefined;
}

export function boundedReading(whole: KeptTexts, { ports, signal }: BlockToolRun): BoundedReading {
  const { clock, logger } = ports.platform;
  const until = clock.monotonic() + readingMs;
  let unreached = 0;
  let broken = 0;
  const isOver = (): boolean => signal.aborted || clock.monotonic() >= until;
  const { stored } = whole;
  return {
    texts: {
      of: whole.of,
      // Once the time is over, `load` is asked for the rest and counts it.
      stored: stored && { ...stored, blockAt: (index) => (isOver() ? null : stored.blockAt(index)) },
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
        ...(unreached === 0
          ? []
          : [
              `${unreached} files were not read in time. Search again to continue, or narrow the search with path_prefix.`,
            ]),
        ...(broken === 0 ? [] : [`${broken} texts could not be read and were not searched.`]),
      ];
      return notes.length === 0 ? undefined : notes.join(" ");
    },
  };
}
