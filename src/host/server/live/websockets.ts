import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { BlockHeader } from "../../../core/block/types.ts";
import { refusal } from "../../../core/base/errors.ts";
import { LiveConnection, type ConnectionPorts } from "./live-connection.ts";
import type { SignedIn } from "../../access/signed-in.ts";
import { Inboxes } from "./inbox.ts";
import { TimeShares } from "./time-shares.ts";
import { endSocket } from "../http/end-socket.ts";
import { serverLimits } from "../http/server-limits.ts";

/** All WebSockets of a server. */
export interface WebSockets {
  /** Upgrades a request that has been authorised. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, signedIn?: SignedIn | null): void;
  /** Applies changed rights to every connection, at once. */
  rightsChanged(): void;
  /** Ends the connections of a session. */
  sessionEnded(sessionId: string): void;
  /** Serves an open socket. */
  attach(socket: WebSocket): void;
  readonly size: number;
  /** Notifies every connection that the server stops, and ends it. */
  close(): void;
}

const socketOptions = {
  noServer: true,
  clientTracking: false,
  maxPayload: serverLimits.frameBytesMax,
  maxFragments: serverLimits.fragmentsMax,
  perMessageDeflate: false,
};

export function openWebSockets(
  ports: Omit<ConnectionPorts, "takeOver" | "introduced" | "closed" | "shares" | "inboxes">,
): WebSockets {
  const { clock } = ports.workspace.platform;
  const connections = new Set<LiveConnection>();
  const connectionsByClient = new Map<string, LiveConnection>();
  /** Connections before their hello. */
  const unidentified = new Set<LiveConnection>();
  const server = new WebSocketServer(socketOptions);

  const shared: ConnectionPorts = {
    ...ports,
    takeOver(clientId, connection) {
      // Unread messages of the older connection are ignored: the newer one sends them again.
      connectionsByClient.get(clientId)?.terminate(refusal("CONFLICT", { reason: "another page has this client id" }));
      connectionsByClient.set(clientId, connection);
      connection.clientKey = clientId;
    },
    introduced(connection) {
      unidentified.delete(connection);
    },
    closed(connection) {
      if (!connections.delete(connection)) return;
      unidentified.delete(connection);
      const { clientKey } = connection;
      if (clientKey !== null && connectionsByClient.get(clientKey) === connection)
        connectionsByClient.delete(clientKey);
    },
    shares: TimeShares.of(ports.workspace.hub),
    inboxes: new Inboxes(),
  };

  const moved = (header: BlockHeader): void => {
    for (const connection of connections) connection.moved(header);
  };
  const stopMoves = ports.isTeam ? ports.workspace.hub.feeds.files.subscribe(moved) : () => undefined;

  let cancelPing = clock.setTimer(serverLimits.pingMs, pingAll);
  function pingAll(): void {
    for (const connection of connections) connection.checkAlive();
    cancelPing = clock.setTimer(serverLimits.pingMs, pingAll);
  }

  function attach(webSocket: WebSocket, stream: Duplex | null = null, signedIn: SignedIn | null = null): void {
    const connection = new LiveConnection(webSocket, stream, shared, signedIn);
    connections.add(connection);
    unidentified.add(connection);
  }

  return {
    accept(request, socket, head, signedIn = null) {
      if (unidentified.size >= serverLimits.unidentifiedMax) cutOffSilent(connections, unidentified);
      if (connections.size >= serverLimits.connectionsMax || unidentified.size >= serverLimits.unidentifiedMax) {
        endSocket(socket, clock, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) => attach(webSocket, socket, signedIn));
    },
    attach: (webSocket) => attach(webSocket),
    rightsChanged() {
      for (const connection of connections) connection.rightsChanged();
    },
    sessionEnded(sessionId) {
      for (const connection of connections) connection.sessionEnded(sessionId);
    },
    get size() {
      return connections.size;
    },
    close() {
      cancelPing();
      stopMoves();
      for (const connection of connections) connection.terminate(refusal("SHUTTING_DOWN"));
      server.close();
    },
  };
}

/** Drops the oldest silent connection, so that silent clients do not keep out others. */
function cutOffSilent(connections: Set<LiveConnection>, unidentified: Set<LiveConnection>): void {
  for (const connection of unidentified) {
    if (!connection.isSilent) continue;
    connections.delete(connection);
    unidentified.delete(connection);
    connection.drop();
    return;
  }
}
