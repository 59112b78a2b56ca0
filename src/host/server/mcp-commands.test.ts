import { afterEach, beforeEach, expect, test } from "vitest";
import type { ReadCommand } from "../../core/protocol/read-command.ts";
import { readCommand } from "../../core/protocol/read-command.ts";
import { McpWorld, tool } from "../mcp-servers/mcp.test-support.ts";
import { performMcpCommand } from "./mcp-commands.ts";

let world: McpWorld;

beforeEach(async () => {
  world = await McpWorld.make();
});
afterEach(() => world.end());

type McpCommand = Parameters<typeof performMcpCommand>[1];

/** A command as it comes over the wire. */
function command(name: string, params: object = {}): McpCommand {
  const read = readCommand(name, params);
  if (!read.ok || !isMcp(read.value)) throw new Error(`${name} was not read`);
  return read.value;
}

function isMcp(read: ReadCommand): read is McpCommand {
  return read.name.startsWith("mcp.");
}

test("a workspace without a file of servers has none, and nothing to change", async () => {
  expect(await performMcpCommand(null, command("mcp.list"))).toEqual({ ok: true, value: { servers: [], file: null } });
  const refused = await performMcpCommand(null, command("mcp.reload"));
  expect(refused.ok ? "ok" : refused.error.code).toBe("NOT_FOUND");
});

test("servers are listed, switched, connected again and accepted; what is not there is refused", async () => {
  await world.write({ a: { command: "a" } });
  const servers = await world.open();
  const codeOf = async (name: string, params: object): Promise<string> => {
    const result = await performMcpCommand(servers, command(name, params));
    return result.ok ? "ok" : result.error.code;
  };
  expect(await performMcpCommand(servers, command("mcp.list"))).toMatchObject({
    value: { servers: [{ name: "a", status: { type: "ready" } }], file: { path: world.file, problems: [] } },
  });
  expect(await codeOf("mcp.set-enabled", { server: "a", enabled: false })).toBe("ok");
  expect(world.statusOf("a")).toBe("disabled");
  expect(await codeOf("mcp.set-enabled", { server: "a", enabled: true })).toBe("ok");
  await world.settle();
  expect(await codeOf("mcp.reload", {})).toBe("ok");
  expect(await codeOf("mcp.reload", { server: "a" })).toBe("ok");
  await world.settle();
  expect(world.at("a").connections).toBe(3);
  expect(await codeOf("mcp.reload", { server: "b" })).toBe("NOT_FOUND");
  expect(await codeOf("mcp.set-enabled", { server: "__proto__", enabled: true })).toBe("NOT_FOUND");

  world.at("a").tools = [tool("read", "Another.")];
  world.at("a").events?.onToolsChanged();
  await world.settle();
  const changed = servers.states()[0]?.tools[0]?.changed;
  expect(await codeOf("mcp.accept-tool", { server: "a", tool: "read", hash: "0".repeat(64) })).toBe("CONFLICT");
  expect(await codeOf("mcp.accept-tool", { server: "a", tool: "none", hash: "0".repeat(64) })).toBe("NOT_FOUND");
  expect(await codeOf("mcp.accept-tool", { server: "a", ...changed })).toBe("ok");
  expect(world.names()).toEqual(["a_read"]);
});
