import type { Refusal } from "../../../core/base/errors.ts";
import { expectedWords } from "../base/print-refusal.ts";
import type { Face } from "./face.ts";
import { safeLine } from "../base/safe-text.ts";
import type { ThreeParts } from "./words.ts";

/** Shows what happened, what is safe and what to do. */
export function showProblem(face: Face, { happened, safe, todo }: ThreeParts): void {
  face.endWords();
  face.aside(`✗ ${safeLine(happened).replace(/\.$/u, "")}.`, "bad");
  face.aside(`  ${safe}`, "plain");
  face.aside(`  ${safeLine(todo)}`, "plain");
}

/** Splits a refusal into these parts: the text after a semicolon in its message is what to do. */
export function partsOf(refused: Refusal, safe: string): ThreeParts {
  const { message, code } = refused;
  const [first = message, ...rest] = message.split("; ");
  const happened = `${first}${expectedWords(refused)}`;
  return { happened, safe, todo: rest.length === 0 ? `(${code})` : `${capital(rest.join("; "))} (${code})` };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
