import { afterAll, beforeAll, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { isAtLeast, roles } from "../../../core/rights/role.ts";
import { roleByTool } from "./tool-roles.test-support.ts";
import { startTestTeam, type TestTeam } from "../team.test-support.ts";
import { mcpTools } from "./mcp-tools.ts";
import { connectAgent, type OutsideAgent } from "./mcp.test-support.ts";

// Every tool for programs, as the programs of people with each role, through a real server.

/** What a tool is called with, and what that names: one object, the lease of one, the lists of what one may see, or the workspace. */
type Call = readonly [of: "object" | "lease" | "list" | "workspace", parameters: JsonObject];

let team: TestTeam;
const agents = new Map<string, OutsideAgent>();
const people = ["nobody", ...roles] as const;
/** A word of each text that only people with a role may see. */
const secret = "shuttle";
let callByTool: Readonly<Record<string, Call>> = {};

beforeAll(async () => {
  team = await startTestTeam();
  const ada = team.connect("ada");
  await team.add("nobody");
  for (const role of roles) await team.add(role, role);
  const { canvasId } = accept(await ada.call("canvas.create", { title: secret, text: `${secret}\nweft\n` }));
  const { rootId } = accept(await ada.call("conversation.create", { title: secret }));
  const message = { rootId, parentNodeId: null, text: secret };
  const { nodeId } = accept(await ada.call("message.add", message));
  const { thread } = accept(await ada.call("comment.add", { blockId: canvasId, text: secret }));
  ada.close();
  callByTool = callsOn({ canvasId, rootId, nodeId: must(nodeId, "a message"), threadId: thread.id });
  for (const who of people) {
    agents.set(who, await connectAgent({ url: team.server.url, token: await team.program(who) }));
  }
});
afterAll(async () => {
  for (const agent of agents.values()) await agent.close();
  await team.server.close();
});

function callsOn(world: Readonly<Record<"canvasId" | "rootId" | "nodeId" | "threadId", string>>) {
  const { canvasId: id, rootId, nodeId, threadId } = world;
  const block = { block_id: id };
  const calls: Readonly<Record<string, Call>> = {
    canvas_check_out: ["object", { canvas_id: id }],
    canvas_outline: ["lease", {}],
    canvas_grep: ["lease", { query: secret }],
    canvas_read_lines: ["lease", { start_line: 1, end_line: 1 }],
    canvas_read_all: ["lease", {}],
    canvas_edit: ["lease", { edits: [{ search: "weft", text: "warp" }] }],
    canvas_apply_patch: ["lease", { patch: "@@\n-weft\n+warp" }],
    canvas_renew_lease: ["lease", {}],
    canvas_check_in: ["lease", {}],
    comment_list: ["object", { canvas_id: id }],
    comment_add: ["object", { canvas_id: id, text: "Why?" }],
    comment_reply: ["object", { comment_id: threadId, text: "Because." }],
    comment_resolve: ["object", { comment_id: threadId }],
    block_read: ["object", block],
    block_search: ["object", { ...block, query: secret }],
    kernel_search: ["list", { query: secret, kinds: ["file", "text"] }],
    block_list: ["list", {}],
    block_edit: ["object", { ...block, operations: [{ op: "insert", line: 1, content: "two" }] }],
    block_apply_patch: ["object", { ...block, patch: "@@\n-weft\n+warp" }],
    block_append: ["object", { ...block, text: "more" }],
    block_history: ["object", block],
    block_splice: ["object", { ...block, offset: 0, delete_count: 1 }],
    block_undo: ["object", block],
    block_redo: ["object", block],
    block_create: ["workspace", { role: "user", kind: "text", content: "mine" }],
    block_status: ["object", { ...block, status: "done" }],
    block_update: ["object", { ...block, collapsed: true }],
    block_delete: ["object", block],
    block_restore: ["object", block],
    document_list: ["list", {}],
    document_create: ["workspace", { title: "Mine" }],
    search_words: ["list", { words: secret, in: "messages" }],
    search_all: ["list", { words: secret }],
    open_canvas: ["object", { canvas_id: id }],
    // Of leases of its own alone.
    canvas_take_control: ["object", { canvas_id: id }],
    conversation_list: ["list", {}],
    conversation_read: ["object", { conversation_id: rootId }],
    conversation_create: ["workspace", { title: "Mine" }],
    conversation_append: ["object", { parent_id: nodeId, content: "mine" }],
    conversation_branch: ["object", { parent_id: nodeId, content: "mine" }],
    conversation_ask: ["object", { parent_id: nodeId, text: "mine", wait_ms: 1 }],
  };
  return calls;
}

const said = async (who: string, tool: string, parameters: JsonObject): Promise<string> =>
  JSON.stringify(await must(agents.get(who), "the program is connected").call(tool, parameters));
const codeIn = (answer: string): string => /"code":"([A-Z_]+)"/.exec(answer)?.[1] ?? "ok";

test("A-09 every tool for programs is in this matrix", () => {
  expect(Object.keys(callByTool).toSorted()).toEqual(mcpTools.map(({ name }) => name).toSorted());
});

test("A-09 every tool answers a program whose person has no role as if what it names, or lists, were not there", async () => {
  const wrong: unknown[] = [];
  for (const [tool, [of, parameters]] of Object.entries(callByTool)) {
    const given = of === "lease" ? { ...parameters, lease_id: "lease_0" } : parameters;
    const answer = await said("nobody", tool, given);
    const [key = "", id = ""] = (Object.entries(given).find(([each]) => each.endsWith("_id")) ??
      []) as readonly string[];
    const missing = `${id.slice(0, -1)}${id.endsWith("7") ? "5" : "7"}`;
    const other = of === "object" ? await said("nobody", tool, { ...given, [key]: missing }) : answer;
    const isTold = answer.replaceAll(id, "ID").includes(secret) && of !== "list";
    const isOpened = of !== "list" && codeIn(answer) === "ok";
    const isListed = of === "list" && /"(?:title|excerpt|text|id|canvas_id)":"/.test(answer);
    const isDifferent = answer.replaceAll(id, "ID") !== other.replaceAll(missing, "ID").replaceAll(id, "ID");
    if (isTold || isOpened || isListed || isDifferent) wrong.push([tool, answer, other]);
  }
  expect(wrong).toEqual([]);
});

test("A-09 A-10 every tool that changes something is refused to a program whose person may only read", async () => {
  const viewer = must(agents.get("viewer"), "the viewer's program is connected");
  const held = await viewer.call("canvas_check_out", must(callByTool["canvas_check_out"], "a call")[1]);
  const wrong: unknown[] = [];
  for (const { name, right } of mcpTools) {
    const [of, parameters] = must(callByTool[name], "a call");
    const given = of === "lease" ? { ...parameters, lease_id: held["lease_id"] ?? "lease_0" } : parameters;
    const code = codeIn(await said("viewer", name, given));
    const isOwnLease = of === "lease" || name === "canvas_take_control";
    // A canvas is read under a lease, and its text is no single block.
    const isRead = code === "ok" || code === "LOCK_NOT_OWNED";
    const isRefused = ["FORBIDDEN", "BLOCK_NOT_FOUND"].includes(code);
    const isRight = right === "read" ? isOwnLease || isRead : isRefused || name === "canvas_take_control";
    if (!isRight) wrong.push([name, code]);
  }
  expect(wrong).toEqual([]);
});

test("A-01 A-09 every tool × role is let through from its lowest role on, and refused below", async () => {
  expect(Object.keys(roleByTool).toSorted()).toEqual(mcpTools.map(({ name }) => name).toSorted());
  const wrong: unknown[] = [];
  for (const { name } of mcpTools) {
    const [of, parameters] = must(callByTool[name], "a call");
    for (const role of roles) {
      const agent = must(agents.get(role), "the program is connected");
      const checkOut = must(callByTool["canvas_check_out"], "a call")[1];
      const { lease_id = "lease_0" } = of === "lease" ? await agent.call("canvas_check_out", checkOut) : {};
      const code = codeIn(await said(role, name, of === "lease" ? { ...parameters, lease_id } : parameters));
      // What else is wrong with a call is told to those who may make it.
      const isRefused = code === "FORBIDDEN" || code === "BLOCK_NOT_FOUND";
      if (isRefused === isAtLeast(role, must(roleByTool[name], "a role"))) wrong.push([name, role, code]);
      if (of === "lease") await agent.call("canvas_check_in", { lease_id });
    }
  }
  expect(wrong).toEqual([]);
});
