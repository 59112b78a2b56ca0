import { frameBytesMax } from "../../../core/protocol/base/limits.ts";

/** Bounds of what one client can cost, in the units that the names end with. */
export const serverLimits = {
  frameBytesMax,
  /** Fragments of one frame. */
  fragmentsMax: 128,
  /** How long a socket may stay without saying who it is. */
  helloMs: 5000,
  /** What one client has not read yet before it is cut off, beside one snapshot. */
  sendBytesMax: 4 * 1024 * 1024,
  /** What may wait to be sent when the next thing that a client joins is made ready for it. */
  joinBytesMax: 256 * 1024,
  /** How much is gathered into one frame to a client, in UTF-16 units. */
  frameUnitsGathered: 1024 * 1024,
  /** Frames that could not be read before the connection ends. */
  malformedFramesMax: 3,
  /** Sustained rate and burst of messages of one connection; beyond it we stop reading for a moment. */
  messagesPerSecond: 400,
  messagesBurst: 1200,
  bytesPerSecond: 2 * 1024 * 1024,
  bytesBurst: 8 * 1024 * 1024,
  /** Blocks and conversations that one connection watches. */
  watchesMax: 256,
  /** Commands of one connection that have no answer yet. */
  callsMax: 64,
  connectionsMax: 4096,
  /** Sockets that have not said who they are. */
  strangersMax: 64,
  /** How often we ask whether a connection is there; it is given up when it has not answered by the next time. */
  pingMs: 20_000,
  /** How long closing may take before a socket is simply dropped. */
  closeMs: 2000,
  headersMs: 8000,
  requestMs: 30_000,
  headerBytesMax: 8 * 1024,
  bodyBytesMax: frameBytesMax,
  /** Largest image or file that is taken. */
  blobBytesMax: 20 * 1024 * 1024,
} as const;
