import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { serverLimits } from "../http/server-limits.ts";
import { Sender } from "./sender.ts";
import { openWebSockets } from "./websockets.ts";

/** A socket whose other side says nothing, and whose end is not told at once. */
class SilentSocket extends EventEmitter {
  readyState = 1;
  bufferedAmount = 0;
  isEnded = false;
  terminate = (): void => void (this.isEnded = true);
}

test("the oldest silent connection makes room for a new one at once, before its socket has closed", () => {
  const workspace = { platform: { clock: simulatedClock() }, hub: { onSpent: () => {} } };
  const ports = { workspace, sender: new Sender() };
  const webSockets = openWebSockets(ports as unknown as Parameters<typeof openWebSockets>[0]);
  const silent = Array.from({ length: serverLimits.unidentifiedMax }, () => new SilentSocket());
  for (const socket of silent) webSockets.attach(socket as unknown as WebSocket);
  expect(webSockets.size).toBe(serverLimits.unidentifiedMax);
  const request = Object.assign(new EventEmitter(), { method: "GET", headers: {}, url: "/ws" });
  webSockets.accept(request as unknown as IncomingMessage, new PassThrough(), Buffer.alloc(0));
  expect(silent.map(({ isEnded }) => isEnded)).toEqual(silent.map((_socket, index) => index === 0));
  expect(webSockets.size).toBe(serverLimits.unidentifiedMax - 1);
});
