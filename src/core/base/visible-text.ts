/** Characters that are invisible, reverse the writing direction, move the cursor, or end a line without showing it. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the text with every character that could hide or mislead written as an escape (`\u202e`), for text that a person
 * has to judge. Characters in `kept` stay as they are.
 */
export function visibleText(text: string, kept = ""): string {
  return text.toWellFormed().replaceAll(unseen, (sign) => (kept.includes(sign) ? sign : escapedSign(sign)));
}

/** Does the same for the text of a JSON value, in which a character beyond U+FFFF is two escapes. */
export function visibleJson(json: string): string {
  return json.replaceAll(unseen, (sign) =>
    Array.from({ length: sign.length }, (_, at) => escapedSign(sign.charAt(at))).join(""),
  );
}

/** Writes a character as an escape: `\u001b`, `\u{e0041}`. */
export function escapedSign(sign: string): string {
  const code = sign.length === 1 ? sign.charCodeAt(0) : (sign.codePointAt(0) ?? 0);
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
