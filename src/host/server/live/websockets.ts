import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { refusal } from "../../../core/base/errors.ts";
import { LiveConnection, type ConnectionPorts } from "./live-connection.ts";
import { serverLimits } from "../http/server-limits.ts";

/** Every WebSocket of a server. */
export interface WebSockets {
  /** Takes over a request that may be upgraded; whether it may has been decided. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Serves a socket that is open. */
  attach(socket: WebSocket): void;
  readonly size: number;
  /** Tells every connection that the server stops, and ends it. */
  close(): void;
}

export function openWebSockets(ports: Omit<ConnectionPorts, "takeOver" | "introduced">): WebSockets {
  const { clock } = ports.workspace.platform;
  const connections = new Set<LiveConnection>();
  const connectionsByClient = new Map<string, LiveConnection>();
  const clientIds = new WeakMap<LiveConnection, string>();
  /** Connections whose clients have not said who they are. */
  const strangers = new Set<LiveConnection>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: serverLimits.frameBytesMax,
    maxFragments: serverLimits.fragmentsMax,
    perMessageDeflate: false,
  });

  const shared: ConnectionPorts = {
    ...ports,
    takeOver(clientId, connection) {
      // What the older one has sent and we have not read is not heard: the newer one sends it again.
      connectionsByClient.get(clientId)?.terminate(refusal("CONFLICT", { reason: "another page has this client id" }));
      connectionsByClient.set(clientId, connection);
      clientIds.set(connection, clientId);
    },
    introduced(connection) {
      strangers.delete(connection);
    },
  };

  let cancelPing = clock.setTimer(serverLimits.pingMs, pingAll);
  function pingAll(): void {
    for (const connection of connections) connection.checkAlive();
    cancelPing = clock.setTimer(serverLimits.pingMs, pingAll);
  }

  function attach(webSocket: WebSocket, stream: Duplex | null = null): void {
    const connection = new LiveConnection(webSocket, stream, shared);
    connections.add(connection);
    strangers.add(connection);
    webSocket.on("close", () => {
      if (!connections.delete(connection)) return;
      strangers.delete(connection);
      const clientId = clientIds.get(connection);
      if (clientId !== undefined && connectionsByClient.get(clientId) === connection)
        connectionsByClient.delete(clientId);
    });
  }

  /** Whoever says nothing must not keep out those who would: the one who came first goes. */
  function cutOffSilent(): void {
    for (const connection of strangers) {
      if (!connection.isSilent) continue;
      connections.delete(connection);
      strangers.delete(connection);
      connection.drop();
      return;
    }
  }

  return {
    accept(request, socket, head) {
      if (strangers.size >= serverLimits.strangersMax) cutOffSilent();
      if (connections.size >= serverLimits.connectionsMax || strangers.size >= serverLimits.strangersMax) {
        socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) => attach(webSocket, socket));
    },
    attach,
    get size() {
      return connections.size;
    },
    close() {
      cancelPing();
      for (const connection of connections) connection.terminate(refusal("SHUTTING_DOWN"));
      server.close();
    },
  };
}
