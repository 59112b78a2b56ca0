import { frameBytesMax } from "../../../core/protocol/base/limits.ts";

/** Limits on what one client can cost, in the units of their names. */
export const serverLimits = {
  frameBytesMax,
  /** Fragments of one frame. */
  fragmentsMax: 128,
  /** How long a socket may wait before its hello. */
  helloMs: 5000,
  /** How much unread data a client may have, besides one snapshot, before it is cut off. */
  sendBytesMax: 4 * 1024 * 1024,
  /** How much may wait to be sent when the client's next join is prepared. */
  joinBytesMax: 256 * 1024,
  /** How much is gathered into one frame for a client, in UTF-16 units. */
  frameUnitsGathered: 1024 * 1024,
  /** Unreadable frames before the connection ends. */
  malformedFramesMax: 3,
  /** Sustained rate and burst of messages of one connection; beyond it the server pauses reading. */
  messagesPerSecond: 400,
  messagesBurst: 1200,
  bytesPerSecond: 2 * 1024 * 1024,
  bytesBurst: 8 * 1024 * 1024,
  /** Blocks and conversations that one connection watches. */
  watchesMax: 256,
  /** Unanswered commands of one connection. */
  callsMax: 64,
  connectionsMax: 4096,
  /** Sockets before their hello. */
  unidentifiedMax: 64,
  /** Interval of pings; a connection that has not answered by the next ping is dropped. */
  pingMs: 20_000,
  /** How long a close may take before the socket is dropped. */
  closeMs: 2000,
  /** How long a connection that was refused may stay open. */
  graceMs: 2000,
  /** Connections without a valid token: in total, and from one address. The oldest is disconnected for a further one. */
  strangersMax: 512,
  strangersOfAddressMax: 128,
  /** Requests of one connection, and of all connections of an address that have no valid token. */
  requestRate: { perSecond: 400, burst: 1200 },
  strangerRate: { perSecond: 100, burst: 600, debtMax: 300 },
  /** What a connection that sends requests without awaiting its answers costs its address, in requests. */
  pipeliningCost: 60,
  /** How long a request beyond its rate waits; if it would wait longer, it is refused. */
  requestWaitMs: 2000,
  /** How long a client may leave an answer unread, and how often that is looked at. */
  unreadMs: 10_000,
  lookMs: 1000,
  /** Bytes of the app's files that are kept in memory. */
  appBytesMax: 32 * 1024 * 1024,
  headersMs: 6000,
  requestMs: 30_000,
  headerBytesMax: 8 * 1024,
  bodyBytesMax: frameBytesMax,
  /** Largest accepted image or file. */
  blobBytesMax: 20 * 1024 * 1024,
} as const;
