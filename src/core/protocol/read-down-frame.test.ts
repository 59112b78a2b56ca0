import { expect, test } from "vitest";
import type { BlockChange } from "../block/types.ts";
import { readDownFrame } from "./read-down-frame.ts";
import { fromWireChange, toWireChange } from "./base/wire-change.ts";

const change = {
  blockId: "doc/1/2",
  documentId: "doc",
  version: 4,
  actor: { type: "person", id: "person_1", name: "Ada" },
  at: 1,
  body: { type: "text", update: Uint8Array.of(1, 2, 255), spans: [], unit: { id: "u1" } },
} as unknown as BlockChange;

test("a change of a block survives the wire", () => {
  const frame = JSON.stringify([{ type: "block-change", change: toWireChange(change) }]);
  const message = readDownFrame(frame)?.[0];
  expect(message?.type === "block-change" && fromWireChange(message.change)).toEqual(change);
});

test("bytes that are not base64 give no change", () => {
  const wire = toWireChange(change);
  expect(wire.body.type === "text" && fromWireChange({ ...wire, body: { ...wire.body, update: "?" } })).toBeUndefined();
});

test("messages of an unknown type are skipped, the others of the frame are read", () => {
  expect(readDownFrame('[{"type":"hologram"},{"type":"pong"},{"type":"constructor"}]')).toEqual([{ type: "pong" }]);
});

test.each([
  ["no JSON", "["],
  ["an object", '{"type":"pong"}'],
  ["a list of something else", "[1]"],
  ["a known message without its fields", '[{"type":"pushed"}]'],
  ["a change without a version", '[{"type":"block-change","change":{"blockId":"b"}}]'],
  ["a refusal with a code that is not in the table", '[{"type":"terminated","refusal":{"code":"NOPE","message":""}}]'],
  ["a feed entry of an unknown body", '[{"type":"feed","record":{"rootId":"r","seq":1,"at":1,"body":{"type":"x"}}}]'],
])("a frame that is %s cannot be read", (_name, frame) => {
  expect(readDownFrame(frame)).toBeUndefined();
});
