/** Returns the message of a thrown value, including values that cannot be converted to a string. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "an error without a message";
  }
}
