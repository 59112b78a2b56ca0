/**
 * PostgreSQL's text holds neither U+0000 nor half of a surrogate pair. Such a unit is written as U+0010 ("data link
 * escape") and its four hexadecimal digits, and so is U+0010 itself. Equal texts stay equal, different texts stay
 * different, and ordinary text is unchanged. JSON text contains none of them, since JSON.stringify escapes them.
 */
const sign = "\u0010";
// oxlint-disable-next-line no-control-regex -- these units are meant
const unstorable = /[\0\u0010\p{Surrogate}]/gu;
// oxlint-disable-next-line no-control-regex
const escaped = /\u0010([0-9a-f]{4})/g;

export function escapeText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0") && !text.includes(sign)) return text;
  return text.replaceAll(unstorable, (unit) => sign + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function unescapeText(text: string): string {
  if (!text.includes(sign)) return text;
  return text.replaceAll(escaped, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
