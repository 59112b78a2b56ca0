// `heddle`: a workspace and its server inside a program of your own. See docs/library/heddle.md.

export { openFolderBlobs } from "../adapters/blobs/folder-blobs.ts";
export { mcpConnector } from "../adapters/mcp/connect.ts";
export { buildCatalogue } from "../adapters/providers/catalogue.ts";
export { openMemoryStore } from "../adapters/storage/memory/open-memory-store.ts";
export { openPostgresStore } from "../adapters/storage/postgres/open-postgres-store.ts";
export { openSqliteStore } from "../adapters/storage/sqlite/open-sqlite-store.ts";
export { StoreOpenError } from "../adapters/storage/shared/store-error.ts";
export type { Refusal } from "../core/base/errors.ts";
export type { BlockId, RootId, RunId } from "../core/base/ids.ts";
export type { Result } from "../core/base/result.ts";
export type { BlobStore } from "../core/port/blobs.ts";
export type { Platform } from "../core/port/platform.ts";
export type { Store } from "../core/port/store.ts";
export { appFolder } from "../host/cli/base/package-root.ts";
export type { ConversationWatcher } from "../host/conversation/base/types.ts";
export { openMcpServers } from "../host/mcp-servers/mcp-servers.ts";
export { paceOf } from "../host/base/pace.ts";
export { systemPlatform } from "../adapters/platform/system-platform.ts";
export { personNamed } from "../host/base/people.ts";
export { startServer } from "../host/server/server.ts";
export type { HeddleServer } from "../host/server/server.ts";
export { openWorkspace } from "../host/workspace/workspace.ts";
export type { Workspace } from "../host/workspace/workspace.ts";
