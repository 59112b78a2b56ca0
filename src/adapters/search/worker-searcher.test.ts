import type { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { SearchQuery } from "../../core/block/search/search.ts";
import type { FoundTexts, KeptTexts, Searcher } from "../../core/port/searcher.ts";
import { KeptTextIndex } from "./kept-texts.ts";
import { createSearcher } from "./worker-searcher.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";

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

test("B-23 search finds expressions and literal text, and reads an invalid expression literally", async () => {
  const text = "fn main\nlet a(b = 1";
  const found = accept(await searcher.search(text, query("fn \\w+")));
  expect(found.matches.map(({ line, matchEnd }) => [line, matchEnd])).toEqual([[0, 7]]);
  expect(accept(await searcher.search("nothing", query("fn \\w+"))).matches).toEqual([]);
  const literally = accept(await searcher.search(text, query("a(b")));
  expect(literally).toMatchObject({ matches: [{ line: 1 }], invalidRegex: expect.any(String) });
  expect(accept(await searcher.search("none", query("a(b")))).toMatchObject({
    matches: [],
    invalidRegex: expect.any(String),
  });
  expect(accept(await searcher.search(text, query("fn \\w+", "literal"))).matches).toEqual([]);
});

test("an expression that never ends is refused after the deadline, and the next search works", async () => {
  const began = performance.now();
  const [hostile, next] = await Promise.all([
    searcher.search(endless, query("^(a+)+$")),
    searcher.search("abc", query("b")),
  ]);
  expect(codeOf(hostile)).toBe("REGEX_TIMEOUT");
  expect(accept(next).matches).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(5000);
});

test("B-23 on a machine so busy that a search waits for a processor, a harmless expression is not refused", async () => {
  // A clock by which every wait is over at once, as for a thread that got no processor meanwhile.
  const hasty: Clock = { ...clock, setTimer: (delayMs, callback) => clock.setTimer(delayMs / 100, callback) };
  const own = createSearcher(hasty);
  const text = `${"a".repeat(22)}!`;
  const began = performance.now();
  while (performance.now() - began < 300) accept(await own.search(text, query("^(a+)+$")));
  expect(codeOf(await own.search(endless, query("^(a+)+$")))).toBe("REGEX_TIMEOUT");
  await own.close();
});

test("a literal search finishes while an expression never ends", async () => {
  let ended = false;
  const hostile = searcher
    .searchKept(kept([endless]), query("^(a+)+$"), { deadlineMs: 1_500, textsMax: 1, unitsMax: 1_000 })
    .then((refused) => {
      ended = true;
      return refused;
    });
  await searcher.search("abc", query("b", "literal"));
  expect(ended).toBe(false);
  expect(await hostile).toMatchObject({ error: { code: "REGEX_TIMEOUT", details: { deadline_ms: 1_500 } } });
});

const endless = `${"a".repeat(40)}!`;

interface Kept extends KeptTexts {
  loaded: number;
}

function kept(texts: readonly (string | null)[], version = 1): Kept {
  return {
    of: texts.map((_, index) => ({ id: `t${index}`, version })),
    loaded: 0,
    async load(index) {
      this.loaded += 1;
      const text = texts[index] ?? null;
      return text === null ? null : { version, text };
    },
  };
}

describe("a search of many texts", () => {
  const bounds = { deadlineMs: 1_000, textsMax: 10, unitsMax: 1_000_000 };
  const places = (found: FoundTexts) => found.found.map(({ index, matches }) => [index, matches.matches.length]);

  test.each(["literal", "regex"] as const)("keeps texts until their version changes (%s)", async (mode) => {
    const own = createSearcher(clock);
    const texts = kept(["x a", "b", null, "a a"]);
    const find = async (of: KeptTexts) => places(accept(await own.searchKept(of, query("a", mode), bounds)));
    expect(await find(texts)).toEqual([
      [0, 1],
      [3, 2],
    ]);
    expect(texts.loaded).toBe(4);
    expect(await find(texts)).toEqual([
      [0, 1],
      [3, 2],
    ]);
    expect(texts.loaded).toBe(5);
    const changed = kept(["x", "a", "c", "a"], 2);
    expect(await find(changed)).toEqual([
      [1, 1],
      [3, 1],
    ]);
    expect(changed.loaded).toBe(4);
    await own.close();
  });

  test("ends at the maximum number of matching texts and reports an invalid expression", async () => {
    const many = kept(Array.from({ length: 50 }, () => "a(b"));
    const found = accept(await searcher.searchKept(many, query("a(b"), { ...bounds, textsMax: 3 }));
    expect(places(found)).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
    expect(found.invalidRegex).toBeDefined();
  });

  test("ends at the maximum size of the lines found and reports that it did", async () => {
    const many = kept(Array.from({ length: 50 }, () => "abc"));
    const found = accept(await searcher.searchKept(many, query("a"), { ...bounds, textsMax: 50, unitsMax: 10 }));
    expect([places(found).length, found.isFull]).toEqual([4, true]);
    expect(accept(await searcher.searchKept(many, query("a"), { ...bounds, textsMax: 4 })).isFull).toBe(false);
  });

  test("reloads texts after an expression ended its thread or a text failed to load", async () => {
    const own = createSearcher(clock);
    const texts = kept(["a", "b", endless]);
    const find = (pattern: string) =>
      own.searchKept(texts, query(pattern), { deadlineMs: 60, textsMax: 10, unitsMax: 1_000_000 });
    expect(places(accept(await find("[ab]")))).toEqual([
      [0, 1],
      [1, 1],
      [2, 10],
    ]);
    expect(codeOf(await find("^(a+)+$"))).toBe("REGEX_TIMEOUT");
    expect(places(accept(await find("b")))).toEqual([[1, 1]]);
    const broken: KeptTexts = {
      of: [
        { id: "new", version: 1 },
        { id: "t9", version: 1 },
      ],
      load: (index) => (index === 0 ? Promise.resolve({ version: 1, text: "a" }) : Promise.reject(new Error("disk"))),
    };
    await expect(own.searchKept(broken, query("a"), bounds)).rejects.toThrow("disk");
    expect(places(accept(await own.searchKept(kept(["a"]), query("a"), bounds)))).toEqual([[0, 1]]);
    await own.close();
  });
});

describe("texts that the thread reads by itself", () => {
  const bounds = { deadlineMs: 5_000, textsMax: 100, unitsMax: 1_000_000 };
  /** Every text says how many times texts were read before it; those whose id ends in 3 are not there. */
  const counting = `let reads = 0;
    export const openTexts = ({ words }) => ({
      read: (asked) => asked.map(({ id, version }) => id.endsWith("3") ? null : \`\${id} \${words} v\${version} read \${reads++}.\`),
    });`;

  function stored(count: number, { version = 1, module = counting, unitsBelow = 1_000 } = {}) {
    const loaded: number[] = [];
    const texts: KeptTexts = {
      of: Array.from({ length: count }, (_, index) => ({ id: `s${index}`, version })),
      stored: {
        module: { url: `data:text/javascript,${encodeURIComponent(module)}`, data: { words: "tea" } },
        unitsBelow,
        blockAt: (index) => `s${index}` as BlockId,
      },
      async load(index) {
        loaded.push(index);
        return { version, text: `s${index} tea, loaded` };
      },
    };
    return { texts, loaded };
  }

  async function linesOf(own: Searcher, texts: KeptTexts, pattern: string): Promise<readonly string[]> {
    const { found } = accept(await own.searchKept(texts, query(pattern), bounds));
    return found.map(({ index, matches }) => `${index}: ${matches.matches[0]?.context[0] ?? ""}`);
  }

  test("16.4 are searched in order without being loaded, but for those that it does not find", async () => {
    const own = createSearcher(clock);
    const { texts, loaded } = stored(40);
    const lines = await linesOf(own, texts, "tea");
    expect(loaded).toEqual([3, 13, 23, 33]);
    expect(lines.map((line) => line.split(":")[0])).toEqual(Array.from({ length: 40 }, (_, index) => `${index}`));
    expect(lines.slice(0, 5)).toEqual([
      "0: s0 tea v1 read 0.",
      "1: s1 tea v1 read 1.",
      "2: s2 tea v1 read 2.",
      "3: s3 tea, loaded",
      expect.stringMatching(/^4: s4 tea v1 read \d+\.$/),
    ]);
    const bounded = accept(await own.searchKept(texts, query("tea"), { ...bounds, textsMax: 6 }));
    expect(bounded.found.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    await own.close();
  });

  test("16.4 are kept from the second search on, until their version changes", async () => {
    const own = createSearcher(clock);
    const { texts } = stored(2);
    expect(await linesOf(own, texts, "read")).toEqual(["0: s0 tea v1 read 0.", "1: s1 tea v1 read 1."]);
    expect(await linesOf(own, texts, "read")).toEqual(["0: s0 tea v1 read 2.", "1: s1 tea v1 read 3."]);
    expect(await linesOf(own, texts, "read")).toEqual(["0: s0 tea v1 read 2.", "1: s1 tea v1 read 3."]);
    const { texts: newer } = stored(2, { version: 2 });
    expect(await linesOf(own, newer, "read")).toEqual(["0: s0 tea v2 read 4.", "1: s1 tea v2 read 5."]);
    await own.close();
  });

  test.each([
    ["may be a beginning only", { unitsBelow: 10 }],
    [
      "come from a module that cannot be opened",
      { module: "export const openTexts = () => { throw new Error('gone'); };" },
    ],
    [
      "come from a module that fails",
      { module: "export const openTexts = () => ({ read() { throw new Error('disk'); } });" },
    ],
  ])("16.4 that %s are loaded", async (_name, options) => {
    const own = createSearcher(clock);
    const { texts, loaded } = stored(30, options);
    expect(await linesOf(own, texts, "tea")).toHaveLength(30);
    expect(loaded).toHaveLength(30);
    await own.close();
  });
});

test("the least recently used texts are evicted first", () => {
  const index = new KeptTextIndex(10);
  const first = index.keep("a", { handle: index.newHandle(), version: 1, units: 5 });
  index.keep("b", { handle: index.newHandle(), version: 1, units: 5 });
  expect(index.takeDropped()).toEqual([]);
  expect(index.find("a", 1)).toBe(first);
  index.keep("c", { handle: index.newHandle(), version: 1, units: 1 });
  expect(index.takeDropped()).toHaveLength(1);
  expect([index.find("a", 1), index.find("b", 1), index.find("c", 1)].map((text) => text !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  const again = index.keep("a", { handle: index.newHandle(), version: 2, units: 1 });
  expect(index.takeDropped()).toEqual([first.handle]);
  expect(index.find("a", 1)).toBe(undefined);
  expect(index.find("a", 2)).toBe(again);
});

test("loading texts for a search yields the main thread", async () => {
  let inThisTurn = 0;
  let most = 0;
  let searching = true;
  const endTurn = (): void => {
    most = Math.max(most, inThisTurn);
    inThisTurn = 0;
    if (searching) setImmediate(endTurn);
  };
  setImmediate(endTurn);
  const texts: KeptTexts = {
    of: Array.from({ length: 100 }, (_, index) => ({ id: `at-hand-${index}`, version: 1 })),
    load: () => {
      inThisTurn += 1;
      return Promise.resolve({ version: 1, text: "abc" });
    },
  };
  const found = accept(
    await searcher.searchKept(texts, query("b"), { deadlineMs: 10_000, textsMax: 200, unitsMax: 1_000_000 }),
  );
  searching = false;
  expect(found.found).toHaveLength(100);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(8);
});

test("a thread that fails between two searches or after a timeout breaks nothing else", async () => {
  const started: Worker[] = [];
  const note = (worker: Worker): void => void started.push(worker);
  process.on("worker", note);
  const own = createSearcher(clock);
  try {
    accept(await own.search("fn main", query("fn")));
    const [idle] = started;
    expect(() => idle?.emit("error", new Error("out of memory"))).not.toThrow();
    await idle?.terminate();
    expect(accept(await own.search("fn main", query("fn"))).matches).toHaveLength(1);
    expect(started).toHaveLength(2);
    expect(codeOf(await own.search("a".repeat(40), query("^(a+)+b")))).toBe("REGEX_TIMEOUT");
    expect(() => started[1]?.emit("error", new Error("out of memory"))).not.toThrow();
  } finally {
    process.off("worker", note);
    await own.close();
  }
});

test("closing a searcher rejects its searches and starts no further thread", async () => {
  const started: Worker[] = [];
  const note = (worker: Worker): void => void started.push(worker);
  process.on("worker", note);
  try {
    const own = createSearcher(clock, 60_000);
    accept(await own.search("fn main", query("fn")));
    const searches = [1, 2, 3].map(() => own.search("a".repeat(40), query("^(a+)+b")));
    const ended = Promise.allSettled(searches);
    await own.close();
    expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await expect(own.search("fn main", query("fn"))).rejects.toThrow("closed");
    expect(started).toHaveLength(1);
  } finally {
    process.off("worker", note);
  }
});

test.each([
  ["literal", /^The search took too long/],
  ["regex", /literal text/],
] as const)("the refusal of a %s search that takes too long says what helps", async (mode, words) => {
  const own = createSearcher(clock, 0);
  const searched = await own.search("a", query("a", mode));
  expect(searched).toMatchObject({
    ok: false,
    error: { code: "REGEX_TIMEOUT", message: expect.stringMatching(words) },
  });
  await own.close();
});
