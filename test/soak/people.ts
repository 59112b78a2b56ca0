import { setTimeout as delay } from "node:timers/promises";
import type { BlockId } from "../../src/core/base/ids.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { until } from "../../src/testing/test-client.ts";
import { openTypist, type Typist } from "../process/typist.ts";
import type { Places } from "./places.ts";

/** What people did, and what was acknowledged to them. */
export interface Visits {
  visits: number;
  edits: number;
  /** Acknowledged words and where each was typed. */
  readonly acknowledged: Map<string, BlockId>;
  /** Visits that failed though they should not, in words. */
  readonly failures: string[];
}

export interface PeopleWish {
  readonly server: { readonly url: string; readonly token: string };
  readonly places: Places;
  readonly count: number;
  /** The longest stay of one visitor, in seconds. */
  readonly staySeconds: number;
  readonly signal: AbortSignal;
  readonly seed: number;
}

/**
 * Keeps so many people in the workspace until the signal: each opens a canvas and its conversation, types a word every two
 * seconds, and leaves; somebody new, with a client id of their own, takes the place. One in four leaves without waiting for the
 * server's answer.
 */
export async function people({ count, ...wish }: PeopleWish, noted: Visits): Promise<void> {
  const oneAfterTheOther = async (place: number): Promise<void> => {
    const random = seededRandom(wish.seed + place);
    // They do not all come in the same moment.
    await delay(random.below(2_000));
    while (!wish.signal.aborted) {
      noted.visits += 1;
      await visit({ ...wish, number: noted.visits, random }, noted);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, place) => oneAfterTheOther(place)));
}

interface Visit extends Omit<PeopleWish, "count"> {
  readonly number: number;
  readonly random: SeededRandom;
}

/** The heading above which nobody types, because an agent may tighten what is there. */
const firstLine = 6;
const wordEveryMs = 2_000;
/** A page that a kill has put off tries again within this. */
const patienceMs = 120_000;

async function visit({ server, places, staySeconds, signal, number, random }: Visit, noted: Visits): Promise<void> {
  const place = places.any(random);
  let typist: Typist | null = null;
  try {
    typist = await openTypist({ server, number, ...place, boundMs: patienceMs });
    const leaveAt = performance.now() + 1_000 * (1 + random.below(staySeconds));
    while (performance.now() < leaveAt && !signal.aborted) {
      await delay(wordEveryMs / 2 + random.below(wordEveryMs));
      typist.typeBelowLine(firstLine + random.below(80));
      noted.edits += 1;
    }
    if (!random.oneIn(4)) await until(typist.text.unconfirmed, (count) => count === 0, patienceMs);
    const refused = typist.text.refused.get();
    if (refused !== null) noted.failures.push(`visitor ${number}: ${refused.code}`);
  } catch (problem) {
    noted.failures.push(`visitor ${number}: ${String(problem).slice(0, 200)}`);
  } finally {
    for (const word of typist?.acknowledged ?? []) noted.acknowledged.set(word, place.canvasId);
    typist?.close();
  }
}
