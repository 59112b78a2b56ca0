import { unreachable } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ReadCommand } from "../../core/protocol/read-command.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";

type McpCommand = Extract<ReadCommand, { readonly name: `mcp.${string}` }>;

/** Carries out what a person asks of the servers of tools; null: this workspace has no file of servers. */
export async function performMcpCommand(
  servers: McpServers | null,
  command: McpCommand,
): Promise<Result<object, Refusal>> {
  if (servers === null) {
    return command.name === "mcp.list"
      ? ok({ servers: [], file: null })
      : err(refusal("NOT_FOUND", {}, "This workspace has no file of MCP servers."));
  }
  switch (command.name) {
    case "mcp.list":
      return ok({ servers: servers.states(), file: servers.file() });
    case "mcp.set-enabled":
      return nothing(await servers.setEnabled(command.params.server, command.params.enabled));
    case "mcp.reload":
      return nothing(await servers.reload(command.params.server));
    case "mcp.accept-tool": {
      const { server, tool, hash } = command.params;
      return nothing(await servers.acceptTool(server, tool, hash));
    }
    default:
      return unreachable(command);
  }
}

function nothing(result: Result<void, Refusal>): Result<object, Refusal> {
  return result.ok ? ok({}) : result;
}
