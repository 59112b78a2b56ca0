// The only file that imports the MCP server package, which the build bundles in its place.
export { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
export type { McpHttpHandler, ServerContext } from "@modelcontextprotocol/server";
