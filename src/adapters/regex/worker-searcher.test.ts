import { afterAll, expect, test } from "vitest";
import type { Clock } from "../../core/port/platform.ts";
import type { SearchQuery } from "../../core/block/search.ts";
import { createSearcher } from "./worker-searcher.ts";
import { accept, codeOf } from "../../host/document/world.test-support.ts";

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
const searcher = createSearcher(clock);
afterAll(() => searcher.close());

function query(pattern: string, mode: SearchQuery["mode"] = "regex"): SearchQuery {
  return { query: pattern, mode, contextLines: 0, maxMatches: 10 };
}

test("B-23 expressions and literal text are found, an invalid expression literally", async () => {
  const texts = ["fn main\nlet a(b = 1", "nothing"];
  const found = accept(await searcher.search(texts, query("fn \\w+")));
  expect(found.map(({ matches }) => matches.map(({ line, matchEnd }) => [line, matchEnd]))).toEqual([[[0, 7]], []]);
  expect(accept(await searcher.search(texts, query("a(b")))[0]).toMatchObject({ matches: [{ line: 1 }] });
  expect(accept(await searcher.search(texts, query("a(b")))[0]?.invalidRegex).toBeDefined();
  expect(accept(await searcher.search(texts, query("fn \\w+", "literal")))[0]?.matches).toEqual([]);
});

test("an expression that never ends is refused after the deadline, and the next search works", async () => {
  const began = performance.now();
  const [hostile, next] = await Promise.all([
    searcher.search([`${"a".repeat(40)}!`], query("^(a+)+$")),
    searcher.search(["abc"], query("b")),
  ]);
  expect(codeOf(hostile)).toBe("REGEX_TIMEOUT");
  expect(accept(next)[0]?.matches).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(5000);
});

test("a search may be given a deadline of its own", async () => {
  const hostile = await searcher.search([`${"a".repeat(40)}!`], query("^(a+)+$"), 30);
  expect(hostile).toMatchObject({ error: { code: "REGEX_TIMEOUT", details: { deadline_ms: 30 } } });
});
