import { describe, expect, test } from "vitest";
import type { NodeId, TurnId } from "../../base/ids.ts";
import type { ForestNode } from "../../forest/types.ts";
import { compactionCut, turnUnderWay, type CutWish } from "./cut.ts";
import { canHelp, cutOf, dueCompaction, mayCompact, overflowOf } from "./due.ts";
import { replyTokensMin } from "./limits.ts";

/** About a hundred tokens. */
const words = "some plain words that say little ".repeat(16);
const content = [{ type: "text", text: words }] as const;

interface Facts {
  readonly compacts?: object;
  readonly excluded?: true;
  readonly instruction?: string;
}

/** A node of a turn: `u1` is a person's message of turn 1, `a` a reply, `t` a result, `h` a line of Heddle. */
function node(id: string, { instruction, ...facts }: Facts = {}): ForestNode {
  const [kind = "", turn = ""] = id;
  const role = kind === "u" || kind === "h" ? "user" : kind === "a" ? "assistant" : "tool";
  const by = kind === "h" ? { instruction: instruction ?? "edit" } : {};
  return {
    id,
    turnId: turn === "0" ? null : turn,
    message: { role, content, ...by },
    ...facts,
  } as unknown as ForestNode;
}
const path = (...ids: readonly string[]): readonly ForestNode[] => ids.map((id) => node(id));
const two = path("u1", "a1", "u2", "a2");
const cut = (nodes: readonly ForestNode[], wish: Partial<CutWish> = {}) =>
  compactionCut(nodes, { turnId: null, keptMax: 0, ...wish });

describe("what a summary replaces", () => {
  test("is all but the newest turns that fit into what is kept", () => {
    expect(cut(two)).toEqual({ at: 3, through: "a2", messages: 4, midTurn: false });
    expect(cut(two, { keptMax: 250 })).toEqual({ at: 1, through: "a1", messages: 2, midTurn: false });
    expect(cut(two, { keptMax: 10_000 })).toBeNull();
  });

  test("is never the question of the turn that begins", () => {
    expect(cut(path("u1", "a1", "u2"), { turnId: "2" as TurnId })).toMatchObject({ at: 1, midTurn: false });
    expect(cut(path("u1"), { turnId: "1" as TurnId })).toBeNull();
  });

  test("is everything in the midst of a turn, so that no call is parted from its result", () => {
    expect(cut(path("u1", "a1", "t1"), { turnId: "1" as TurnId, keptMax: 10_000 })).toEqual({
      at: 2,
      through: "t1",
      messages: 3,
      midTurn: true,
    });
    expect(cut(path("u1", "t1"), { turnId: "1" as TurnId })).toMatchObject({ midTurn: true });
  });

  test("counts no lines of Heddle among the messages, and is nothing without messages", () => {
    expect(cut([node("h1"), ...two])).toMatchObject({ at: 4, messages: 4 });
    expect(cut(path("h0"), { keptMax: 0 })).toBeNull();
    expect(cut([])).toBeNull();
  });

  test("ends where a person chose, at the end of that round, and nowhere for an unknown message", () => {
    const longer = path("u1", "a1", "u2", "a2", "t2", "a2", "u3");
    expect(cut(longer, { through: "u2" as NodeId })).toMatchObject({ at: 2 });
    expect(cut(longer, { through: "a1" as NodeId })).toMatchObject({ through: "a1", messages: 2 });
    expect(cut(longer, { through: "gone" as NodeId })).toBeNull();
  });

  test("is more than the last summary replaced", () => {
    const summary = node("h2", { instruction: "compaction", compacts: { through: "a1", messages: 2 } });
    expect(cut([...path("u1", "a1"), summary], { through: "u1" as NodeId })).toBeNull();
    expect(cut([...path("u1", "a1"), summary, ...path("u2", "a2")])).toMatchObject({ at: 4 });
  });

  test("does not keep what a person left out for its size", () => {
    const out = { excluded: true } as const;
    const nodes = [node("u1"), node("a1"), node("u2", out), node("a2", out)];
    expect(cut(nodes, { keptMax: 90 })).toMatchObject({ at: 1 });
  });

  test("begins a turn at a person's message or what Heddle says before it, also where messages have no turn", () => {
    const imported = path("u0", "a0", "h0", "u0", "a0");
    expect(cut(imported, { keptMax: 250 })).toMatchObject({ at: 2 });
    const noted = path("u1", "a1", "h2", "u2", "a2");
    expect(cut(noted, { keptMax: 350 })).toMatchObject({ at: 1 });
    expect(turnUnderWay(noted, "2" as TurnId).map(({ id }) => id)).toEqual(["h2", "u2", "a2"]);
    expect(turnUnderWay(noted, "3" as TurnId)).toEqual([]);
  });
});

describe("when a compaction is due", () => {
  const branch = { path: two, turnId: null, window: 10_000, used: 8_000, compactAt: 0.8, failed: 0 } as const;
  const due = (facts: object) => dueCompaction({ ...branch, ...facts });

  test.each<readonly [what: string, facts: object, isDue: boolean]>([
    ["the window is as full as the share says", {}, true],
    ["it is less full", { used: 7_999 }, false],
    ["it is switched off", { compactAt: null }, false],
    ["nobody knows the window", { window: null }, false],
    ["nobody knows what is used", { used: null }, false],
    ["it failed once before", { failed: 1 }, true],
    ["it failed twice", { failed: 2 }, false],
    ["a person asks, however little is used", { used: 10, wish: {} }, true],
    ["a person asks, although it is switched off", { compactAt: null, wish: {} }, true],
    ["the model refused the request as too long", { used: 10, refused: true }, true],
    ["there is nothing to replace", { path: [], wish: {} }, false],
  ])("%s", (_what, facts, isDue) => {
    // A small window keeps few tokens, so that there is something to replace.
    const small = { window: "window" in facts ? null : 10_000 };
    const answer = due({
      ...small,
      path: path("u1", "a1", "u2", "a2", "u3", "a3", ...Array.from({ length: 60 }, () => "u4")),
      ...facts,
    });
    expect(answer !== null).toBe(isDue);
  });

  test("it says who wanted it, and by how much the next request is too long", () => {
    const long = path("u1", ...Array.from({ length: 100 }, () => "u2"));
    expect(due({ path: long, wish: {}, used: 100 })).toMatchObject({ by: "person", overflow: null });
    expect(due({ path: long, used: 10_000 })).toMatchObject({
      by: "share",
      overflow: { tokens: 10_000, window: 10_000 },
    });
    expect(due({ path: long, used: 12_000, refused: true, window: 20_000 })).toMatchObject({
      overflow: { tokens: 12_000, window: 12_000 },
    });
    expect(due({ path: long, used: 12_000, refused: true, window: null })).toMatchObject({
      overflow: { window: 12_000 },
    });
  });

  test("a request with a reply's room fits", () => {
    expect(overflowOf(1_000, 1_000 - replyTokensMin)).toBeNull();
    expect(overflowOf(1_000, 1_001 - replyTokensMin)).toEqual({ tokens: 1_001 - replyTokensMin, window: 1_000 });
    expect([overflowOf(null, 5), overflowOf(5, null)]).toEqual([null, null]);
    expect([mayCompact({ compactAt: 0.8, failed: 1 }), mayCompact({ compactAt: null, failed: 0 })]).toEqual([
      true,
      false,
    ]);
  });

  test("a person's wish replaces at least half of what is sent, and a part at their choice", () => {
    expect(cutOf({ path: two, turnId: null, window: null, wish: {} })).toMatchObject({ at: 1 });
    expect(cutOf({ path: two, turnId: null, window: null, wish: null })).toBeNull();
    expect(cutOf({ path: two, turnId: null, window: null, wish: { through: "a1" as NodeId } })).toMatchObject({
      at: 1,
    });
  });

  test("one follows another only when enough was said since", () => {
    const summary = node("h2", { instruction: "compaction", compacts: { through: "a1", messages: 2 } });
    const since = (count: number, facts: Facts = {}) => [
      ...path("u1", "a1"),
      summary,
      ...Array.from({ length: count }, () => node("u3", facts)),
    ];
    const help = (nodes: readonly ForestNode[]): boolean =>
      canHelp({ path: nodes, window: 1_000, compactAt: 0.8, failed: 0 });
    expect([help(since(0)), help(since(20)), help(since(20, { excluded: true })), help(two)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});
