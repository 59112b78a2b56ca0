import type { WordMatch, WordQuery } from "../../../core/port/store.ts";
import { isWrittenByHeddle } from "../../../core/message/canvas-update.ts";
import { textOf } from "../../../core/message/content.ts";
import { excerptOf, foldedWords, foldWord, queryWords } from "../shared/words.ts";
import { inOrder } from "./placed.ts";
import type { MemoryTables } from "./tables.ts";

type Match = Omit<WordMatch, "excerpt">;

/** A searchable text. */
interface Entry {
  readonly match: Match;
  readonly text: string;
}

interface ReadEntry extends Entry {
  readonly length: number;
  /** How often each word of the query occurs in the text. */
  readonly counts: readonly number[];
}

/**
 * Searches by reading everything for each query. Ranks by BM25 with the constants of SQLite's FTS5: a rare word counts for
 * more, and a word counts for more in a short text.
 */
export function searchMemory(tables: MemoryTables, query: WordQuery): readonly WordMatch[] {
  const asked = queryWords(query.words);
  if (asked.length === 0) return [];
  const folded = asked.map(foldWord);
  const entries = entriesOf(tables, query).map((entry) => readEntry(entry, folded));
  const meanLength = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, entries.length);
  const weights = folded.map((_, word) => {
    const having = entries.filter(({ counts }) => (counts[word] ?? 0) > 0).length;
    return Math.max(1e-6, Math.log((entries.length - having + 0.5) / (having + 0.5)));
  });
  return entries
    .filter(({ counts }) => counts.every((count) => count > 0))
    .filter(({ match }) => query.in === "blocks" || query.rootId === null || match.rootId === query.rootId)
    .map((entry) => ({ entry, score: scoreOf(entry, weights, meanLength) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, query.limit)
    .map(({ entry }) => ({ ...entry.match, excerpt: excerptOf(entry.text, asked) }));
}

/** Oldest first, so that a stable sort keeps texts of equal rank in that order. */
function entriesOf(tables: MemoryTables, query: WordQuery): readonly Entry[] {
  if (query.in === "messages") {
    const shown = inOrder(tables.nodesById.values()).filter(({ rootId }) => !tables.trashedRoots.has(rootId));
    return shown.map((node) => ({
      match: { id: node.id, rootId: node.rootId },
      text: isWrittenByHeddle(node.message) ? "" : textOf(node.message),
    }));
  }
  return inOrder(tables.headersById.values()).flatMap(({ id, deletedAt }) => {
    const words = tables.wordsByBlock.get(id);
    return words === undefined || deletedAt !== undefined ? [] : [{ match: { id, rootId: null }, text: words.text }];
  });
}

function readEntry(entry: Entry, asked: readonly string[]): ReadEntry {
  const words = foldedWords(entry.text);
  const counts = asked.map((word, at) => {
    const isLast = at === asked.length - 1;
    return words.filter((found) => (isLast ? found.startsWith(word) : found === word)).length;
  });
  return { ...entry, length: words.length, counts };
}

function scoreOf(entry: ReadEntry, weights: readonly number[], meanLength: number): number {
  const k1 = 1.2;
  const b = 0.75;
  const shortness = k1 * (1 - b + (b * entry.length) / meanLength);
  return entry.counts.reduce(
    (sum, count, word) => sum + ((weights[word] ?? 0) * (count * (k1 + 1))) / (count + shortness),
    0,
  );
}
