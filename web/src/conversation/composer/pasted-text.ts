/** Text longer than this, pasted into an empty composer, becomes a message of its own. UTF-16 units. */
const ownMessageUnits = 500;

/** Whether a pasted text is material to ask about rather than words of the question. */
export function becomesOwnMessage(
  pasted: string,
  composer: { readonly text: string; readonly pasted: string },
): boolean {
  return pasted.length > ownMessageUnits && composer.text.trim() === "" && composer.pasted === "";
}
