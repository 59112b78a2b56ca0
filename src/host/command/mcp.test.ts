import { afterEach, beforeEach, expect, test } from "vitest";
import type { Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import { readCommand } from "../../core/protocol/read-command.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";
import { broken, McpWorld, tool } from "../mcp-servers/mcp.test-support.ts";
import type { CommandCall } from "./base/call.ts";
import { performMcp } from "./mcp.ts";

let world: McpWorld;

beforeEach(async () => {
  world = await McpWorld.make();
});
afterEach(() => world.end());

/** Performs a command as received over the wire. */
function perform(
  mcp: McpServers | null,
  name: keyof typeof performMcp,
  params: object = {},
): Promise<Result<unknown, Refusal>> {
  const read = readCommand(name, params);
  if (!read.ok) throw new Error(`${name} was not read`);
  // These commands only use the workspace's servers and blobs.
  const blobs = {
    put: async (bytes: Uint8Array) => ({ ok: true, value: { id: `blob-${bytes.length}`, size: bytes.length } }),
  };
  const call = { workspace: { mcp, blobs }, asking: {}, may: async () => true } as unknown as CommandCall<object>;
  return performMcp[name](call, read.value.params as never);
}

test("a workspace without a file of servers lists none, and refuses changes", async () => {
  expect(await perform(null, "mcp.list")).toEqual({ ok: true, value: { servers: [], file: null } });
  const refused = await perform(null, "mcp.reload");
  expect(refused.ok ? "ok" : refused.error.code).toBe("NOT_FOUND");
});

test("mcp commands list, switch, reload and accept, and refuse unknown servers and tools", async () => {
  await world.write({ a: { command: "a" } });
  const servers = await world.open();
  const codeOf = async (name: keyof typeof performMcp, params: object): Promise<string> => {
    const result = await perform(servers, name, params);
    return result.ok ? "ok" : result.error.code;
  };
  expect(await perform(servers, "mcp.list")).toMatchObject({
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

test("what servers offer to people is listed; a resource is copied to the blobs by what its bytes are, and a prompt filled in", async () => {
  await world.write({ a: { command: "a" }, b: { command: "b" }, off: { command: "off", enabled: false } });
  const servers = await world.open();
  world.at("a").offers = {
    resources: [{ uri: "notes://today", name: "Today", description: "", mediaType: "text/html" }],
    prompts: [{ name: "review", title: "Review", description: "", parameters: [] }],
  };
  world.at("a").contents = [{ uri: "notes://today", mediaType: "text/html", content: { text: "<b>warp</b>" } }];
  world.at("b").fails = broken;
  expect(await perform(servers, "mcp.offers")).toEqual({
    ok: true,
    value: { servers: [{ server: "a", ...world.at("a").offers }] },
  });
  const copied = { attachments: [{ blobId: "blob-11", size: 11, mediaType: "text/plain", name: "today" }] };
  expect(await perform(servers, "mcp.attach", { server: "a", uri: "notes://today" })).toEqual({
    ok: true,
    value: copied,
  });
  const prompt = { server: "a", prompt: "review", values: { change: "it" } };
  expect(await perform(servers, "mcp.prompt", prompt)).toEqual({
    ok: true,
    value: { text: 'review {"change":"it"}', ...copied },
  });
  const code = async (server: string, uri: string): Promise<string> => {
    const result = await perform(servers, "mcp.attach", { server, uri });
    return result.ok ? "ok" : result.error.code;
  };
  expect(await code("a", "notes://none")).toBe("TOOL_FAILED");
  expect(await code("b", "notes://today")).toBe("TOOL_FAILED");
  expect(await code("off", "notes://today")).toBe("TOOL_FAILED");
  expect(await code("c", "notes://today")).toBe("NOT_FOUND");
  world.at("a").contents = [{ uri: "notes://today", mediaType: "text/plain", content: { data: "AAECAw==" } }];
  expect(await code("a", "notes://today")).toBe("MEDIA_TYPE_REFUSED");
});
