/** How many hues tell authors apart; each has a mark and a wash in the style sheet. */
export const hueCount = 8;

/**
 * Hands out hues: the same author always the same one, each from a place that its id decides, so that a reload changes
 * little; a taken hue is passed by while one is free.
 */
export class AuthorHues {
  readonly #huesByAuthor = new Map<string, number>();

  hueOf(authorId: string): number {
    const known = this.#huesByAuthor.get(authorId);
    if (known !== undefined) return known;
    const taken = new Set(this.#huesByAuthor.values());
    let hue = wish(authorId);
    if (taken.size < hueCount) while (taken.has(hue)) hue = (hue + 1) % hueCount;
    this.#huesByAuthor.set(authorId, hue);
    return hue;
  }
}

function wish(authorId: string): number {
  let hash = 2166136261;
  for (let index = 0; index < authorId.length; index += 1) {
    hash = Math.imul(hash ^ authorId.charCodeAt(index), 16777619) >>> 0;
  }
  return hash % hueCount;
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
