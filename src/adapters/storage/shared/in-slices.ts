import { setImmediate } from "node:timers/promises";

/** All items of the steps, taken with a pause after each, so that a long list does not hold up everything else. */
export async function inTurns<Item>(steps: Iterable<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const step of steps) {
    for (const item of step) items.push(item);
    await setImmediate();
  }
  return items;
}
