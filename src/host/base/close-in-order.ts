/** Ends a part that was opened. */
export type Closing = () => Promise<void> | void;

/**
 * Runs these steps one after the other, also after one has failed: a failed first step must not leave the store, which is
 * closed last, open. Rejects at the end with all failures.
 */
export async function closeInOrder(steps: readonly (() => Promise<void> | void | undefined)[]): Promise<void> {
  const problems: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (problem) {
      problems.push(problem);
    }
  }
  if (problems.length === 1) throw problems[0];
  if (problems.length > 1) throw new AggregateError(problems, problems.map(String).join("; "));
}
