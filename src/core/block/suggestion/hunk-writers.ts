import { lineStarts } from "../../base/lines.ts";
import type { HunkId } from "../../base/ids.ts";
import type { PlacedHunk } from "./suggest-hunks.ts";
import type { SuggestedHunk, Suggestion, SuggestionAuthor } from "./suggestion.ts";

/**
 * Returns new hunks of a draft with the names of those who wrote in their lines before: the authors of the replaced hunks that
 * lay there. `text`: what the hunks are laid over.
 */
export function withEarlierWriters(
  fresh: readonly SuggestedHunk[],
  before: {
    readonly text: string;
    readonly placed: readonly PlacedHunk[];
    readonly replaced: readonly HunkId[];
    readonly suggestions: readonly Suggestion[];
  },
  author: SuggestionAuthor,
): readonly SuggestedHunk[] {
  const gone = new Set(before.replaced);
  const earlier = before.placed.filter(({ hunk }) => gone.has(hunk.id));
  if (earlier.length === 0) return fresh;
  const authorsByHunk = new Map(
    before.suggestions.flatMap((one) =>
      one.hunks.map((hunk) => [hunk.id, [...(hunk.alsoBy ?? []), one.author]] as const),
    ),
  );
  const starts = lineStarts(before.text);
  const offset = (line: number): number => starts[line] ?? before.text.length;
  return fresh.map((hunk) => {
    const [from, to] = [offset(hunk.startLine), offset(hunk.endLine)];
    const there = earlier.filter((one) => one.from <= to && from <= one.to);
    const all = there.flatMap((one) => authorsByHunk.get(one.hunk.id) ?? []);
    const others = new Map(all.filter(({ id }) => id !== author.id).map((each) => [each.id, each]));
    return others.size === 0 ? hunk : { ...hunk, alsoBy: [...others.values()] };
  });
}
