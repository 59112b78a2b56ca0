// `heddle/client`: a connection to a Heddle server, from a browser or from Node. See docs/library/client.md.

export { connectHeddle } from "../client/connect.ts";
export type {
  ClientPlatform,
  ConnectionState,
  ConnectOptions,
  ConversationView,
  HeddleClient,
  Observable,
  TextReplica,
} from "../client/base/types.ts";
