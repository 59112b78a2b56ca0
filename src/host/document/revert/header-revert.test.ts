import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/base/json.ts";
import type { BlockChange, BlockHeader } from "../../../core/block/types.ts";
import { headerRevert } from "./header-revert.ts";

const metadata = (previous: JsonObject | undefined, now: JsonObject): BlockChange =>
  ({ body: { type: "metadata", metadata: now, ...(previous && { previous }) } }) as unknown as BlockChange;
const flags = (previous: object, now: object): BlockChange =>
  ({ body: { type: "flags", previous, ...now } }) as unknown as BlockChange;
const header = (now: JsonObject, shown: object = {}): BlockHeader =>
  ({ metadata: now, collapsed: false, excluded: false, ...shown }) as unknown as BlockHeader;

const rows = [
  metadata({ title: "Old", kept: 1 }, { title: "New", kept: 1, added: [1] }),
  metadata({ title: "New", kept: 1, added: [1] }, { title: "Newest", added: [1] }),
];

test("a turn's metadata is taken back to what was before its first change, and set again as after its last", () => {
  const after = { title: "Newest", added: [1], other: true };
  const [undone] = headerRevert(rows, header(after), "undoes");
  expect(undone).toEqual({ type: "metadata", metadata: { title: "Old", kept: 1, other: true } });
  expect(headerRevert(rows, header({ title: "Old", kept: 1, other: true }), "redoes")).toEqual([
    { type: "metadata", metadata: after },
  ]);
});

test("a value that somebody has changed since stays", () => {
  expect(headerRevert(rows, header({ title: "Mine", added: [2], kept: 2 }), "undoes")).toEqual([]);
  expect(headerRevert(rows, header({ title: "Mine", added: [1] }), "undoes")).toEqual([
    { type: "metadata", metadata: { title: "Mine", kept: 1 } },
  ]);
});

test("what the turn left as it was is nothing to take back", () => {
  const back = [metadata({ title: "Old" }, { title: "New" }), metadata({ title: "New" }, { title: "Old" })];
  expect(headerRevert(back, header({ title: "Old" }), "undoes")).toEqual([]);
  expect(headerRevert([metadata({ kept: 1 }, { kept: 1 })], header({ kept: 1 }), "undoes")).toEqual([]);
});

test("changes that note no value before are not the turn's to take back", () => {
  expect(headerRevert([metadata(undefined, { title: "New" })], header({ title: "New" }), "undoes")).toEqual([]);
  expect(headerRevert([{ body: { type: "text" } } as unknown as BlockChange], header({}), "undoes")).toEqual([]);
});

test("flags are taken back and set again beside the metadata", () => {
  const row = flags({ collapsed: false, excluded: true }, { collapsed: true, excluded: false });
  expect(headerRevert([row], header({}, { collapsed: true }), "undoes")).toEqual([
    { type: "flags", collapsed: false, excluded: true },
  ]);
  expect(headerRevert([row], header({}, { excluded: true }), "redoes")).toEqual([
    { type: "flags", collapsed: true, excluded: false },
  ]);
  expect(headerRevert([row], header({}, { collapsed: true, excluded: true }), "undoes")).toEqual([
    { type: "flags", collapsed: false, excluded: true },
  ]);
  expect(headerRevert([row], header({}), "redoes")).toEqual([{ type: "flags", collapsed: true, excluded: false }]);
});
