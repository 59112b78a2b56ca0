import type { BlockId } from "../../../core/base/ids.ts";
import type { Lane } from "./lane.ts";

/** The queues of several blocks, all of them held. */
export type HeldLanes = ReadonlyMap<BlockId, Lane>;

/**
 * Runs `work` while nothing else happens in the documents of these blocks. Queues are always held in the order of the ids, so
 * that two who hold several never deadlock; the queue of a document with several of the blocks is held once.
 */
export function heldTogether<Value>(
  laneOf: (blockId: BlockId) => Lane,
  blockIds: readonly BlockId[],
  work: (lanes: HeldLanes) => Promise<Value>,
): Promise<Value> {
  const hold = ([next, ...rest]: readonly BlockId[], held: HeldLanes): Promise<Value> => {
    if (next === undefined) return work(held);
    const lane = laneOf(next);
    const within = new Map([...held, [next, lane]]);
    return [...held.values()].includes(lane) ? hold(rest, within) : lane.alone(() => hold(rest, within));
  };
  return hold([...new Set(blockIds)].toSorted(), new Map());
}
