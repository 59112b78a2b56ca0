import { ChangeSet } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { carryOver } from "../../../src/core/block/change/carry-over.ts";
import { err, ok } from "../../../src/core/base/result.ts";
import { textChanges } from "../editor/base/edit-changes.ts";
import { DraftSync, goingOn, type UnsentWrite } from "./draft-sync.ts";

/** A server with a draft, and an editor that shows it. */
class Bench {
  draft: string;
  shown: string;
  refusals: (string | null)[] = [];
  unsent: UnsentWrite | null = null;
  isTaken = false;
  /** Set: answers wait for it. */
  gate: Promise<void> = Promise.resolve();
  #timers: (() => void)[] = [];
  readonly sync: DraftSync;

  /** `unsent` is what an earlier page kept. */
  constructor(text: string, unsent: UnsentWrite | null = null) {
    this.draft = text;
    const now = { text, hash: `#${text}` };
    const start = unsent === null ? null : goingOn(unsent, now);
    this.shown = start?.text ?? text;
    this.sync = new DraftSync(start ?? now, {
      write: async ({ baseHash, base, changes, takesOver = false }) => {
        await this.gate;
        if (this.isTaken && !takesOver) return err({ code: "LOCK_NOT_AVAILABLE", message: "Bo is writing." });
        const seen = baseHash === `#${this.draft}` ? this.draft : base;
        if (seen === undefined) return err({ code: "CONFLICT", message: "changed" });
        const isMerged = seen !== this.draft;
        this.draft = carryOver(seen, this.draft, changes);
        return ok({ hash: `#${this.draft}`, text: isMerged ? this.draft : null });
      },
      read: async () => ok({ text: this.draft, hash: `#${this.draft}` }),
      keep: (unsent) => (this.unsent = unsent),
      draw: (changes) => (this.shown = apply(this.shown, changes)),
      refused: (refused) => this.refusals.push(refused?.code ?? null),
      setTimer: (_ms, run) => {
        this.#timers.push(run);
        return () => (this.#timers = this.#timers.filter((each) => each !== run));
      },
    });
    if (start !== null) this.#typed(start.typed);
  }

  type(at: number, words: string): void {
    this.#typed(ChangeSet.of([{ from: at, insert: words }], this.shown.length));
  }

  #typed(changes: ChangeSet): void {
    this.shown = apply(this.shown, changes);
    this.sync.typed(changes);
  }

  /** Lets 300 ms pass, and everything on its way arrive. */
  async pass(): Promise<void> {
    for (const run of this.#timers.splice(0)) run();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

function apply(text: string, changes: ChangeSet): string {
  let shift = 0;
  let next = text;
  for (const { from, to, insert } of textChanges(changes)) {
    next = next.slice(0, from + shift) + insert + next.slice(to + shift);
    shift += insert.length - (to - from);
  }
  return next;
}

describe("an editor of a draft", () => {
  test("K-33 sends what was typed in one write, and shows what others wrote meanwhile", async () => {
    const bench = new Bench("one two\n");
    bench.type(3, "!");
    bench.type(4, "?");
    expect(bench.sync.isSaved).toBe(false);
    bench.draft = "one two\nthree\n";
    await bench.pass();
    expect([bench.draft, bench.shown]).toEqual(["one!? two\nthree\n", "one!? two\nthree\n"]);
    expect(bench.sync.isSaved).toBe(true);
  });

  test("K-33 keeps what is typed while a write is on its way", async () => {
    const bench = new Bench("one two\n");
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.gate = promise;
    bench.type(0, "A ");
    await bench.pass();
    bench.type(bench.shown.length, "end\n");
    bench.draft = "one TWO\n";
    resolve();
    await bench.pass();
    await bench.pass();
    expect([bench.draft, bench.shown]).toEqual(["A one TWO\nend\n", "A one TWO\nend\n"]);
  });

  test("K-33 keeps refused words, and writes them when the person takes over", async () => {
    const bench = new Bench("one\n");
    bench.isTaken = true;
    bench.type(4, "mine\n");
    await bench.pass();
    expect([bench.draft, bench.shown, bench.refusals]).toEqual(["one\n", "one\nmine\n", ["LOCK_NOT_AVAILABLE"]]);
    expect(bench.sync.text).toBe("one\nmine\n");
    bench.sync.takeOver();
    await bench.pass();
    expect([bench.draft, bench.refusals.at(-1)]).toEqual(["one\nmine\n", null]);
  });

  test("shows a draft that others changed, and closing sends what is left", async () => {
    const bench = new Bench("one\n");
    bench.draft = "zero\none\n";
    bench.sync.changed();
    await bench.pass();
    expect(bench.shown).toBe("zero\none\n");
    bench.type(0, "- ");
    bench.sync.close();
    await bench.pass();
    expect(bench.draft).toBe("- zero\none\n");
  });
});

test("N-40 what was typed and is not in the draft is kept, and goes on from there in the next page, once", async () => {
  const bench = new Bench("one two");
  let release = (): void => {};
  bench.gate = new Promise((resolve) => (release = resolve));
  bench.type(3, " and a half");
  await bench.pass();
  bench.type(0, "Zero ");
  await bench.pass();
  expect(bench.unsent).toEqual({
    base: "one two",
    baseHash: "#one two",
    sent: [{ from: 3, to: 3, insert: " and a half" }],
    typed: [{ from: 0, to: 0, insert: "Zero " }],
  });
  // The server stored the first words, and its answer never came; somebody else wrote meanwhile.
  release();
  const kept = bench.unsent;
  for (const [now, then] of [
    ["one and a half two three", "Zero one and a half two three"],
    ["one and a half two", "Zero one and a half two"],
    // They never arrived.
    ["one two three", "Zero one and a half two three"],
  ] as const) {
    const next = new Bench(now, kept);
    await next.pass();
    expect([next.draft, next.shown, next.unsent]).toEqual([then, then, null]);
  }
});
