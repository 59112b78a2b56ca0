import { assert } from "../../../core/base/assert.ts";
import type { BlockId, NodeId, RootId } from "../../../core/base/ids.ts";
import type { WordMatch, WordQuery } from "../../../core/port/store.ts";
import { readableText } from "../row/readable-text.ts";
import { RowReader } from "../row/row-reader.ts";
import type { Row } from "../row/sql.ts";
import { excerptOf, queryWords } from "../shared/words.ts";
import type { SqlParameter } from "./plan/sql.ts";
import { isShown } from "../sqlite/tables/messages.ts";
import { questionsOf } from "./plan/words-index.ts";

type Ask = (sql: string, values: readonly SqlParameter[]) => Promise<readonly Row[]>;

/** Matches that are ranked exactly; beyond these, PostgreSQL's own rank selects them. */
const rankedMax = 1_000;
/** Beyond this many matches, only the newest are considered: a word that is everywhere distinguishes nothing. */
const matchesMax = 20_000;

const statistics = (table: string): string => `SELECT count(*), coalesce(avg(word_count), 1)::float8 FROM ${table}`;
const having = (table: string): string => `SELECT (
    SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE words @@ asked.word::tsquery LIMIT ${5 * matchesMax}) AS matches)
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (word, place) ORDER BY asked.place`;

// The number of a word's positions is how often it occurs; a prefix counts for every word that begins with it.
const ranked = (matches: string): string => `SELECT place, word_count, ARRAY(
    SELECT (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(words)
      WHERE CASE WHEN place = $4::bigint THEN starts_with(lexeme, word) ELSE lexeme = word END)
    FROM unnest($3::text[]) WITH ORDINALITY AS asked (word, place) ORDER BY asked.place)::text
  FROM (
    SELECT * FROM (${matches} ORDER BY i.place DESC LIMIT ${matchesMax}) AS newest
    ORDER BY ts_rank(words, $1::tsquery, 1) DESC, place LIMIT ${rankedMax}) AS found`;
const rankedMessages = ranked(`SELECT i.* FROM message_index AS i JOIN messages AS m USING (place)
    WHERE i.words @@ $1::tsquery AND ($2::text IS NULL OR m.conversation_id = $2)
      AND ${isShown("m.conversation_id")}`);
const rankedBlocks = ranked(`SELECT i.* FROM block_index AS i JOIN blocks AS b USING (place)
    WHERE i.words @@ $1::tsquery AND b.deleted_at IS NULL AND $2::text IS NULL`);
const messageTexts = "SELECT place, id, conversation_id, content FROM messages WHERE place = ANY($1::bigint[])";
const blockTexts = `SELECT b.place, b.id, NULL::text, w.words FROM blocks AS b JOIN block_words AS w ON w.block_id = b.id
  WHERE b.place = ANY($1::bigint[])`;

const places = {
  messages: { table: "message_index", find: rankedMessages, texts: messageTexts },
  blocks: { table: "block_index", find: rankedBlocks, texts: blockTexts },
} as const;

/** Ranks by BM25 like SQLite's FTS5: a rare word counts for more, and a word counts for more in a short text. */
export async function searchWords(ask: Ask, query: WordQuery): Promise<readonly WordMatch[]> {
  const words = queryWords(query.words);
  if (words.length === 0) return [];
  const { table, find, texts } = places[query.in];
  const questions = questionsOf(words);
  const lexemes = questions.map((question) => /^'(.*)'/su.exec(question)?.[1] ?? "");
  const rootId = query.in === "messages" ? query.rootId : null;
  const found = await ask(find, [questions.join(" & "), rootId, lexemes, lexemes.length]);
  if (found.length === 0) return [];
  const [total, withWord] = await Promise.all([ask(statistics(table), []), ask(having(table), [questions])]);
  const [count = 0, meanLength = 1] = (total[0] ?? []).map(Number);
  const weights = withWord.map(([number]) => weightOf(count, Number(number)));
  const best = found
    .map((row) => {
      const read = new RowReader(table, row);
      const [place, length] = [read.integer(), read.integer()];
      return { place, score: scoreOf(countsIn(read.text()), weights, length / Math.max(1, meanLength)) };
    })
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, query.limit);
  const rows = await ask(texts, [best.map(({ place }) => place)]);
  const rowByPlace = new Map(rows.map(([place, ...row]) => [place, row]));
  return best.flatMap(({ place }) => {
    const row = rowByPlace.get(place);
    return row === undefined ? [] : [matchOf(row, query, words)];
  });
}

function matchOf(row: Row, query: WordQuery, words: readonly string[]): WordMatch {
  const read = new RowReader(query.in, row);
  const match = { id: read.text<NodeId | BlockId>(), rootId: read.textOrNull<RootId>() };
  const text = query.in === "messages" ? readableText(read.text()) : read.text();
  return { ...match, excerpt: excerptOf(text, words) };
}

/** Parses the written form of an array of integers. */
function countsIn(array: string): readonly number[] {
  assert(/^\{[0-9,]*\}$/.test(array), "counts are a list of whole numbers");
  return array.slice(1, -1).split(",").map(Number);
}

function weightOf(count: number, having: number): number {
  return Math.max(1e-6, Math.log((count - having + 0.5) / (having + 0.5)));
}

function scoreOf(counts: readonly number[], weights: readonly number[], relativeLength: number): number {
  const k1 = 1.2;
  const b = 0.75;
  const shortness = k1 * (1 - b + b * relativeLength);
  return counts.reduce(
    (sum, count, word) => sum + ((weights[word] ?? 0) * (count * (k1 + 1))) / (count + shortness),
    0,
  );
}
