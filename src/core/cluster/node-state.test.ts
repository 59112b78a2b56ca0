import { describe, expect, test } from "vitest";
import type { ClusterView, NodeRow } from "./cluster-view.ts";
import {
  isLate,
  nextLookMs,
  startingNode,
  stepNode,
  workspaceKey,
  type NodeEffect,
  type NodeEvent,
  type NodeState,
} from "./node-state.ts";
import { placed } from "./placement.ts";

const ttlMs = 2_000;
const at = (ms: number) => ({ monotonicMs: ms, wallMs: 1_000_000 + ms });
const row = (nodeId: string, incarnation: number, rest: Partial<NodeRow> = {}): NodeRow => ({
  nodeId,
  incarnation,
  state: "live",
  remainingMs: ttlMs,
  ttlMs,
  stamp: "1",
  address: `${nodeId}:1`,
  ...rest,
});
const [best = "", second = ""] = placed(["a", "b"], workspaceKey);

/** Plays events from the start of a node and returns the last state and all effects. */
function play(nodeId: string, ...events: readonly NodeEvent[]): { state: NodeState; effects: readonly NodeEffect[] } {
  const first = startingNode({ nodeId, ttlMs });
  const effects = [...first.effects];
  let { state } = first;
  for (const event of events) {
    const step = stepNode(state, event);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

const joined: NodeEvent = { type: "joined", incarnation: 1, sent: at(0) };
const looked = (ms: number, view: ClusterView): NodeEvent => ({ type: "looked", view, askedMs: ms, nowMs: ms });
const owns: ClusterView = { nodes: [row(best, 1)], claim: { incarnation: 1, epoch: 3 } };
const serving: readonly NodeEvent[] = [joined, looked(10, owns), { type: "opened", epoch: 3 }];

describe("a node of a cluster", () => {
  test("takes a right that nobody has at once if it is the best for it, and waits as the second", () => {
    const view = {
      nodes: [row("a", best === "a" ? 1 : 2), row("b", best === "a" ? 2 : 1)],
      claim: { incarnation: null, epoch: 0 },
    };
    const acquire = { type: "acquire", epoch: 0 };
    expect(play(best, joined, looked(10, view)).effects).toContainEqual(acquire);
    const other = { ...joined, incarnation: 2 } as const;
    expect(play(second, other, looked(10, view), looked(300, view)).effects).not.toContainEqual(acquire);
    expect(play(second, other, looked(10, view), looked(310, view)).effects).toContainEqual(acquire);
  });

  test("opens what the rows give it, also when no answer or hint told it", () => {
    expect(play(best, joined, looked(10, owns)).effects).toContainEqual({ type: "open", epoch: 3, follows: false });
    expect(play(best, ...serving).state.claim.type).toBe("serving");
  });

  test("N-13 what it opens follows the owner before, if it saw that one renew its row and the database stayed there", () => {
    const theirs = (stamp: string, epoch = 3): ClusterView => ({
      nodes: [row(best, 1), row(second, 2, { stamp })],
      claim: { incarnation: 2, epoch },
    });
    const free: ClusterView = { nodes: [row(best, 1)], claim: { incarnation: 2, epoch: 3 } };
    const follows = (...before: readonly NodeEvent[]): unknown => {
      const taken = { type: "acquired", epoch: 4, nowMs: 40 } as const;
      return play(best, joined, ...before, looked(30, free), taken).effects.at(-1);
    };
    const opens = (isAfterwards: boolean) => ({ type: "open", epoch: 4, follows: isAfterwards });
    expect(follows(looked(10, theirs("1")), looked(20, theirs("2")))).toEqual(opens(true));
    // What never changed may be the row of a process that was gone when the database was restored.
    expect(follows(looked(10, theirs("1")), looked(20, theirs("1")))).toEqual(opens(false));
    expect(follows(looked(10, theirs("1", 2)), looked(20, theirs("2", 3)))).toEqual(opens(false));
    const away: NodeEvent = { type: "database-away" };
    expect(follows(looked(10, theirs("1")), looked(20, theirs("2")), away)).toEqual(opens(false));
    const handed: ClusterView = {
      nodes: [row(best, 1), row(second, 2, { stamp: "3" })],
      claim: { incarnation: 1, epoch: 4 },
    };
    expect(
      play(best, joined, looked(10, theirs("1")), looked(20, theirs("2")), looked(30, handed)).effects.at(-1),
    ).toEqual(opens(true));
  });

  test("N-03 ends, closes and joins again when its row is dead, and not before what it served is closed", () => {
    const ended = play(best, ...serving, { type: "ended", incarnation: 1 });
    expect(ended.state.phase).toBe("over");
    expect(ended.effects.at(-1)).toEqual({ type: "close" });
    const again = play(best, ...serving, { type: "ended", incarnation: 1 }, { type: "closed" });
    expect(again.effects.at(-1)).toEqual({ type: "join", again: 1 });
    expect(play(best, ...serving, { type: "ended", incarnation: 7 }).state.phase).toBe("live");
  });

  test("closes when the rows give the right to another, unless it asked before the right was its own", () => {
    const theirs: ClusterView = { nodes: [row(best, 1), row(second, 2)], claim: { incarnation: 2, epoch: 4 } };
    expect(play(best, ...serving, looked(20, theirs)).effects.at(-1)).toEqual({ type: "close" });
    expect(play(best, ...serving, looked(5, theirs)).state.claim.type).toBe("serving");
  });

  test("N-13 declares dead only what was unchanged for half its time while the database answered", () => {
    const expired = (stamp: string): ClusterView => ({
      nodes: [row(best, 1), row(second, 2, { remainingMs: -1, stamp })],
      claim: { incarnation: 2, epoch: 3 },
    });
    const reap = { type: "reap", incarnation: 2 };
    expect(play(best, joined, looked(10, expired("1")), looked(1_009, expired("1"))).effects).not.toContainEqual(reap);
    expect(play(best, joined, looked(10, expired("1")), looked(1_010, expired("1"))).effects).toContainEqual(reap);
    expect(play(best, joined, looked(10, expired("1")), looked(1_010, expired("2"))).effects).not.toContainEqual(reap);
    const away: NodeEvent = { type: "database-away" };
    expect(play(best, joined, looked(10, expired("1")), away, looked(1_010, expired("1"))).effects).not.toContainEqual(
      reap,
    );
  });

  test("N-16 a row whose time lies far ahead was written before the database's clock was set back", () => {
    const ahead: ClusterView = {
      nodes: [row(best, 1), row(second, 2, { remainingMs: 4_001 })],
      claim: { incarnation: 2, epoch: 3 },
    };
    expect(play(best, joined, looked(0, ahead), looked(1_000, ahead)).effects).toContainEqual({
      type: "reap",
      incarnation: 2,
    });
  });

  test("N-15 N-16 stops by itself 250 ms before its time runs out, and after the machine slept", () => {
    const { state } = play(best, ...serving);
    expect(isLate(state, at(1_750))).toBe(false);
    expect(isLate(state, at(1_751))).toBe(true);
    expect(isLate(state, { monotonicMs: 100, wallMs: 1_000_100 + 501 })).toBe(true);
    const renewed = play(best, ...serving, { type: "renewed", incarnation: 1, sent: at(1_000) }).state;
    expect(isLate(renewed, at(2_700))).toBe(false);
    const older = play(best, ...serving, { type: "renewed", incarnation: 1, sent: at(900) }).state;
    expect(isLate(stepNode(renewed, { type: "renewed", incarnation: 1, sent: at(900) }).state, at(2_700))).toBe(false);
    expect(isLate(older, at(2_700))).toBe(true);
  });

  test("N-39 a node that is asked to stop closes, hands over to a live one and leaves", () => {
    const both: ClusterView = { nodes: [row(best, 1), row(second, 2)], claim: { incarnation: 1, epoch: 3 } };
    const stopping = play(
      best,
      ...serving,
      looked(20, both),
      { type: "stop-requested" },
      { type: "closed" },
      { type: "handed-over" },
    );
    expect(stopping.effects.slice(-4)).toEqual([
      { type: "drain" },
      { type: "close" },
      { type: "hand-over", epoch: 3, to: 2 },
      { type: "leave" },
    ]);
    expect(play(best, ...serving, { type: "stop-requested" }, { type: "closed" }).effects.at(-1)).toEqual({
      type: "leave",
    });
    const draining: ClusterView = {
      nodes: [row(best, 1, { state: "draining" })],
      claim: { incarnation: null, epoch: 3 },
    };
    expect(play(best, joined, { type: "stop-requested" }, looked(20, draining)).effects).not.toContainEqual({
      type: "acquire",
      epoch: 3,
    });
  });

  test("a node that drains may act until its time runs out, and one that is over may not act at all", () => {
    const draining = play(best, ...serving, { type: "stop-requested" }).state;
    expect(draining.phase).toBe("draining");
    expect(isLate(draining, at(1_750))).toBe(false);
    expect(isLate(draining, at(1_751))).toBe(true);
    const over = { ...draining, phase: "over" } as const;
    expect(isLate(over, at(10))).toBe(true);
    expect(isLate({ ...over, phase: "leaving" }, at(10))).toBe(true);
  });

  test("what comes of opening under an earlier epoch changes nothing", () => {
    const opening = play(best, joined, looked(10, owns)).state;
    expect(opening.claim).toMatchObject({ type: "opening", epoch: 3 });
    expect(stepNode(opening, { type: "opened", epoch: 2 })).toEqual({ state: opening, effects: [] });
    expect(stepNode(opening, { type: "open-failed", epoch: 2 })).toEqual({ state: opening, effects: [] });
    expect(stepNode(opening, { type: "opened", epoch: 3 }).state.claim.type).toBe("serving");
    const failed = stepNode(opening, { type: "open-failed", epoch: 3 });
    expect(failed.effects).toEqual([{ type: "leave" }, { type: "exit", reason: "open-failed" }]);
  });

  test("a node that loses its row while it closes to hand over hands nothing over", () => {
    const both: ClusterView = { nodes: [row(best, 1), row(second, 2)], claim: { incarnation: 1, epoch: 3 } };
    const closed = play(
      best,
      ...serving,
      looked(20, both),
      { type: "stop-requested" },
      { type: "ended", incarnation: 1 },
      { type: "closed" },
    );
    expect(closed.effects).not.toContainEqual({ type: "hand-over", epoch: 3, to: 2 });
    expect(closed.effects.at(-1)).toEqual({ type: "leave" });
  });

  test("N-09 a node whose row another process took exits", () => {
    const { state, effects } = play(best, { type: "joined", incarnation: null, sent: at(0) });
    expect(state.phase).toBe("gone");
    expect(effects.at(-1)).toEqual({ type: "exit", reason: "taken" });
  });

  test("looks again when a row may be declared dead, not by a fixed tick", () => {
    const silent = (remainingMs: number): ClusterView => ({
      nodes: [row(best, 1), row(second, 2, { remainingMs })],
      claim: owns.claim,
    });
    const { state } = play(best, joined, looked(0, silent(1_130)), looked(1_000, silent(130)));
    expect(nextLookMs(state, 1_000)).toBe(150);
    expect(nextLookMs(play(best, joined).state, 0)).toBe(400);
  });
});
