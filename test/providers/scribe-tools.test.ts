import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import type { EditPolicy } from "../../src/core/block/types.ts";
import { leaseTtlMsDefault } from "../../src/core/lease/types.ts";
import type { Message } from "../../src/core/message/types.ts";
import { documentFeatures, toolSpecs } from "../../src/core/tool/registry.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { authorOf, createBlock, person, textOf } from "../../src/host/document/world.test-support.ts";
import { openToolWorld, TestAgent } from "../../src/host/tool/agent.test-support.ts";
import { simulatedClock } from "../../src/testing/simulated-clock.ts";
import { driveWith, lastWords, type TurnSetting } from "./drive.ts";
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

  test("creates text in a blank canvas, and finds the canvas free for a second request", async () => {
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

  test("says who holds the canvas", async () => {
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

  test("says when there is no canvas", async () => {
    const world = await openToolWorld();
    expect(lastWords(await turn(new TestAgent(world, null), "add a section on trust"))).toContain(
      "no canvas that I can edit",
    );
  });

  const list = "# A\n\nred\nblue\n";

  async function openList(policy: EditPolicy) {
    const clock = simulatedClock();
    const world = await openToolWorld(openMemoryStore(), clock);
    const { id } = await createBlock(world, { kind: "file", status: "done", text: list, policy, document: "canvas" });
    return { clock, world, id, agent: new TestAgent(world, id) };
  }

  /** Runs a turn in which something happens right before the first edit. */
  async function interruptedTurn(agent: TestAgent, said: string, happens: () => Promise<unknown>): Promise<string> {
    let happened = false;
    const run: TurnSetting["run"] = async (name, parameters) => {
      if (name === "canvas_apply_patch" && !happened) {
        happened = true;
        await happens();
      }
      return (await agent.call(name, { ...parameters })).content;
    };
    return lastWords(await driveWith(scribe, { tools, history: [], run }, said));
  }

  test("says that reviewed edits wait for a decision, and says so of no others", async () => {
    const { world, id, agent } = await openList("suggest");
    const messages = await turn(agent, 'replace "red" with "pink", then replace "blue" with "azure"');
    expect(lastWords(messages)).toBe(
      "As suggestions, which change nothing until you keep them, I replaced “red” with “pink” once and replaced “blue” with “azure” once.",
    );
    expect(JSON.stringify(messages)).toContain("Now I'll suggest the change.");
    expect(await textOf(world, id)).toBe(list);
    accept(await world.hub.suggestions.keep(await authorOf(world, person("ada")), id, undefined));
    expect(await textOf(world, id)).toBe("# A\n\npink\nazure\n");
  });

  test.each(["live", "lease", "suggest"] as const)(
    "says under %s what happened to an edit that came after a person's step",
    async (policy) => {
      const { world, id, agent } = await openList(policy);
      const words = await interruptedTurn(agent, 'replace "red" with "pink"', () => world.leases.takeControl(id));
      expect(words).toMatch(/^A person took control .* is kept as a suggestion, which you may keep or reject\./u);
      expect(await textOf(world, id)).toBe(list);
    },
  );

  test("checks out again after its lease has expired and another agent has used the canvas", async () => {
    const { clock, world, id, agent } = await openList("live");
    const other = new TestAgent(world, id, "other");
    const words = await interruptedTurn(agent, 'replace "red" with "pink"', async () => {
      await clock.advance(leaseTtlMsDefault);
      await other.must("canvas_check_in", { lease_id: await other.checkOut() });
    });
    expect(words).toBe("I replaced “red” with “pink” once.");
    expect(await textOf(world, id)).toBe("# A\n\npink\nblue\n");
  });

  test.each([
    ["live", "suggest", "# A\n\nred\nblue\n", "# A\n\npink\nblue\n"],
    ["suggest", "live", "# A\n\npink\nblue\n", "# A\n\npink\nblue\n"],
    ["lease", "suggest", "# A\n\nred\nblue\n", "# A\n\npink\nblue\n"],
  ] as const)("goes on when a person changes the policy from %s to %s meanwhile", async (from, to, left, kept) => {
    const { world, id, agent } = await openList(from);
    const ada = await authorOf(world, person("ada"));
    const change = async (): Promise<unknown> => accept(await world.hub.editor.setPolicy(ada, id, to));
    const words = await interruptedTurn(agent, 'replace "red" with "pink"', change);
    expect(words).toMatch(to === "suggest" ? /^As suggestions/u : /^I replaced/u);
    expect(await textOf(world, id)).toBe(left);
    await world.hub.suggestions.keep(ada, id, undefined);
    expect(await textOf(world, id)).toBe(kept);
  });

  test("reads again before it edits, after its suggestions became invisible to it because the policy changed", async () => {
    const { world, id, agent } = await openList("suggest");
    const ada = await authorOf(world, person("ada"));
    let patches = 0;
    const run: TurnSetting["run"] = async (name, parameters) => {
      if (name === "canvas_apply_patch" && (patches += 1) === 2)
        accept(await world.hub.editor.setPolicy(ada, id, "live"));
      return (await agent.call(name, { ...parameters })).content;
    };
    const said = 'replace "red" with "pink", then replace "blue" with "azure"';
    const words = lastWords(await driveWith(scribe, { tools, history: [], run }, said));
    expect(words).toContain("I replaced “blue” with “azure” once.");
    expect(words).toContain("I replaced “red” with “pink” once.");
    expect(await textOf(world, id)).toBe("# A\n\nred\nazure\n");
    accept(await world.hub.suggestions.keep(ada, id, undefined));
    expect(await textOf(world, id)).toBe("# A\n\npink\nazure\n");
  });
});
