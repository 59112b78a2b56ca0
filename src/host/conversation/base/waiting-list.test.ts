import { expect, test } from "vitest";
import type { NodeId, RunId } from "../../../core/base/ids.ts";
import { waitingMax, waitingUnitsMax, type WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { RunSnapshot } from "./run-snapshot.ts";
import { changed, fits, held, inPlace, placeIn, steersOf, waitingFeed, waitingWrites } from "./waiting-list.ts";

function message(id: string, facts: Partial<WaitingMessage> = {}, text = "hi"): WaitingMessage {
  const said = { role: "user", content: [{ type: "text", text }] } as const;
  const stored = { id: id as NodeId, place: 1, version: 1, state: "waiting", deliver: "queue", message: said } as const;
  return { ...stored, ...facts } as WaitingMessage;
}

test("a turn takes the messages that steer, without those that are held or queued", () => {
  const all = [
    message("a", { deliver: "steer" }),
    message("b", { deliver: "steer", state: "held" }),
    message("c"),
    message("d", { deliver: "steer" }),
  ];
  expect(steersOf(all).map(({ id }) => id)).toEqual(["a", "d"]);
});

test("holding raises the version of those that waited, and leaves the held ones alone", () => {
  const before = message("b", { state: "held", version: 4 });
  const after = held([message("a"), before]);
  expect(after.map(({ state, version }) => [state, version])).toEqual([
    ["held", 2],
    ["held", 4],
  ]);
  expect(after[1]).toBe(before);
  expect(changed(before, { deliver: "steer" })).toMatchObject({ deliver: "steer", state: "held", version: 5 });
});

test.each<readonly [places: readonly number[], first: number, last: number]>([
  [[], 0, 1],
  [[1], 0, 2],
  [[3, 7], 0, 8],
  [[-2, 4], -3, 5],
])("beside messages at %j the first place is %i and the last %i", (places, first, last) => {
  const waiting = places.map((place) => message(`m${place}`, { place }));
  expect([placeIn(waiting, "first"), placeIn(waiting, "last")]).toEqual([first, last]);
});

test("messages follow their places; at one place, their ids", () => {
  const all = [message("c", { place: 2 }), message("b", { place: 1 }), message("a", { place: 2 }), message("d")];
  expect(inPlace(all).map(({ id }) => id)).toEqual(["b", "d", "a", "c"]);
});

test.each([
  ["one message too many", Array.from({ length: waitingMax + 1 }, () => "x"), "20 messages wait"],
  ["one message too long", ["x".repeat(waitingUnitsMax + 1)], "This message has 64001 characters"],
  ["messages too long together", ["x".repeat(waitingUnitsMax), "y"], "64001 characters together"],
])("QUEUE_FULL names its cause: %s", (_name, texts, words) => {
  const full = fits(texts.map((text, index) => message(`m${index}`, {}, text)));
  expect(full.ok ? "" : full.error.message).toContain(words);
});

test("as many messages and characters wait as the limits say, and no more", () => {
  const many = Array.from({ length: waitingMax }, (_, index) => message(`m${index}`));
  expect(fits(many).ok).toBe(true);
  const filled = [...many.slice(1), message("long", {}, "x".repeat(waitingUnitsMax + 1))];
  expect(fits(filled)).toMatchObject({ error: { message: expect.not.stringContaining("wait for the agent already") } });
  expect(fits([...many, message("one-more")])).toMatchObject({ error: { code: "QUEUE_FULL" } });
  const half = "x".repeat(waitingUnitsMax / 2);
  expect(fits([message("a", {}, half), message("b", {}, half)]).ok).toBe(true);
  expect(fits([message("a", {}, half), message("b", {}, `${half}x`)])).toMatchObject({
    error: { code: "QUEUE_FULL", details: { characters: waitingUnitsMax + 1 } },
  });
});

test("the store and the watchers learn of what differs, and of nothing else", () => {
  const [a, b, c] = [message("a"), message("b"), message("c")];
  const snapshot = (waiting: readonly WaitingMessage[], isStored = true): RunSnapshot =>
    ({ record: { id: "run" as RunId }, waiting, isStored }) as unknown as RunSnapshot;
  const both = (before: RunSnapshot, next: readonly WaitingMessage[]): readonly unknown[] => [
    waitingWrites(before, snapshot(next)),
    waitingFeed(before, snapshot(next)),
  ];
  const told = (waiting: readonly WaitingMessage[]): unknown => ({ type: "waiting-changed", runId: "run", waiting });
  expect(both(snapshot([a, b]), [a, b])).toEqual([[], []]);
  const put = { type: "put-waiting", waiting: c };
  expect(both(snapshot([a, b]), [b, c])).toEqual([[{ type: "delete-waiting", id: "a" }, put], [told([b, c])]]);
  expect(both(snapshot([a, b]), [b, a])).toEqual([[], [told([b, a])]]);
  expect(both(snapshot([a]), [])).toEqual([[{ type: "delete-waiting", id: "a" }], [told([])]]);
  expect(both(snapshot([c], false), [c])).toEqual([[put], [told([c])]]);
  expect(both(snapshot([], false), [])).toEqual([[], []]);
});
