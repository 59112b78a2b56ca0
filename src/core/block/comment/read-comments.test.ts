import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActorId, BlockId, ThreadId } from "../../base/ids.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import { readCriticMarks, withCriticMarks } from "./critic-comments.ts";
import { withFootnotes } from "./export-comments.ts";
import type { ImportedThread } from "./imported-thread.ts";
import type { RangePlacement } from "./range-anchor.ts";
import { readComments as readFile } from "./read-comments.ts";
import type { Comment, Thread } from "./thread.ts";

const at = Date.UTC(2026, 10, 22);
const readComments = (file: string) => readFile(file, (day) => Date.parse(`${day}T00:00:00Z`));
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

interface Wish {
  readonly place: RangePlacement | null;
  readonly state?: Thread["state"];
  readonly quote?: string;
  readonly said: readonly (readonly [name: string, text: string])[];
}

function placed(index: number, { place, state = "open", quote = "q", said }: Wish) {
  const comments = said.map(([name, text], seq): Comment => ({
    seq: seq + 1,
    actor: { type: "person", id: name as ActorId, name },
    text,
    at,
  })) as unknown as NonEmptyArray<Comment>;
  const anchor = {
    own: [],
    seam: { before: null, after: null },
    quote: { text: quote, length: 1, before: "", after: "" },
  };
  const id = `c${index}` as ThreadId;
  const blockId = "doc/1/1" as BlockId;
  const about = place === null ? null : anchor;
  return { thread: { id, blockId, version: 1, state, anchor: about, comments, events: [], createdAt: at }, place };
}

/** What is read back of a thread. */
function told({ state, place, comments }: Pick<ImportedThread, "state" | "place" | "comments">) {
  return { state, place, said: comments.map(({ name, text }) => [name, text]) };
}

function expected({ thread, place }: ReturnType<typeof placed>) {
  const { state, comments } = thread;
  const there =
    place?.type === "range"
      ? { type: "range", from: place.from, to: place.to }
      : place?.type === "point"
        ? { type: "range", from: place.at, to: place.at }
        : place;
  return { state, place: there, said: comments.map(({ actor, text }) => [actor.name, text]) };
}

const words = fc.stringMatching(/^[A-Za-z][A-Za-z .,?!\n]{0,30}[a-z.]$/).filter((text) => !/\n\s*\n\s*$/.test(text));
const line = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[a-z# .*_\][()>-]{0,24}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("```", "~~~~", "`code` and words", "[^1]: Mine.", "Words[^1].", "", "  ", "\\`tick"),
  },
);
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
const said = fc.array(fc.tuple(fc.constantFrom("Ann", "Bo Li", "claude"), words), { minLength: 1, maxLength: 3 });
const wish = fc.record({
  from: fc.nat(),
  to: fc.nat(),
  type: fc.constantFrom("range", "range", "range", "point", "orphan", "document"),
  state: fc.constantFrom("open", "resolved"),
  said,
});

function threadsOn(body: string, wishes: readonly (typeof wish extends fc.Arbitrary<infer Of> ? Of : never)[]) {
  return wishes.map(({ from, to, type, state, said: comments }, index) => {
    const [low, high] = [from % (body.length + 1), to % (body.length + 1)].toSorted((a, b) => a - b);
    const [start, end] = [low ?? 0, high ?? 0];
    const place =
      type === "document"
        ? null
        : type === "range" && start < end
          ? ({ type, from: start, to: end, rewritten: false } as const)
          : type === "orphan"
            ? ({ type, at: start } as const)
            : ({ type: "point", at: start, rewritten: false } as const);
    return placed(index, { place, state, said: comments });
  });
}

describe("comments of a file", () => {
  test("K-22 footnotes are read back: the text byte for byte, ranges, replies and states", () => {
    fc.assert(
      fc.property(text, fc.array(wish, { maxLength: 4 }), (body, wishes) => {
        const threads = threadsOn(body, wishes);
        const read = readComments(withFootnotes(body, threads, dayOf));
        expect(read.text).toBe(body);
        expect(read.threads.map(told)).toEqual(threads.map(expected));
      }),
    );
  });

  test("K-22 an author's own footnotes stay, also one that looks like ours and lies in code", () => {
    const body = "Here is the fox[^1] and more.\n\n[^1]: Mine, with `[^c0]`.\n\n```md\n[^c0]: Ann, 2026-11-22\n```\n";
    const fox = placed(0, {
      place: { type: "range", from: 8, to: 15, rewritten: false },
      said: [["Ann", "Which\n\none?"]],
    });
    const read = readComments(withFootnotes(body, [fox], dayOf));
    expect(read.text).toBe(body);
    expect(read.threads).toMatchObject([{ id: "c0", place: { type: "range", from: 8, to: 15 }, comments: [{ at }] }]);
    const plain = "One[^c1].\n\n[^c1]: An ordinary note.\n";
    expect(readComments(plain)).toEqual({ text: plain, threads: [] });
  });

  test("K-22 where the words before a mark were changed in another program, the word before it is the range", () => {
    const fox = placed(0, {
      place: { type: "range", from: 0, to: 13, rewritten: false },
      quote: "The brown fox",
      said: [["Ann", "Which?"]],
    });
    const exported = withFootnotes("The brown fox runs.\n", [fox], dayOf).replace("brown fox", "red wolf");
    expect(readComments(exported)).toMatchObject({
      text: "The red wolf runs.\n",
      threads: [{ place: { type: "range", from: 8, to: 12 }, quote: "The brown fox" }],
    });
  });

  test("K-23 Critic marks are read back, but for what the export names as left out; in code nothing is read", () => {
    fc.assert(
      fc.property(text, fc.array(wish, { maxLength: 4 }), (body, wishes) => {
        const threads = threadsOn(body, wishes);
        const { text: exported, leftOut } = withCriticMarks(body, threads);
        const read = readComments(exported);
        expect(read.text).toBe(body);
        const kept = threads.filter(({ thread }) => !leftOut.includes(thread.id));
        const order = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).toSorted();
        expect(order(read.threads.map(told))).toEqual(order(kept.map(expected)));
      }),
    );
  });

  test("K-23 marks that another program wrote are comments, and those in a fence or in backticks are words", () => {
    const file =
      "The {==fox==}{>>Ann: Which?<<}{>>Bo: That.<<} runs{>>Fast<<}.\n\n```\n{==x==}{>>y<<}\n```\n`{>>z<<}`\n";
    const read = readComments(file);
    expect(read.text).toBe("The fox runs.\n\n```\n{==x==}{>>y<<}\n```\n`{>>z<<}`\n");
    expect(read.threads.map(told)).toEqual([
      {
        state: "open",
        place: { type: "range", from: 4, to: 7 },
        said: [
          ["Ann", "Which?"],
          ["Bo", "That."],
        ],
      },
      { state: "open", place: { type: "range", from: 12, to: 12 }, said: [[null, "Fast"]] },
    ]);
    expect(readCriticMarks("{==no comment==}").text).toBe("{==no comment==}");
  });

  test("K-23 a thread that ends in code, crosses another or holds a mark is left out and named", () => {
    const body = "one `two` three {x}\n";
    const range = (from: number, to: number): RangePlacement => ({ type: "range", from, to, rewritten: false });
    const threads = [range(0, 7), range(0, 3), range(2, 14), range(10, 18), range(10, 15)].map((place, index) =>
      placed(index, { place, said: [["Ann", index === 4 ? "a <<} b" : "Well."]] }),
    );
    const { text: marked, leftOut } = withCriticMarks(body, threads);
    expect(leftOut).toEqual(["c0", "c2", "c3", "c4"]);
    expect(marked).toBe("{==one==}{>>Ann (open): Well.<<} `two` three {x}\n");
  });

  const long = "A".repeat(61);
  test.each<readonly [name: string, second: Wish]>([
    ["crosses the first", { place: { type: "range", from: 4, to: 13, rewritten: false }, said: [["Bo", "And?"]] }],
    ["is by someone whose name is too long for a mark", { place: null, said: [[long, "And?"]] }],
  ])("K-23 a second thread that %s is left out alone, since it would be read back otherwise", (_name, second) => {
    const first = placed(0, { place: { type: "range", from: 0, to: 7, rewritten: false }, said: [["Ann", "Well."]] });
    expect(withCriticMarks("one two three", [first, placed(1, second)])).toEqual({
      text: "{==one two==}{>>Ann (open): Well.<<} three",
      leftOut: ["c1"],
    });
  });

  test("K-22 a file of blank lines is read as it is", () => {
    expect(readComments("\n \n")).toEqual({ text: "\n \n", threads: [] });
  });
});
