/** How many hues tell authors apart; each has a mark and a wash in the style sheet. */
export const hueCount = 8;

/**
 * Hands out hues: an author has the same one in every window and after every reload, because only the id decides. People and
 * agents have different halves of the hues, so that the two of most documents are told apart.
 */
export class AuthorHues {
  readonly #huesByAuthor = new Map<string, number>();

  hueOf(authorId: string): number {
    const known = this.#huesByAuthor.get(authorId);
    if (known !== undefined) return known;
    const half = hueCount / 2;
    const hue = (hashOf(authorId) % half) * 2 + (authorId.startsWith("model:") ? 1 : 0);
    this.#huesByAuthor.set(authorId, hue);
    return hue;
  }
}

function hashOf(text: string): number {
  let hash = 2166136261;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 16777619) >>> 0;
  }
  // The low bits of the sum follow the last letters alone.
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Returns one or two letters for a name. */
export function initials(name: string): string {
  const words = name
    .replace(/\([^)]*\)/gu, "")
    .split(/[\s\-_/.]+/u)
    .filter((word) => word !== "");
  // A version at the end is no name.
  const last = firstLetter(words.slice(1).findLast((word) => /^\p{L}/u.test(word)) ?? "");
  return (firstLetter(words[0] ?? "?") + last).toUpperCase();
}

function firstLetter(word: string): string {
  const point = word.codePointAt(0);
  return point === undefined ? "" : String.fromCodePoint(point);
}
