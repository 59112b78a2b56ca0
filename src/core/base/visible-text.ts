/** What shows as nothing at all, turns text around, moves a cursor or ends a line where no reader sees one. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text with every sign that could hide or mislead in words, `\u202e`: for what a person is to judge. The signs of `kept`
 * stay as they are.
 */
export function visibleText(text: string, kept = ""): string {
  return text.toWellFormed().replaceAll(unseen, (sign) => (kept.includes(sign) ? sign : escapedSign(sign)));
}

/** The same for the text of a JSON value, in which a sign beyond the first plane is two units. */
export function visibleJson(json: string): string {
  return json.replaceAll(unseen, (sign) =>
    Array.from({ length: sign.length }, (_, at) => escapedSign(sign.charAt(at))).join(""),
  );
}

/** A sign in words: `\u001b`, `\u{e0041}`. */
export function escapedSign(sign: string): string {
  const code = sign.length === 1 ? sign.charCodeAt(0) : (sign.codePointAt(0) ?? 0);
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
