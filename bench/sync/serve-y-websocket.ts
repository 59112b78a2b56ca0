import { createServer, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { WebSocket, WebSocketServer as Server } from "ws";
import { serveBench } from "./child.ts";

// y-websocket's own server, in memory.

const require = createRequire(fileURLToPath(new URL("../peers/package.json", import.meta.url)));
const { WebSocketServer } = require("ws") as { WebSocketServer: typeof Server };
const { setupWSConnection } = require("y-websocket/bin/utils") as {
  readonly setupWSConnection: (socket: WebSocket, request: IncomingMessage) => void;
};

const rooms = Array.from({ length: Number(process.argv[2]) }, (_, room) => `room-${room}`);
const http = createServer();
new WebSocketServer({ server: http }).on("connection", (socket, request) => setupWSConnection(socket, request));
http.listen(0, "127.0.0.1", () => {
  serveBench({ port: (http.address() as AddressInfo).port, rooms, token: "" }, async () => http.closeAllConnections());
});
