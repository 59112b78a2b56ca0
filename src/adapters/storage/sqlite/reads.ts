import { assert } from "../../../core/base/assert.ts";
import { longestStored } from "../shared/longest-prefix.ts";
import { readableText } from "../row/readable-text.ts";
import { excerptOf, queryWords } from "../shared/words.ts";
import { queries, type QueryName } from "./queries.ts";
import type { Row, SqlValue, Statements } from "../row/sql.ts";
import { isCorruption } from "./sqlite-failure.ts";
import { blocksOneByOne } from "./tables/blocks.ts";
import { conversationsOneByOne } from "./tables/conversations.ts";
import { runsOneByOne } from "./tables/runs.ts";
import { messageQueries, isShown } from "./tables/messages.ts";

/** Queries of more than one statement, answered in the storage thread so that only the answer is transferred. */

type Answer = (statements: Statements, values: Row) => readonly Row[];

const answers = { tables, damageOf, longestPrefix, searchMessages, searchBlocks } as const satisfies Readonly<
  Record<string, Answer>
>;

export type ReadName = QueryName | keyof typeof answers;

export function read(statements: Statements, name: ReadName, values: Row): readonly Row[] {
  return [...readEach(statements, name, values)];
}

/** Answers a query; the rows of a single statement are read as they are asked for. */
export function readEach(statements: Statements, name: ReadName, values: Row): Iterable<Row> {
  return isAnswered(name) ? answers[name](statements, values) : statements.each(queries[name], values);
}

const oneByOne = { ...conversationsOneByOne, ...blocksOneByOne, ...runsOneByOne } as const;

/**
 * Answers a list of the whole workspace around a damaged page, and reports each row that cannot be read. Throws `problem`
 * where the query is no such list, or the keys cannot be read either.
 */
export function readAroundDamage(
  statements: Statements,
  { name, problem }: { readonly name: ReadName; readonly problem: unknown },
  report: (missing: string) => void,
): readonly Row[] {
  if (!isOneByOne(name) || !isCorruption(problem)) throw problem;
  const { keys, one } = oneByOne[name];
  return statements.all(keys, []).flatMap(([key = null]) => {
    try {
      return statements.all(one, [key]);
    } catch (damage) {
      if (!isCorruption(damage)) throw damage;
      report(`${name}: ${String(key)} cannot be read, its page is damaged`);
      return [];
    }
  });
}

function isOneByOne(name: ReadName): name is keyof typeof oneByOne {
  return Object.hasOwn(oneByOne, name);
}

function isAnswered(name: ReadName): name is keyof typeof answers {
  return Object.hasOwn(answers, name);
}

function tables(statements: Statements): readonly Row[] {
  return statements.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", []);
}

/** Returns a row that says what is wrong with a table and its indexes; none where both are whole. */
function damageOf(statements: Statements, [table = null]: Row): readonly Row[] {
  return statements.all(
    "SELECT integrity_check FROM pragma_integrity_check(?1) WHERE integrity_check <> 'ok' LIMIT 1",
    [table],
  );
}

const hashSeparator = "\n";

/** Joins hashes into one text, which transfers as a single copy even for ten thousand. */
export function encodeHashes(rootId: string, prefixHashes: readonly string[]): Row {
  return [rootId, prefixHashes.length, prefixHashes.join(hashSeparator)];
}

/** Returns a row of the length, then the columns of the node. */
function longestPrefix(statements: Statements, [rootId = null, count, joined]: Row): readonly Row[] {
  assert(typeof joined === "string", "hashes are a text");
  const hashes = count === 0 ? [] : joined.split(hashSeparator);
  assert(hashes.length === count, "no hash has a line break in it");
  const longest = longestStored(
    hashes,
    (hash) => statements.number(messageQueries.placeByPrefixHash, [rootId, hash]) ?? undefined,
  );
  if (longest === null) return [];
  return statements.all(messageQueries.nodeAtPlace, [longest.found]).map((row) => [longest.length, ...row]);
}

// Reads the texts of the returned results only, not of every ranked match.
const findMessages = `SELECT m.id, m.conversation_id, m.content
  FROM (
    SELECT f.rowid AS place, f.rank AS rank FROM message_index AS f
    WHERE f.words MATCH ?1
      AND (?2 IS NULL OR (SELECT conversation_id FROM messages WHERE place = f.rowid) = ?2)
      AND ${isShown("(SELECT conversation_id FROM messages WHERE place = f.rowid)")}
    ORDER BY f.rank, f.rowid LIMIT ?3
  ) AS found JOIN messages AS m ON m.place = found.place
  ORDER BY found.rank, found.place`;
const findBlocks = `SELECT found.id, NULL, w.words
  FROM (
    SELECT b.id AS id, f.rowid AS place, f.rank AS rank FROM block_index AS f JOIN blocks AS b ON b.place = f.rowid
    WHERE f.words MATCH ?1 AND b.deleted_at IS NULL
    ORDER BY f.rank, f.rowid LIMIT ?2
  ) AS found JOIN block_words AS w ON w.block_id = found.id
  ORDER BY found.rank, found.place`;

function searchMessages(statements: Statements, [words, rootId = null, limit = null]: Row): readonly Row[] {
  return search(words, readableText, (match) => statements.all(findMessages, [match, rootId, limit]));
}

function searchBlocks(statements: Statements, [words, limit = null]: Row): readonly Row[] {
  const plainText = (text: string): string => text;
  return search(words, plainText, (match) => statements.all(findBlocks, [match, limit]));
}

/** Puts the excerpt in place of the last column. */
function search(
  asked: SqlValue | undefined,
  textIn: (column: string) => string,
  find: (match: string) => readonly Row[],
): readonly Row[] {
  assert(typeof asked === "string", "a question is a text");
  const words = queryWords(asked);
  if (words.length === 0) return [];
  return find(matchOf(words)).map(([id = null, rootId = null, column]) => {
    const text = typeof column === "string" ? textIn(column) : "";
    return [id, rootId, excerptOf(text, words)];
  });
}

/**
 * Builds an FTS5 query. Each word is quoted and holds only letters, digits and marks, so that no word is read as syntax.
 */
function matchOf(words: readonly string[]): string {
  return `${words.map((word) => `"${word}"`).join(" AND ")} *`;
}
