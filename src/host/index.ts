// `heddle`: a workspace and its server inside a program of one's own.

export { openWorkspace } from "./workspace.ts";
export type { CanvasSummary, Workspace, WorkspaceOptions } from "./workspace.ts";
export { startServer } from "./server/server.ts";
export type { HeddleServer, ServerOptions } from "./server/server.ts";
export { appFolder } from "./cli/package-root.ts";
export { personNamed } from "./server/people.ts";
export { createLogger, systemPlatform } from "./platform.ts";
export type { LogLevel } from "./platform.ts";
export { paceOf } from "./pace.ts";

export { openMemoryStore } from "../adapters/storage/memory/open-memory-store.ts";
export type { MemoryStore, MemoryStoreOptions } from "../adapters/storage/memory/open-memory-store.ts";
export { openPostgresStore } from "../adapters/storage/postgres/open-postgres-store.ts";
export type { PostgresStoreOptions } from "../adapters/storage/postgres/open-postgres-store.ts";
export type { PostgresAddress } from "../adapters/storage/postgres/connection.ts";
export { openSqliteStore } from "../adapters/storage/sqlite/open-sqlite-store.ts";
export type { SqliteStoreOptions } from "../adapters/storage/sqlite/open-sqlite-store.ts";
export { StoreOpenError } from "../adapters/storage/sqlite/store-error.ts";
export type { StoreOpenCode } from "../adapters/storage/sqlite/store-error.ts";
export { openFolderBlobs } from "../adapters/blobs/folder-blobs.ts";
export type { FolderBlobsOptions } from "../adapters/blobs/folder-blobs.ts";
export { openMemoryBlobs } from "../adapters/blobs/memory-blobs.ts";
export { buildCatalogue } from "../adapters/providers/catalogue.ts";
export type { ProviderConfig, ProviderDeps } from "../adapters/providers/catalogue.ts";
export { scriptedModel } from "../adapters/providers/scripted.ts";
export type { Script } from "../adapters/providers/scripted.ts";

export { mcpConnector } from "../adapters/mcp/connect.ts";
export { RunningPrograms } from "../adapters/mcp/running-programs.ts";
export { openMcpServers } from "./mcp-servers/mcp-servers.ts";
export type { McpServers, McpServersOptions } from "./mcp-servers/mcp-servers.ts";

export type { Agents } from "./agents.ts";
export type { RunRules } from "./conversation/conversation-ports.ts";
export type {
  ApprovalAnswer,
  Approvals,
  ContinuedRun,
  Conversations,
  ConversationView,
  ConversationWatcher,
  NewConversation,
  NewMessage,
  NewMessages,
  QuestionAnswer,
  RuleChange,
  SentMessage,
} from "./conversation/types.ts";
export type {
  AcceptedChange,
  Author,
  BlockReading,
  BlockWatcher,
  EditOptions,
  NewBlock,
  TurnUndo,
} from "./document/types.ts";
export type { DocumentHub } from "./document/hub.ts";
export type { LeaseKeeper, LeaseStanding } from "./lease/types.ts";

// What a program that embeds Heddle names most; `heddle/core` has the rest.
export { err, ok } from "../core/base/result.ts";
export type { Result } from "../core/base/result.ts";
export type { Actor, PersonActor } from "../core/base/actor.ts";
export type { Refusal } from "../core/base/errors.ts";
export type { BlockId, NodeId, RootId, RunId, TurnId } from "../core/base/ids.ts";
export type { Message } from "../core/message/types.ts";
export { noUsage } from "../core/message/usage.ts";
export type { ModelRequest } from "../core/model/request.ts";
export type { StreamPart } from "../core/model/stream-part.ts";
export type { LanguageModel, ModelCatalogue, ModelInfo } from "../core/port/language-model.ts";
export type { Clock, Logger, Platform, Random } from "../core/port/platform.ts";
export type { Store } from "../core/port/store.ts";
export type {
  ConnectToolServer,
  ServerCall,
  ToolServer,
  ToolServerEvents,
  ToolServerFailure,
  ToolServerTarget,
  ToolServerTimes,
} from "../core/port/tool-server.ts";
export type { ServerContent, ServerResult, ServerTool } from "../core/tool/server-tool.ts";
export type { FeedRecord, RunStatus } from "../core/turn/feed.ts";
export { isAtRest } from "../core/turn/precheck.ts";
