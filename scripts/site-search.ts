/** One section of the site, as the search knows it. */
export interface SearchEntry {
  readonly path: string;
  readonly anchor: string;
  /** The title of its page, and its own heading. */
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** Returns the sections that hold every word of a question: those with a word in a heading first. Runs in the reader's browser. */
export function findSections(entries: readonly SearchEntry[], question: string): readonly SearchEntry[] {
  const words = question.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return [];
  const scored = entries.flatMap((entry) => {
    const heading = `${entry.title} ${entry.heading}`.toLowerCase();
    const text = entry.text.toLowerCase();
    let score = 0;
    for (const word of words) {
      if (heading.includes(word)) score += 5;
      else if (text.includes(word)) score += 1;
      else return [];
    }
    return [{ entry, score }];
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, 30)
    .map(({ entry }) => entry);
}
