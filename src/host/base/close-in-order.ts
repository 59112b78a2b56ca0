/**
 * Takes these steps one after the other, each also where one before it failed: what is closed last, as the store, must not
 * stay open because of what is closed first. Rejects at the end with all that went wrong.
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
