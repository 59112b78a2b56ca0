/**
 * An instruction inside a conversation for a model without that role, as text that the model will not mistake for a
 * person's.
 */
export function systemUpdate(said: string): string {
  return `<system-update>\n${said}\n</system-update>`;
}

/** Returns the instruction when a text is exactly one instruction; undefined for any other text. */
export function readSystemUpdate(text: string): string | undefined {
  const said = /^<system-update>\n([\s\S]*)\n<\/system-update>$/.exec(text)?.[1];
  // Servers that take one string get several texts joined, which cannot be separated again.
  return said?.includes("</system-update>") === true ? undefined : said;
}
