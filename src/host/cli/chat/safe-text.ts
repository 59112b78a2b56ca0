/**
 * What must not reach a terminal as it is: it would move the cursor, set colours or titles, answer for the person, hide,
 * or show text in another order than it has. Line ends and tabs are left to whoever lays out text; joiners make emoji.
 */
const commanding = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const harmless = new Set(["\n", "\t", "\u200c", "\u200d"]);

/** What shows as nothing at all, and so could hide in what a person is to judge, too. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text of a model, a tool or another person, with everything that a terminal would obey in words: `\u001b`. */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replaceAll(commanding, (sign) => (harmless.has(sign) ? sign : escaped(sign)))
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
  return (JSON.stringify(value) ?? "null").replaceAll(unseen, jsonEscaped);
}

/** One line of a text, all of it visible. */
export function exactLine(text: string): string {
  return text.toWellFormed().replaceAll(unseen, escaped);
}

/** As JSON has it: a sign beyond the first plane is two units. */
function jsonEscaped(sign: string): string {
  return Array.from({ length: sign.length }, (_, at) => escaped(sign.charAt(at))).join("");
}

function escaped(sign: string): string {
  const code = sign.length === 1 ? sign.charCodeAt(0) : (sign.codePointAt(0) ?? 0);
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
