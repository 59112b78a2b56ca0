// `heddle/client`: a connection to a Heddle server, from a browser or from Node.

export { connectHeddle } from "./connect.ts";
export type {
  CanvasSummary,
  ClientPlatform,
  ConnectionState,
  ConnectOptions,
  ConversationView,
  HeddleClient,
  LeaseView,
  LiveBlock,
  Observable,
  PresenceView,
  RunView,
  SocketLike,
  SocketListener,
  TextOrigin,
  TextReplica,
  WorkspaceView,
} from "./types.ts";

// The types of `heddle/core` that callers of the client name most.
export type { Actor } from "../core/base/actor.ts";
export type { Refusal } from "../core/base/errors.ts";
export type { BlockId, NodeId, RequestId, RootId, RunId, TurnId } from "../core/base/ids.ts";
export type { Result } from "../core/base/result.ts";
export type { CommandAnswer, CommandName, CommandParams } from "../core/protocol/commands.ts";
export type { TextChange } from "../core/text/types.ts";
