import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { PersonId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { folderPathKey } from "../../../core/rights/object-key.ts";
import type { WebSocket } from "ws";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { until } from "../../../testing/test-client.ts";
import { serverLimits } from "../http/server-limits.ts";
import { startTestTeam } from "../team.test-support.ts";
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

test("a connection that upgrades after the end is refused", () => {
  const workspace = { platform: { clock: simulatedClock() }, hub: { onSpent: () => {} } };
  const ports = { workspace, sender: new Sender() };
  const webSockets = openWebSockets(ports as unknown as Parameters<typeof openWebSockets>[0]);
  webSockets.close();
  const headers = {
    upgrade: "websocket",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-websocket-version": "13",
  };
  const request = Object.assign(new EventEmitter(), { method: "GET", headers, url: "/ws" });
  const socket = new PassThrough();
  webSockets.accept(request as unknown as IncomingMessage, socket, Buffer.alloc(0));
  expect(String(socket.read())).toMatch(/^HTTP\/1\.1 503 /);
  expect(webSockets.size).toBe(0);
});

test("whoever reads a document is told when it is moved where they may not see it", async () => {
  const team = await startTestTeam();
  const [ada, bob] = [team.connect("ada"), team.connect("bob")];
  try {
    await team.add("bob", "viewer");
    const hidden = { type: "inherits-set", object: folderPathKey("Board"), inherits: false } as const;
    await team.change({ ...hidden, by: "ada" as PersonId });
    const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
    const text = bob.openText(canvasId);
    await until(text.header, (header) => header !== null);
    accept(await ada.call("canvas.arrange", { canvasId, folderPath: "Board" }));
    await until(text.refused, (refused) => refused?.code === "BLOCK_NOT_FOUND", 5_000);
  } finally {
    for (const client of [ada, bob]) client.close();
    await team.server.close();
  }
});
