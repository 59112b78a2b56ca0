/** How many thoughts are remembered at most. */
const rememberedMax = 200;

const millisecondsByThought = new Map<string, number>();

/** Notes how long a thought took while it was watched: the stored message does not say. */
export function noteThinkingTime(thought: string, milliseconds: number): void {
  millisecondsByThought.delete(thought);
  millisecondsByThought.set(thought, milliseconds);
  const oldest = millisecondsByThought.keys().next();
  if (millisecondsByThought.size > rememberedMax && oldest.done !== true) millisecondsByThought.delete(oldest.value);
}

/** How long a thought took, in milliseconds; null for one that this page has not watched. */
export function thinkingTime(thought: string): number | null {
  return millisecondsByThought.get(thought) ?? null;
}
