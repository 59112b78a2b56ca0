import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import { preparedAsked, preparedChangesOf, PreparedMessage } from "./down-frame.ts";
import { Sender, type FrameSink } from "./sender.ts";

function sink(): FrameSink & { readonly frames: Buffer[] } {
  const frames: Buffer[] = [];
  return { queued: null, frames, transmit: (frame) => frames.push(frame.payload) };
}

function message(text: string): PreparedMessage {
  return new PreparedMessage(text);
}

test("messages to one connection in one tick are one frame, in order", () => {
  const sender = new Sender();
  const reader = sink();
  for (const number of [1, 2, 3]) sender.send(reader, message(String(number)));
  sender.flush();
  sender.flush();
  expect(reader.frames.map(String)).toEqual(["[1,2,3]"]);
});

test("watchers of one block share the bytes of a frame; a connection with other messages has its own", () => {
  const sender = new Sender();
  const [one, two, other] = [sink(), sink(), sink()];
  const change = message('"change"');
  for (const reader of [one, two, other]) sender.send(reader, change);
  sender.send(other, message('"and more"'));
  sender.flush();
  expect(one.frames[0]).toBe(two.frames[0]);
  expect(one.frames).toHaveLength(1);
  expect(String(other.frames[0])).toBe('["change","and more"]');
});

test("a room's batch is serialised once, even if some watchers receive other messages in between", () => {
  const sender = new Sender();
  const room = Array.from({ length: 50 }, sink);
  const [first, accepted, second] = [message('"first change"'), message('"accepted"'), message('"second change"')];
  for (const reader of room) sender.send(reader, first);
  for (const reader of room.slice(0, 2)) sender.send(reader, accepted);
  for (const reader of room) sender.send(reader, second);
  sender.flush();
  expect(new Set(room.flatMap((reader) => reader.frames)).size).toBe(2);
  expect(String(room[0]?.frames[0])).toBe('["first change","accepted","second change"]');
  expect(String(room[2]?.frames[0])).toBe('["first change","second change"]');
});

test("a change is serialised once, however many watch", () => {
  const change = {
    blockId: "doc/1/1",
    version: 2,
    body: { type: "text", update: Uint8Array.of(1), spans: [], unit: { id: "u" } },
  } as unknown as BlockChange;
  const changes = [change];
  const { each, together } = preparedChangesOf(changes);
  expect(together).toBe(each[0]);
  expect(preparedChangesOf(changes).together).toBe(together);
  expect(JSON.parse(together?.text ?? "")).toMatchObject({
    type: "block-change",
    change: { body: { update: "AQ==" } },
  });
});

test("only the requester of a change sees its request id; the rest is the same for all", () => {
  const change = {
    blockId: "doc/1/1",
    version: 2,
    requestId: "client/r",
    body: { type: "text", update: Uint8Array.of(1), spans: [], unit: { id: "u" } },
  } as unknown as BlockChange;
  const message = must(preparedChangesOf([change]).each[0], "a change has its message");
  const sent = JSON.parse(message.text) as { readonly change: object };
  expect(sent.change).not.toHaveProperty("requestId");
  expect(JSON.parse(preparedAsked(message, 'r"').text)).toEqual({
    ...sent,
    change: { ...sent.change, requestId: 'r"' },
  });
});

test("the queue of a closed connection is not sent", () => {
  const sender = new Sender();
  const reader = sink();
  sender.send(reader, message("1"));
  sender.drop(reader);
  sender.flush();
  expect(reader.frames).toEqual([]);
});

test("frames are sent by themselves at the end of the tick", async () => {
  const sender = new Sender();
  const reader = sink();
  sender.send(reader, message("1"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(reader.frames.map(String)).toEqual(["[1]"]);
});

test("a large tick is split into frames below the longest string", () => {
  const sender = new Sender();
  const reader = sink();
  const long = JSON.stringify("x".repeat(700_000));
  for (const text of ["1", long, "2", long, "3"]) sender.send(reader, message(text));
  sender.flush();
  expect(reader.frames.map((frame) => frame.length)).toEqual([700_008, 700_006]);
  expect(reader.frames.flatMap((frame) => JSON.parse(String(frame)) as unknown[])).toHaveLength(5);
});

test("changes made together are one message to all who know their replicas and asked for none of them", () => {
  const made = (version: number, replica: number, requestId: string) =>
    ({
      blockId: "doc/1/1",
      version,
      requestId,
      body: { type: "text", update: Uint8Array.of(1), spans: [{ replica, seq: 0, length: 1 }], unit: { id: "u" } },
    }) as unknown as BlockChange;
  const changes = [made(2, 3, "a/1"), made(3, 4, "b/1")];
  const prepared = preparedChangesOf(changes);
  expect(prepared).toMatchObject({ replicas: [3, 4], requesters: ["a/", "b/"] });
  expect(preparedChangesOf(changes)).toBe(prepared);
  expect(prepared.together?.text).toBe(prepared.each.map(({ text }) => text).join(","));
  const large = { ...made(4, 3, "a/2"), actor: { name: "x".repeat(2_000_000) } } as unknown as BlockChange;
  expect(preparedChangesOf([large]).together).toBeNull();
});
