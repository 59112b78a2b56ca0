/** An instruction in mid-conversation for a model that takes none, as text that it will not mistake for a person's. */
export function systemUpdate(said: string): string {
  return `<system-update>\n${said}\n</system-update>`;
}

/** The instruction in a text that is one instruction and nothing else; undefined for any other text. */
export function readSystemUpdate(text: string): string | undefined {
  const said = /^<system-update>\n([\s\S]*)\n<\/system-update>$/.exec(text)?.[1];
  // Servers that take one string get several texts joined; they cannot be told apart again.
  return said?.includes("</system-update>") === true ? undefined : said;
}
