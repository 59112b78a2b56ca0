import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { safeText } from "./safe-text.ts";
import { styled, type Terminal } from "./terminal.ts";

/** Prints why something was refused; returns the exit code. */
export function printRefusal(terminal: Terminal, refused: Refusal): number {
  // A message may quote a title that somebody else wrote.
  terminal.note(styled(terminal, "red", `heddle: ${safeText(`${refused.message}${expectedWords(refused)}`)}`));
  return errorTable[refused.code].exit;
}

/** Returns what the server expected of each parameter that it found wrong; "" where it says nothing of that. */
export function expectedWords({ details }: Refusal): string {
  const issues = details?.["issues"];
  if (!Array.isArray(issues)) return "";
  const words = issues.filter(isJsonObject).flatMap(({ path, expected }) => {
    if (typeof path !== "string" || typeof expected !== "string") return [];
    return [`${path === "" ? "" : `${path}: `}expected ${expected}`];
  });
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}
