import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { serveBench } from "./child.ts";

// The minimum for a server: a message from one client of a room goes unchanged to all. Nothing is stored.

const rooms = Array.from({ length: Number(process.argv[2]) }, (_, room) => `room-${room}`);
const clientsByPath = new Map<string, Set<WebSocket>>();
const http = createServer();
new WebSocketServer({ server: http, perMessageDeflate: false }).on("connection", (socket, request) => {
  const path = request.url ?? "/";
  const clients = clientsByPath.get(path) ?? new Set();
  clientsByPath.set(path, clients.add(socket));
  socket.on("message", (data: Buffer) => {
    for (const client of clients) client.send(data);
  });
  socket.on("close", () => clients.delete(socket));
});
http.listen(0, "127.0.0.1", () => {
  serveBench({ port: (http.address() as AddressInfo).port, rooms, token: "" }, async () => http.closeAllConnections());
});
