import { setImmediate } from "node:timers/promises";

/**
 * Collects the items of all steps and yields to the event loop after each step, so that a long list delays nothing else.
 */
export async function inSlices<Item>(steps: Iterable<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const step of steps) {
    for (const item of step) items.push(item);
    await setImmediate();
  }
  return items;
}
