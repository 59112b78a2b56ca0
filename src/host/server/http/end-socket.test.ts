import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { endSocket } from "./end-socket.ts";
import { serverLimits } from "./server-limits.ts";

test("a socket whose peer never reads is destroyed after the grace, not before", async () => {
  const clock = simulatedClock();
  const socket = new PassThrough({ highWaterMark: 1 });
  endSocket(socket, clock, "HTTP/1.1 408 Request Timeout\r\n\r\n");
  await clock.advance(serverLimits.graceMs - 1);
  expect(socket.destroyed).toBe(false);
  await clock.advance(1);
  expect(socket.destroyed).toBe(true);
});

test("a socket that closes by itself leaves no timer", async () => {
  const clock = simulatedClock();
  const socket = new PassThrough();
  endSocket(socket, clock, "bye");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  expect(await socket.toArray()).toEqual([Buffer.from("bye")]);
  await closed;
  expect(clock.timers).toBe(0);
});

test("a socket that fails while it sends its last bytes is destroyed at once", () => {
  const socket = new PassThrough();
  endSocket(socket, simulatedClock(), "bye");
  socket.emit("error", new Error("reset by the peer"));
  expect(socket.destroyed).toBe(true);
});
