import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ActorId, RootId, RunId, ToolCallId, TurnId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { noReach } from "../../core/tool/base/reach.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";
import type { ToolContext, ToolSource } from "../conversation/base/ports.ts";
import { McpWorld, tool } from "../mcp-servers/mcp.test-support.ts";
import { createServerTools } from "./server-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";

let world: McpWorld;
let tools: ToolSource;
const shown: string[] = [];

/** A source with one Heddle tool. */
const own: ToolSource = {
  definitions: () => [{ name: "block_edit", description: "Edits.", inputSchema: { type: "object" } }],
  prompt: () => "Edit with care.",
  facts: (name) =>
    name === "block_edit" ? { name, access: "write", reach: noReach, idempotent: false, definitionHash: "own" } : null,
  async run({ name }) {
    return name === "block_edit"
      ? { ok: true, content: { own: true } }
      : { ok: false, code: "UNKNOWN_TOOL", content: { ok: false } };
  },
};

const context: ToolContext = {
  rootId: "root" as RootId,
  runId: "run" as RunId,
  turnId: "turn-1" as TurnId,
  kind: "conversation",
  actor: {
    type: "model",
    id: "m" as ActorId,
    name: "m",
    model: "m/m",
    runId: "run" as RunId,
    turnId: "turn-1" as TurnId,
  },
  canvasId: null,
  folderId: null,
  progress: (text) => void shown.push(text),
};

beforeEach(async () => {
  world = await McpWorld.make();
  await world.write({ files: { command: "files" }, web: { command: "web" } });
  tools = new ToolRegistry([own, createServerTools(await world.open())]);
  shown.length = 0;
});
afterEach(() => world.end());

function names(turn?: string): readonly string[] {
  const { rootId, canvasId } = context;
  const turnId = turn === undefined ? {} : { turnId: turn as TurnId };
  return tools
    .definitions({ rootId, canvasId, folderId: null, kind: "conversation", ...turnId })
    .map(({ name }) => name);
}

function run(
  name: string,
  parameters: JsonObject = {},
  more: { turn?: string; signal?: AbortSignal; error?: string } = {},
) {
  const { turn = "turn-1", signal = new AbortController().signal, error } = more;
  const call = { id: "c" as ToolCallId, name, parameters, ...(error === undefined ? {} : { argumentsError: error }) };
  return tools.run(call, { ...context, turnId: turn as TurnId }, signal);
}

function textOf({ blocks, content }: ToolAnswer): string {
  return (
    (blocks ?? []).map((block) => (block.type === "text" ? block.text : block.type)).join() || JSON.stringify(content)
  );
}

describe("tools of MCP servers", () => {
  test("F-45 MCP tools are offered after Heddle's as server_tool, and answered with the server's text", async () => {
    expect(names()).toEqual(["block_edit", "files_read", "web_read"]);
    const parameters = { path: "$(rm -rf /)" };
    expect(await run("files_read", parameters)).toMatchObject({
      ok: true,
      blocks: [{ type: "text", text: "did read" }],
    });
    expect(world.at("files").calls[0]).toMatchObject({ tool: "read", parameters });
    // The arguments are sent only over the connection: the program was started once, exactly as configured.
    expect(world.at("files").targets).toMatchObject([{ command: "files", args: [] }]);
    expect((await run("block_edit")).content).toEqual({ own: true });
    expect((await run("files.read")).ok).toBe(true);
    expect(tools.prompt?.({ canvasId: null, folderId: null })).toBe("Edit with care.");
  });

  test("15.7 a native call that does not fit the tool's schema is told why, and never reaches the server", async () => {
    const at = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] };
    const inputSchema = { type: "object", properties: { at, note: { type: "string" } }, required: ["at"] };
    world.at("files").tools = [{ ...tool("read"), inputSchema }];
    world.at("files").events?.onToolsChanged();
    await world.settle();
    await world.servers.acceptTool("files", "read", await changedTool());
    const refused = async (parameters: JsonObject) => textOf(await run("files_read", parameters, { turn: "turn-9" }));
    expect(await refused({})).toContain("at is missing");
    expect(await refused({ at: { line: "many" } })).toContain("line");
    expect(await refused({ at: {} })).toContain("The call was not run");
    expect(world.at("files").calls).toEqual([]);
    const given = { at: { line: 3 }, note: null };
    expect((await run("files_read", given, { turn: "turn-9" })).ok).toBe(true);
    expect(world.at("files").calls[0]).toMatchObject({ parameters: given });
  });

  test("a server's progress of a running call is forwarded", async () => {
    const running = run("files_read");
    await world.settle();
    world.at("files").calls[0]?.progress("half\n");
    await running;
    expect(shown).toEqual(["half\n"]);
  });

  test("approvals use the server's description, and a changed description is a different tool", async () => {
    const before = tools.facts("files_read");
    expect(before).toMatchObject({
      name: "files_read",
      access: "write",
      idempotent: false,
      reach: { readsPrivate: true, bringsUntrusted: true, outward: true },
    });
    expect(tools.facts("block_edit")?.definitionHash).toBe("own");
    expect(tools.facts("nothing")).toBeNull();
    expect(tools.facts("files_read")?.idempotent).toBe(false);
    world.at("files").tools = [tool("read", "Other.", { readOnly: true })];
    const state = await changedTool();
    await world.servers.acceptTool("files", "read", state);
    expect(tools.facts("files_read")).toMatchObject({ access: "read", idempotent: true });
    expect(tools.facts("files_read")?.definitionHash).not.toBe(before?.definitionHash);
  });

  test("TR6 a turn keeps the tools it began with; the next turn has the current ones", async () => {
    expect(names("turn-1")).toHaveLength(3);
    world.at("web").tools = [];
    world.at("files").tools.push(tool("write"));
    for (const name of ["web", "files"]) world.at(name).events?.onToolsChanged();
    await world.settle();
    expect(names("turn-1")).toEqual(["block_edit", "files_read", "web_read"]);
    expect(names("turn-2")).toEqual(["block_edit", "files_read", "files_write"]);
    expect(names("turn-1")).toEqual(["block_edit", "files_read", "web_read"]);
    // A tool that was not offered cannot be called; an offered one goes to the server, which decides.
    expect((await run("files_write")).code).toBe("UNKNOWN_TOOL");
    expect((await run("files_write", {}, { turn: "turn-2" })).ok).toBe(true);
    await run("web_read");
    expect(world.at("web").calls).toHaveLength(1);
    // Its results are in the conversation and are judged by the tool as it was offered.
    expect(tools.facts("web_read")?.reach.bringsUntrusted).toBe(true);
  });

  test("a turn waits for starting servers and stops waiting when it is aborted", async () => {
    world.at("slow").refuses = "hangs";
    await world.write({ slow: { command: "slow" } });
    await world.servers.look();
    const stopping = new AbortController();
    let isReady = false;
    const ready = tools
      .ready?.(stopping.signal, { ...context, folderId: null, kind: "conversation" })
      .then(() => (isReady = true));
    await world.settle();
    expect(isReady).toBe(false);
    stopping.abort();
    await ready;
    expect(isReady).toBe(true);
  });

  test("20 a sub-agent is offered no MCP tools, and its call of one is refused", async () => {
    expect(names()).toContain("files_read");
    const { rootId, canvasId } = context;
    const offer = { rootId, canvasId, folderId: null, kind: "sub-agent", turnId: context.turnId } as const;
    expect(tools.definitions(offer).map(({ name }) => name)).toEqual(["block_edit"]);
    const call = { id: "c" as ToolCallId, name: "files_read", parameters: {} };
    const answer = await tools.run(call, { ...context, kind: "sub-agent" }, new AbortController().signal);
    expect(answer.code).toBe("UNKNOWN_TOOL");
    expect(world.at("files").calls).toEqual([]);
  });

  test("an unknown tool name is answered with the existing names", async () => {
    const answer = await run("files_raed");
    expect(answer.code).toBe("UNKNOWN_TOOL");
    expect(JSON.stringify(answer.content)).toContain("Did you mean files_read?");
    expect(JSON.stringify(answer.content)).toContain("block_edit");
  });

  test("a call with invalid arguments, or an aborted call, does not reach a server", async () => {
    expect((await run("files_read", {}, { error: "Unexpected end" })).code).toBe("TOOL_ARGUMENTS_INVALID");
    expect((await run("files_read", {}, { signal: AbortSignal.abort() })).ok).toBe(false);
    expect(world.at("files").calls).toEqual([]);
  });

  test("a failing server gives an error answer, and the next call of another server runs", async () => {
    world.at("files").fails = { type: "closed", message: "it exited with code 3", retryable: true };
    const failed = await run("files_read");
    expect(failed).toMatchObject({ ok: false, code: "TOOL_FAILED" });
    expect(textOf(failed)).toContain("it exited with code 3");
    expect((await run("web_read")).ok).toBe(true);
  });

  test("a turn keeps its offered tools among very many turns", () => {
    for (let turn = 0; turn < 1_000; turn += 1) names(`t${turn}`);
    world.at("files").tools = [];
    expect(names("t999")).toHaveLength(3);
  });
});

async function changedTool(): Promise<string> {
  world.at("files").events?.onToolsChanged();
  await world.settle();
  const state = world.servers.states().find(({ name }) => name === "files");
  return state?.tools[0]?.changed?.hash ?? "none";
}
