/** Returns names as a list in a sentence: "Ann", "Ann and Ben", "Ann, Ben and Cid". */
export function listedNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
