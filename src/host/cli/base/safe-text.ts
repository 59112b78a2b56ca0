import { escapedSign, visibleJson } from "../../../core/base/visible-text.ts";

/**
 * What must not reach a terminal as it is: it would move the cursor, set colours or titles, answer for the person, hide,
 * or show text in another order than it has. Line ends and tabs are left to whoever lays out text; joiners make emoji.
 */
const commanding = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const harmless = new Set(["\n", "\t", "\u200c", "\u200d"]);

/** Text of a model, a tool or another person, with everything that a terminal would obey in words: `\u001b`. */
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

/** A value as exact JSON of visible characters: for what a person is asked to allow. */
export function exactJson(value: unknown): string {
  return visibleJson(JSON.stringify(value) ?? "null");
}
