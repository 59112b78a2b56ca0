import { Client } from "pg";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../../test/postgres/test-database.ts";
import { seededRandom } from "../../../../testing/seeded-random.ts";
import { queryWords } from "../../shared/words.ts";
import { Statements } from "./sql.ts";
import { indexOfWords, questionsOf } from "./words-index.ts";

const random = seededRandom(7);
const texts: readonly (readonly [string, string])[] = [
  ["no words", " \u0000 ' \\ : & | ! <-> ()"],
  ["characters of the query language", "it's a \\ b:* & c | !d <-> (e) 'f':1A"],
  ["a word beyond the database's longest", "x".repeat(5_000)],
  ["a word of four-byte characters, as long", "𐐀".repeat(3_000)],
  ["a word repeated a million times", "again ".repeat(1_000_000)],
  [
    "more different words than fit",
    Array.from({ length: 200_000 }, () => random.below(2 ** 31).toString(36)).join(" "),
  ],
  ["many long words", Array.from({ length: 2_000 }, (_, index) => `${index}${"語".repeat(600)}`).join(" ")],
  ["digits, marks and private-use characters", "1e5 3.14 e\u0301 \u{10FFFD} \uE000 Ⅻ ½"],
];

test.each(texts)("a text with %s is stored and found by its first word", async (_name, text) => {
  const database = await testDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { words } = indexOfWords(text);
  const [first] = queryWords(text);
  const questions = questionsOf(first === undefined ? ["none"] : [first]);
  const rows = await new Statements(client).all("SELECT $1::tsvector @@ $2::tsquery", [words, questions.join(" & ")]);
  expect(rows).toEqual([[first === undefined ? 0 : 1]]);
  await client.end();
  await database.drop();
});
