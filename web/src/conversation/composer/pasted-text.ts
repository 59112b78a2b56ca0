/** Longer text pasted into an empty composer becomes a separate message. UTF-16 units. */
const ownMessageUnits = 500;

/** Returns whether pasted text is material for a question rather than part of the question. */
export function becomesOwnMessage(
  pasted: string,
  composer: { readonly text: string; readonly pasted: string },
): boolean {
  return pasted.length > ownMessageUnits && composer.text.trim() === "" && composer.pasted === "";
}
