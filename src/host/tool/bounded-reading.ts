import type { KeptTexts } from "../../core/port/searcher.ts";
import type { BlockToolRun } from "./runnable.ts";

/** How long a search reads texts that were not read before: of very many, the next search reads on. */
const readingMs = 20_000;

/** Texts for a search, read for so long and no longer, and not after the call is stopped. */
export interface BoundedReading {
  readonly texts: KeptTexts;
  /** What a reader of the answer has to know of it; undefined where everything was read. */
  note(): string | undefined;
}

export function boundedReading(whole: KeptTexts, { ports, signal }: BlockToolRun): BoundedReading {
  const { clock } = ports.platform;
  const until = clock.monotonic() + readingMs;
  let unreached = 0;
  return {
    texts: {
      of: whole.of,
      async load(index) {
        if (signal.aborted) return null;
        if (clock.monotonic() < until) return whole.load(index);
        unreached += 1;
        return null;
      },
    },
    note: () =>
      unreached === 0 ? undefined : `${unreached} files were not read in time: search again, or below a path_prefix.`,
  };
}
