import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { EventStream } from "./event-stream.ts";

test.each([true, false])(
  "a stream for a token that is valid (%s) when it begins sends accordingly",
  async (isValid) => {
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
    const clock = simulatedClock();
    const stream = new EventStream(call as never, clock);
    stream.send("patch", { text: "warp" }, 1);
    stream.end();
    const sent = Buffer.concat(await bytes.toArray()).toString();
    expect(sent).toContain(isValid ? "warp" : "UNAUTHENTICATED");
    expect(sent.includes("warp")).toBe(isValid);
  },
);
