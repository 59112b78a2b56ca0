import { join } from "node:path";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { type Fate, fates, TracedDisk } from "./disk.ts";
import type { TracedEvent } from "./trace.ts";

/** A trace, and the number of instants at which the power is cut. */
interface Replay {
  readonly events: readonly TracedEvent[];
  /** The traced folder. */
  readonly data: string;
  readonly imageCount: number;
  readonly seed: number;
}

/** Judges possible states of the disk after a power cut. */
interface Judge<Verdict> {
  /** The traced process printed this line: what it acknowledges must survive from now on. */
  readonly acknowledge: (line: string) => void;
  readonly look: (image: string, fate: Fate) => Verdict;
}

/** Replays a trace once; at random instants, has a possible state of the disk judged. */
export function replay<Verdict>(
  { events, data, imageCount, seed }: Replay,
  { acknowledge, look }: Judge<Verdict>,
): readonly Verdict[] {
  const random = seededRandom(seed);
  const instants = Array.from({ length: imageCount }, () => random.below(events.length + 1)).toSorted((a, b) => a - b);
  const disk = new TracedDisk(data);
  const image = join(data, "..", "image");
  const found: Verdict[] = [];
  for (let instant = 0; instant <= events.length; instant += 1) {
    for (; instants[0] === instant; instants.shift()) {
      const fate = random.pick(fates);
      disk.image(image, fate, random);
      found.push(look(image, fate));
    }
    const event = events[instant];
    if (event === undefined) break;
    disk.do(event);
    if (event.type === "printed") acknowledge(event.line);
  }
  return found;
}
