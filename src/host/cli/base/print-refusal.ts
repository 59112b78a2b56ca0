import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { safeText } from "./safe-text.ts";
import { styled, type Terminal } from "./terminal.ts";

/** Prints why something was refused; returns the exit code. */
export function printRefusal(terminal: Terminal, { code, message }: Refusal): number {
  // A message may quote a title that somebody else wrote.
  terminal.note(styled(terminal, "red", `heddle: ${safeText(message)}`));
  return errorTable[code].exit;
}
