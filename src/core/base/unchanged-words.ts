import { counted } from "./counted.ts";

/** Says, behind what was undone or redone, in how many documents it was not; empty for none. */
export function unchangedWords({ length }: readonly unknown[]): string {
  return length === 0 ? "" : ` ${counted(length, "document")} that you may only read did not change.`;
}
