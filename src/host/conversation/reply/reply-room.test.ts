import { describe, expect, test } from "vitest";
import { replyLimit } from "./reply-room.ts";

interface Room {
  readonly window?: number | null;
  readonly longest?: number | null;
  readonly expected?: number;
  readonly upper?: number;
  readonly wished?: number;
  readonly whenFull?: "refuse" | "clamp";
}

function limit({
  window = 10_000,
  longest = 4_000,
  expected = 0,
  upper = expected,
  wished,
  whenFull = "refuse",
}: Room) {
  const info = { id: "a/b", contextTokensMax: window, outputTokensMax: longest };
  return replyLimit({ info, estimate: { expected, upper }, wished, whenFull });
}

describe("the limit of a reply", () => {
  test.each<readonly [what: string, room: Room, expected: number | null]>([
    ["is none where neither the model's limits nor a wish is known", { window: null, longest: null }, null],
    ["is the wish where nothing else is known", { window: null, longest: null, wished: 7 }, 7],
    ["is the model's longest reply where its window is unknown", { window: null }, 4_000],
    ["is the model's longest reply where there is room", {}, 4_000],
    ["is a shorter wish", { wished: 100 }, 100],
    ["is at most the model's longest reply", { wished: 9_000 }, 4_000],
    ["is what the estimate leaves", { expected: 8_000 }, 2_000],
    ["is at least 1,024 tokens, however cautious the estimate", { expected: 5_000, upper: 9_900 }, 1_024],
    ["is no longer than what is likely left", { expected: 9_500, upper: 9_999 }, 500],
    ["is 256 tokens at the least", { expected: 9_744 }, 256],
    ["is a smaller wish that still fits", { expected: 9_990, wished: 10 }, 10],
    ["is 1 where the window is full and the request is sent all the same", { expected: 12_000, whenFull: "clamp" }, 1],
  ])("%s", (_what, room, expected) => {
    expect(limit(room)).toEqual({ ok: true, value: expected });
  });

  test.each<readonly [room: Room, told: string]>([
    [{ expected: 9_745 }, "leaves 255 for the reply; Heddle asks for a reply of at least 256"],
    [{ expected: 9_991, wished: 10 }, "leaves 9 for the reply; Heddle asks for a reply of at least 10"],
    [{ expected: 10_000 }, "0 more than the model takes"],
    [{ expected: 12_000 }, "2,000 more than the model takes"],
  ])("%j is refused with the figures", (room, told) => {
    const limited = limit(room);
    expect(limited).toMatchObject({ ok: false, error: { code: "CONTEXT_FULL" } });
    expect(limited.ok ? "" : limited.error.message).toContain(told);
  });
});
