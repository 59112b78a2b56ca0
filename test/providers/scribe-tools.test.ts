import { describe, expect, test } from "vitest";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import type { Message } from "../../src/core/message/types.ts";
import { documentFeatures, toolSpecs } from "../../src/core/tool/registry.ts";
import { createBlock, textOf } from "../../src/host/document/world.test-support.ts";
import { openToolWorld, TestAgent } from "../../src/host/tool/agent.test-support.ts";
import { driveWith, lastWords } from "./drive.ts";
import { noSleep } from "./test-deps.ts";

const scribe = createScribe(noSleep);
const tools = toolSpecs(documentFeatures).map((spec) => ({
  name: spec.name,
  description: spec.description,
  inputSchema: { type: "object" },
}));

async function turn(agent: TestAgent, said: string, history: readonly Message[] = []): Promise<readonly Message[]> {
  return driveWith(
    scribe,
    { tools, history, run: async (name, parameters) => (await agent.call(name, { ...parameters })).content },
    said,
  );
}

describe("the scribe with Heddle's own canvas tools", () => {
  test.each([
    ["LF", "\n"],
    ["CR LF", "\r\n"],
  ])("writes, tightens, renames, replaces and removes; line ends %s", async (_name, end) => {
    const world = await openToolWorld();
    const text = [
      "# Notes",
      "",
      "This is really very short, in order to be cut.",
      "",
      "## Goals",
      "",
      "- one",
      "",
      "## Old",
      "",
      "Gone soon.",
    ].join(end);
    const { id } = await createBlock(world, { kind: "file", status: "done", text, policy: "live", document: "canvas" });
    const agent = new TestAgent(world, id);
    const said =
      'Tighten the introduction and add a section on conflict resolution after Goals; rename Goals to Aims. Replace "one" with "two 😀", add a todo "Call Ana" to Aims, then remove the Old section.';
    const messages = await turn(agent, said);
    const after = await textOf(world, id);
    expect(after.split(end).slice(0, 9)).toEqual([
      "# Notes",
      "",
      "This is short, to be cut.",
      "",
      "## Aims",
      "",
      "- two 😀",
      "- [ ] Call Ana",
      "",
    ]);
    expect(after).toContain(`${end}## Conflict resolution${end}`);
    expect(after).not.toContain("Old");
    expect(after.replaceAll(end, "")).not.toMatch(/[\r\n]/u);
    expect(lastWords(messages)).toMatch(
      /^I tightened the introduction .*, added the section .* and removed the section “Old”\.$/u,
    );
  });

  test("begins a blank canvas, and a second request finds it free again", async () => {
    const world = await openToolWorld();
    const { id } = await createBlock(world, {
      kind: "file",
      status: "done",
      text: "",
      policy: "live",
      document: "canvas",
    });
    const agent = new TestAgent(world, id);
    const first = await turn(agent, "add a section on trust");
    expect(await textOf(world, id)).toMatch(/^## Trust\n\n/u);
    await turn(agent, "add a section on doubt before Trust", first);
    expect(await textOf(world, id)).toMatch(/^## Doubt\n\n[\s\S]+\n\n## Trust\n\n/u);
  });

  test("says who holds a canvas that is taken", async () => {
    const world = await openToolWorld();
    const { id } = await createBlock(world, {
      kind: "file",
      status: "done",
      text: "# A\n",
      policy: "live",
      document: "canvas",
    });
    await new TestAgent(world, id, "other").checkOut();
    expect(lastWords(await turn(new TestAgent(world, id), "add a section on trust"))).toContain(
      "is editing the canvas right now",
    );
    expect(await textOf(world, id)).toBe("# A\n");
  });

  test("says that there is no canvas where there is none", async () => {
    const world = await openToolWorld();
    expect(lastWords(await turn(new TestAgent(world, null), "add a section on trust"))).toContain(
      "no canvas that I can edit",
    );
  });
});
