/** An instruction in mid-conversation for a model that takes none, as text that it will not mistake for a person's. */
export function systemUpdate(said: string): string {
  return `<system-update>\n${said}\n</system-update>`;
}

/** The instruction in a text that `systemUpdate` wrote; undefined for any other text. */
export function readSystemUpdate(text: string): string | undefined {
  return /^<system-update>\n([\s\S]*)\n<\/system-update>$/.exec(text)?.[1];
}
