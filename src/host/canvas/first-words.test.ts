import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { loadTokenizer } from "../../adapters/tokens/exact-tokens.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { Shell } from "../../core/port/shell.ts";
import { inOrder, Studio } from "./canvas.test-support.ts";

const folder = await mkdtemp(join(tmpdir(), "heddle-first-words-"));
afterAll(() => rm(folder, { recursive: true }));

const shell: Shell = {
  hosts: [],
  run: () => Promise.reject(new Error("no command runs")),
  close: async () => {},
};

async function inFolder(): Promise<Studio> {
  const { clock } = systemPlatform();
  return Studio.open("one\n", { folder: { files: await openFolderTree(folder, clock), shell } });
}

/** Opens a conversation without a canvas; returns the last request after these messages. */
async function chat(studio: Studio, ...texts: readonly string[]): Promise<ModelRequest> {
  const made = await studio.workspace.conversations.create({});
  if (!made.ok) throw new Error(made.error.code);
  studio.rootId = made.value.id;
  return lastRequest(studio, ...texts);
}

async function lastRequest(studio: Studio, ...texts: readonly string[]): Promise<ModelRequest> {
  for (const text of texts) await studio.ask(text);
  const last = studio.requests.at(-1);
  if (last === undefined) throw new Error("nothing was asked");
  return last;
}

/** Counts what is sent before the first word of a person: the system prompt and the tools, by OpenAI's tokenizer. */
async function firstWords({ system, tools }: ModelRequest): Promise<number> {
  const count = await loadTokenizer();
  const described = tools.map(({ name, description, inputSchema: parameters }) => ({ name, description, parameters }));
  return count(system) + described.reduce((sum, tool) => sum + count(JSON.stringify(tool)) + 8, 0);
}

function names({ tools }: ModelRequest): readonly string[] {
  return tools.map(({ name }) => name);
}

describe("14.14 tokens before the first word", () => {
  test("14.14 a plain chat takes at most 2,500, with a canvas too", async () => {
    const studio = await Studio.open();
    const withCanvas = await firstWords(await lastRequest(studio, "Hello."));
    const plain = await firstWords(await chat(studio, "Hello."));
    expect(plain).toBeLessThan(2_500);
    expect(withCanvas).toBeLessThan(2_500);
    await studio.close();
  });

  test("14.14 an agent in a folder takes at most 5,000, with a canvas too", async () => {
    const studio = await inFolder();
    const withCanvas = await firstWords(await lastRequest(studio, "Hello."));
    const plain = await firstWords(await chat(studio, "Hello."));
    expect(plain).toBeLessThan(5_000);
    expect(withCanvas).toBeLessThan(5_000);
    await studio.close();
  });
});

describe("14.14 tools by need", () => {
  test("14.14 canvas tools where a canvas is, file tools where a folder is, block tools on asking", async () => {
    const studio = await Studio.open();
    const withCanvas = names(await lastRequest(studio, "Hello."));
    expect(withCanvas).toContain("canvas_edit");
    const plain = await chat(studio, "Hello.");
    expect(names(plain)).toEqual(["more_tools", "ask_user"]);
    expect(plain.system).not.toMatch(/canvas|block_/i);
    await studio.close();
    const agent = await inFolder();
    expect(names(await chat(agent, "Hello."))).toEqual(
      expect.arrayContaining(["read_files", "bash", "spawn_sub_agents"]),
    );
    expect(names(await chat(agent, "Hello.")).filter((name) => /^(?:canvas|block)_/.test(name))).toEqual([]);
    await agent.close();
  });

  test("14.14 a model that asks for block tools has them from its next turn on, and keeps them", async () => {
    const studio = await Studio.open();
    studio.mind = inOrder(
      { call: "more_tools", with: { families: ["blocks"] } },
      { say: "I have asked." },
      { say: "Here they are." },
    );
    await chat(studio, "Find it.");
    expect(studio.requests.map((request) => names(request).includes("block_read"))).toEqual([false, false]);
    const next = await lastRequest(studio, "Now?");
    expect(names(next)).toEqual(expect.arrayContaining(["block_read", "kernel_search"]));
    expect(names(next)).not.toContain("more_tools");
    expect(next.system).toContain("# Blocks");
    expect(names(await lastRequest(studio, "And later?"))).toContain("block_read");
    await studio.close();
  });

  test.each(["Look at doc_01hx5zjnq3abcdefgh/2/5.", "Use block_list to see them."])(
    "14.14 a person who names a block or its tool turns the block tools on: %s",
    async (text) => {
      const studio = await Studio.open();
      expect(names(await chat(studio, text))).toContain("block_read");
      await studio.close();
    },
  );

  test("14.14 the tools of a turn stay the same when a block tool is called in its midst", async () => {
    const studio = await Studio.open();
    studio.mind = inOrder({ call: "block_list" }, { say: "Done." });
    await chat(studio, "List what there is.");
    const [first, second] = studio.requests;
    expect(second?.tools).toEqual(first?.tools);
    expect(second?.system).toBe(first?.system);
    expect(names(await lastRequest(studio, "Again."))).toContain("block_list");
    await studio.close();
  });
});
