import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/base/json.ts";
import { textOf } from "../../core/message/content.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { inOrder, Studio } from "./canvas.test-support.ts";

let studio: Studio;
afterEach(() => studio.close());

function sent(request: ModelRequest | undefined): string {
  return JSON.stringify([request?.system, request?.tools, request?.messages]);
}

/** The answers of the branch's tool calls, oldest first. */
async function answers(): Promise<readonly JsonObject[]> {
  const path = await studio.path();
  return path.flatMap(({ message }) => (message.role === "tool" ? [JSON.parse(textOf(message)) as JsonObject] : []));
}

/** Lets the model list, read, search and check out, and returns what it was answered. */
async function probe(): Promise<readonly JsonObject[]> {
  const before = (await answers()).length;
  studio.mind = inOrder(
    { call: "block_list" },
    { call: "block_read", with: { block_id: studio.canvasId } },
    { call: "kernel_search", with: { query: "one" } },
    { call: "canvas_check_out" },
    { say: "Nothing there." },
  );
  await studio.ask("Look at everything.");
  return (await answers()).slice(before);
}

const nothing = [
  { blocks: expect.not.arrayContaining([expect.objectContaining({ kind: "file" })]) },
  { code: "BLOCK_NOT_FOUND" },
  { blocks: [], truncated: false },
  { code: "UNKNOWN_TOOL" },
];

describe("14.9 canvas tools that are switched off leave no trace", () => {
  test("14.9 for the whole server", async () => {
    studio = await Studio.open();
    await studio.ask("hello");
    await studio.crash({ canvas: false });
    expect(await probe()).toMatchObject(nothing);
    expect(sent(studio.requests.at(-1))).not.toMatch(/canvas_check_out_|lease|Canvas update/);
    for (const answer of await answers()) {
      if (answer["code"] === "UNKNOWN_TOOL") continue;
      expect(JSON.stringify(answer)).not.toMatch(/canvas|lease/i);
    }
    await studio.write("changed\n");
    studio.mind = () => ({ say: "Well." });
    await studio.ask("again");
    expect(
      studio.requests
        .at(-1)
        ?.tools.map(({ name }) => name)
        .join(" "),
    ).not.toMatch(/canvas/);
    expect(studio.requests.at(-1)?.system).not.toMatch(/canvas|lease/i);
  });

  test("14.9 for one conversation, until it is switched on again", async () => {
    studio = await Studio.open();
    await studio.ask("hello");
    const { conversations } = studio.workspace;
    const choose = (toolsOff: readonly string[] | null) =>
      conversations.setSettings({ rootId: studio.rootId, toolsOff });
    expect((await choose(["canvas"])).ok).toBe(true);
    await studio.write("changed\n");
    expect(await probe()).toMatchObject(nothing);
    const request = studio.requests.at(-1);
    expect(request?.tools.map(({ name }) => name).join(" ")).not.toMatch(/canvas/);
    expect(request?.system).not.toMatch(/canvas|lease/i);
    expect(await studio.updates()).toEqual([]);

    expect((await choose(null)).ok).toBe(true);
    studio.mind = () => ({ say: "Well." });
    await studio.ask("and now?");
    expect(sent(studio.requests.at(-1))).toContain("canvas_check_out");
    expect(await studio.updates()).toHaveLength(1);
  });

  test("14.9 another conversation keeps its canvas tools", async () => {
    studio = await Studio.open();
    await studio.workspace.conversations.setSettings({ rootId: studio.rootId, toolsOff: ["canvas"] });
    const other = await studio.workspace.conversations.create({ canvasId: studio.canvasId });
    if (!other.ok) throw new Error(other.error.code);
    studio.rootId = other.value.id;
    await studio.ask("hello");
    expect(sent(studio.requests.at(-1))).toContain("canvas_check_out");
  });

  test("14.14 a conversation without block tools is not offered them, however they are asked for", async () => {
    studio = await Studio.open();
    await studio.workspace.conversations.setSettings({ rootId: studio.rootId, toolsOff: ["blocks"] });
    await studio.ask("use block_list");
    const names = studio.requests.at(-1)?.tools.map(({ name }) => name) ?? [];
    expect(names).not.toContain("block_read");
    expect(names).not.toContain("more_tools");
  });
});
