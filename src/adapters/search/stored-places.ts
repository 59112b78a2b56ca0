import type { KeptTexts } from "../../core/port/searcher.ts";
import { must } from "../../core/base/assert.ts";
import type { TextAt } from "../../core/port/thread-texts.ts";
import type { SearchTask } from "./search-task.ts";

/** Texts that a thread is asked to read in one task at most. */
const atOnceMax = 1_024;
/** Texts that a task names beyond those that the last one read. */
const spareTexts = 32;
/**
 * UTF-16 units that one search adds to the kept texts: keeping a text costs several times as much as reading it, so that no
 * search pays for all. After some searches all are kept.
 */
const keptUnitsPerSearch = 16 * 1024 * 1024;

/** The places of one search whose texts the thread reads by itself. */
export class StoredPlaces {
  readonly #texts: KeptTexts;
  readonly #missing = new Set<number>();
  #atOnce = 256;
  #keptUnits = 0;

  constructor(texts: KeptTexts) {
    this.#texts = texts;
  }

  get source(): SearchTask["stored"] {
    const { stored } = this.#texts;
    return stored === undefined ? null : { module: stored.module, unitsBelow: stored.unitsBelow };
  }

  /** How many texts the next task may name. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /** Whether this search may still have texts kept. */
  get keeps(): boolean {
    return this.#keptUnits < keptUnitsPerSearch;
  }

  /** The text at a place; null when it has to be loaded. */
  at(place: number): TextAt | null {
    const id = this.#missing.has(place) ? null : (this.#texts.stored?.blockAt(place) ?? null);
    return id === null ? null : { id, version: must(this.#texts.of[place], "a text at every place").version };
  }

  /**
   * A task ended: `read` of the texts that it named were searched, or all; `missing` is the place of one that the thread did
   * not find. The next task names as many as are likely to be searched; few where others may be missing too.
   */
  searched({ keptUnits, read, missing }: SearchedPlaces): void {
    this.#keptUnits += keptUnits;
    if (missing !== null) {
      this.#missing.add(missing);
      this.#atOnce = 1;
    } else this.#atOnce = Math.min(atOnceMax, read === null ? this.#atOnce * 2 : read + spareTexts);
  }
}

interface SearchedPlaces {
  readonly keptUnits: number;
  /** null: all of them. */
  readonly read: number | null;
  readonly missing: number | null;
}
