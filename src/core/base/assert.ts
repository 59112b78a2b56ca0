/** Thrown by `assert`: a defect in Heddle. Never caught to carry on. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Checks an invariant at a boundary; stays on in production. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Returns a value that must not be null or undefined. */
export function must<Value>(value: Value | null | undefined, message: string): Value {
  assert(value !== null && value !== undefined, message);
  return value;
}

/** Makes a switch exhaustive: a new member of the union does not compile until it is handled. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}
