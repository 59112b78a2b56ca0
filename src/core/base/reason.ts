/** The words of whatever was thrown; also of what cannot be made into words. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "an error without words";
  }
}
