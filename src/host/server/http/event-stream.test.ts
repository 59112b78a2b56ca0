import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import { EventStream } from "./event-stream.ts";

/** A stream for a token that is valid, or is no longer, and the bytes that it sends. */
function openStream(clock: SimulatedClock, isValid: boolean) {
  const bytes = new PassThrough();
  const response = Object.assign(bytes, {
    headersSent: false,
    writeHead: () => void (response.headersSent = true),
    flushHeaders: () => {},
  });
  const call = {
    response,
    stopping: new AbortController().signal,
    grant: { id: "token_1" },
    workspace: { tokens: { onEnded: () => () => {}, isValid: () => isValid } },
  };
  return { stream: new EventStream(call as never, clock), bytes };
}

test.each([true, false])(
  "a stream for a token that is valid (%s) when it begins sends accordingly",
  async (isValid) => {
    const { stream, bytes } = openStream(simulatedClock(), isValid);
    stream.send("patch", { text: "warp" }, 1);
    stream.end();
    const sent = Buffer.concat(await bytes.toArray()).toString();
    expect(sent).toContain(isValid ? "warp" : "UNAUTHENTICATED");
    expect(sent.includes("warp")).toBe(isValid);
  },
);

test("a stream gives signs of life until it ends", async () => {
  const clock = simulatedClock();
  const { stream, bytes } = openStream(clock, true);
  const wrote = vi.spyOn(bytes, "write").mockReturnValue(true);
  stream.begin();
  await clock.advance(30_000);
  expect(wrote.mock.calls).toEqual([[": still here\n\n"], [": still here\n\n"]]);
  stream.end();
  await clock.advance(30_000);
  expect(wrote).toHaveBeenCalledTimes(2);
});
