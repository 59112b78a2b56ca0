/** Maximum number of remembered thoughts. */
const rememberedMax = 200;

const millisecondsByThought = new Map<string, number>();

/** Records how long a thought took, because the stored message does not have it. */
export function noteThinkingTime(thought: string, milliseconds: number): void {
  millisecondsByThought.delete(thought);
  millisecondsByThought.set(thought, milliseconds);
  const oldest = millisecondsByThought.keys().next();
  if (millisecondsByThought.size > rememberedMax && oldest.done !== true) millisecondsByThought.delete(oldest.value);
}

/** Returns how long a thought took, in milliseconds; null when this page did not see it stream. */
export function thinkingTime(thought: string): number | null {
  return millisecondsByThought.get(thought) ?? null;
}
