import { escapedSign, visibleJson } from "../../../core/base/visible-text.ts";

/**
 * Characters that must not reach a terminal: they would move the cursor, set colours or titles, answer for the person, hide,
 * or reorder text. Line ends and tabs are left to the code that lays out text; joiners make emoji.
 */
const commanding = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const harmless = new Set(["\n", "\t", "\u200c", "\u200d"]);

/** Escapes text of a model, a tool or another person: everything that a terminal would obey becomes `\u001b`. */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replaceAll(commanding, (sign) => (harmless.has(sign) ? sign : escapedSign(sign)))
    .replaceAll("\t", "    ");
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text)
    .replaceAll(/\s*\n\s*/gu, " ")
    .trim();
}

/** Returns a value as exact JSON of visible characters: for what a person is asked to allow. */
export function exactJson(value: unknown): string {
  return visibleJson(JSON.stringify(value) ?? "null");
}
