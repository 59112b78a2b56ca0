import { expect, test } from "vitest";
import type { UpMessage } from "./base/messages.ts";
import { readUpMessage } from "./read-up-message.ts";

const hello = {
  type: "hello",
  protocol: 1,
  schemaHash: "12345678",
  token: "secret",
  clientId: "0123456789abcdef",
};

const wellFormed: Record<UpMessage["type"], object> = {
  hello,
  "watch-workspace": { type: "watch-workspace" },
  "watch-list": { type: "watch-list", list: { of: "canvases", filter: "plan", count: 100 } },
  "unwatch-list": { type: "unwatch-list", list: { of: "conversation", id: "root_01" } },
  "watch-conversation": { type: "watch-conversation", rootId: "root_1", afterSeq: 0 },
  "unwatch-conversation": { type: "unwatch-conversation", rootId: "root_1" },
  "watch-block": { type: "watch-block", blockId: "doc/1/2", afterVersion: 12 },
  "unwatch-block": { type: "unwatch-block", blockId: "doc/1/2" },
  push: { type: "push", requestId: "r1", blockId: "doc/1/2", update: "AAAA" },
  call: { type: "call", requestId: "r2", command: "models.list", params: { deep: [1] } },
  presence: { type: "presence", blockId: "doc/1/2", selection: { anchor: 3, head: 1 } },
  look: { type: "look", seen: true },
  ping: { type: "ping" },
};

test.each(Object.entries(wellFormed))("%s is read unchanged", (_type, message) => {
  expect(readUpMessage(message)).toEqual({ ok: true, value: message });
});

test("keys that no schema names are dropped, including a prototype", () => {
  const read = readUpMessage(JSON.parse('{"type":"ping","__proto__":{"admin":true},"constructor":{"prototype":1}}'));
  expect(read).toEqual({ ok: true, value: { type: "ping" } });
  expect(read.ok && "admin" in read.value).toBe(false);
});

test.each([
  ["null", null],
  ["a number", 7],
  ["a string", "ping"],
  ["an empty array", []],
  ["an array of messages", [{ type: "ping" }]],
  ["no type", {}],
  ["33: an unknown type", { type: "shutdown" }],
  ["a type of another kind", { type: ["ping"] }],
  ["a hello without a token", { ...hello, token: undefined }],
  ["a hello with a short client id", { ...hello, clientId: "short" }],
  ["a hello with a client id of foreign characters", { ...hello, clientId: "0123456789abcde/" }],
  ["38: a version beyond what JSON carries exactly", { ...hello, protocol: 2 ** 53 }],
  ["38: an infinite position", { type: "watch-block", blockId: "doc/1/2", afterVersion: JSON.parse("1e400") }],
  ["38: minus zero as a position", { type: "watch-conversation", rootId: "root_1", afterSeq: -0 }],
  ["a fraction as a position", { type: "watch-conversation", rootId: "root_1", afterSeq: 0.5 }],
  ["a negative position", { type: "watch-conversation", rootId: "root_1", afterSeq: -1 }],
  ["38: a number as an id", { type: "unwatch-block", blockId: 12 }],
  ["an id with a line break", { type: "unwatch-block", blockId: "doc/1/2\n" }],
  ["an id that is too long", { type: "unwatch-block", blockId: "x".repeat(201) }],
  ["an empty update", { type: "push", requestId: "r1", blockId: "doc/1/2", update: "" }],
  ["a request id with blanks", { type: "push", requestId: "r 1", blockId: "doc/1/2", update: "AAAA" }],
  ["a selection without a head", { type: "presence", blockId: "doc/1/2", selection: { anchor: 1 } }],
])("%s is refused as malformed", (_name, json) => {
  const read = readUpMessage(json);
  expect(read.ok ? "read" : read.error.code).toBe("FRAME_MALFORMED");
});
