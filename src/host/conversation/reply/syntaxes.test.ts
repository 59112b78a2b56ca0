import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { must } from "../../../core/base/assert.ts";
import type { ToolCallId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { toolUses } from "../../../core/message/content.ts";
import type { AssistantMessage, Message } from "../../../core/message/types.ts";
import { noUsage } from "../../../core/message/usage.ts";
import { messageFragments, shownFragments } from "../../../core/syntax/message-fragments.test-support.ts";
import { syntaxes } from "../../../core/syntax/registry.ts";
import { scan } from "../../../core/syntax/scan.ts";
import type { Syntax } from "../../../core/syntax/base/syntax.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";
import { writeCalls } from "../../../core/syntax/write/write-calls.ts";
import {
  accepted,
  calls,
  code,
  fails,
  Journal,
  says,
  lineOf,
  World,
  type ScriptStep,
} from "../queue/conversation.test-support.ts";

const inText = syntaxes.filter(({ grammar }) => grammar !== null);
const tools: readonly SyntaxTool[] = [
  { name: "slow", description: "Takes a second.", inputSchema: { type: "object" } },
];

function written(syntax: Syntax, ...given: readonly [name: string, parameters: JsonObject][]): string {
  return accepted(
    writeCalls(
      syntax,
      given.map(([name, parameters]) => ({ name, parameters })),
      tools,
    ),
  );
}

async function opened(world: World, toolSyntax?: string) {
  return accepted(await world.conversations.create(toolSyntax === undefined ? {} : { toolSyntax })).id;
}

async function nodesOf(world: World) {
  const [root] = await world.conversations.list();
  return world.store.nodes(must(root, "a conversation").id);
}

describe("a conversation in a syntax", () => {
  test.each(inText.map((syntax) => [syntax.id, syntax] as const))(
    "%s: a call in the text runs, and its result comes back as text",
    async (id, syntax) => {
      const world = await World.start({
        script: (_request, turn) =>
          turn === 0
            ? says("On it.\n", ...(written(syntax, ["slow", { a: "x" }]).match(/[\s\S]{1,3}/gu) ?? []))
            : says("done"),
      });
      // Some syntaxes begin a reply with the call; text before the call would make it text.
      const begins = ["llama3-json", "pythonic", "xlam"].includes(id);
      if (begins)
        world.script = (_request, turn) => (turn === 0 ? says(written(syntax, ["slow", { a: "x" }])) : says("done"));
      const { runId } = await world.send(await opened(world, id), null, "hi");
      await world.rest();
      expect((await world.branch(runId)).map((line) => line.replaceAll(/\s+/g, " "))).toEqual([
        "user: hi",
        begins ? "assistant: [tool-1-1]" : "assistant: On it. [tool-1-1]",
        "tool tool-1-1: ok",
        "assistant: done",
      ]);
      const [first, second] = world.requests;
      expect(first?.tools).toEqual([]);
      expect(first?.system).toContain("## slow");
      expect(second?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      expect(JSON.stringify(second?.messages[2])).toContain("did");
      // The stored message is shown exactly as it streamed.
      const nodes = await nodesOf(world);
      const stored = must(nodes[1], "the reply").message;
      const grammar = must(syntax.grammar, "it is text");
      const reply = `${begins ? "" : "On it.\n"}${written(syntax, ["slow", { a: "x" }])}`;
      expect(messageFragments(stored, tools)).toEqual(
        shownFragments(scan(grammar, reply, { tools, policy: "serial-one" })),
      );
      expect(nodes[1]?.request).toMatchObject({ tools: ["slow", "ask_user", "spawn_sub_agents"], toolSyntax: id });
    },
  );

  test("T-14 T-26 the second call of a reply does not run, and the rest of the stream is not awaited", async () => {
    const xml = must(
      inText.find(({ id }) => id === "xml"),
      "xml",
    );
    const world = await World.start({
      script: (_request, turn) =>
        turn === 0
          ? [...says(written(xml, ["slow", {}]), "\n", written(xml, ["slow", {}])).slice(0, -2), { pauseMs: 1_000_000 }]
          : says("done"),
    });
    const { runId } = await world.send(await opened(world, "xml"), null, "hi");
    await world.clock.advance(2_000);
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [tool-1-1]",
      "tool tool-1-1: ok",
      "assistant: done",
    ]);
    expect(await world.runState(runId)).toBe("idle");
    const [, reply] = await nodesOf(world);
    // The provider never sent its usage, so it is estimated.
    expect(reply?.usage?.inputTokens).toBeGreaterThan(20);
  });

  test("T-09 an unknown tool is reported to the model, and the turn continues", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? says("<tool:fly>\n<param:to>x</param:to>\n</tool:fly>") : says("done")),
    });
    const { runId } = await world.send(await opened(world, "xml"), null, "hi");
    await world.rest();
    expect(world.tools.log).toEqual([]);
    const nodes = await nodesOf(world);
    expect(nodes.map(lineOf)).toEqual(["user: hi", "assistant: [tool-1-1]", "tool tool-1-1: error", "assistant: done"]);
    const answer = JSON.stringify(world.requests[1]?.messages.at(-1));
    expect(answer).toContain("Unknown tool: fly");
    // The advice is in the syntax: it does not ask for JSON.
    expect(answer).not.toContain("JSON");
    expect(await world.runState(runId)).toBe("idle");
  });

  test("a reply cut off by its limit runs only complete calls", async () => {
    const world = await World.start({
      script: (_request, turn) =>
        turn === 0
          ? [...says("^^^slow\na: b").slice(0, -1), { type: "finished", reason: "max-tokens", usage: noUsage }]
          : says("done"),
    });
    await world.send(await opened(world, "caret"), null, "hi");
    await world.rest();
    expect(world.tools.log).toEqual([]);
    expect(JSON.stringify(world.requests[1]?.messages)).toContain("the reply ended inside the parameter a of the call");
  });

  test("T-29 a person's message or a tool's answer is never read as a call", async () => {
    const world = await World.start();
    const { runId } = await world.send(await opened(world, "caret"), null, "^^^slow\n^^^");
    await world.rest();
    expect(await world.branch(runId)).toEqual(["user: ^^^slow\n^^^", "assistant: hello"]);
    expect(world.tools.log).toEqual([]);
  });

  test("T-41 a cancel in the middle of a call in text answers the call, and the next request can be sent", async () => {
    const script = (_request: unknown, turn: number): readonly ScriptStep[] =>
      turn === 0 ? says("^^^slow\n^^^") : says("done");
    const before = await World.start({ script });
    const rootId = await opened(before, "caret");
    const { runId } = await before.send(rootId, null, "hi");
    await before.clock.advance(100);
    expect(before.tools.log).toEqual(["ran tool-1-1"]);
    const after = await World.start({
      image: before.store.image(),
      journal: before.journal.copy(),
      script: () => says("done"),
    });
    await after.rest();
    expect(await after.branch(runId)).toEqual([
      "user: hi",
      "assistant: [tool-1-1]",
      "tool tool-1-1: unknown",
      "assistant: done",
    ]);
    expect(after.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["user", "assistant", "user"],
    ]);
    const [, reply] = await after.store.nodes(rootId);
    expect(messageFragments(must(reply, "the reply").message, tools).map(({ type }) => type)).toEqual([
      "call-start",
      "call-end",
    ]);
  });

  test("a crash while a call streams keeps the text before the call and asks again", async () => {
    const before = await World.start({
      script: () => [...says("Let me see.\n", "^^^slow\na: ").slice(0, -2), { pauseMs: 1_000_000 }],
    });
    const rootId = await opened(before, "caret");
    const { runId } = await before.send(rootId, null, "hi");
    await before.clock.advance(100);
    expect([...before.journal.shownById.values()].map(({ kind, text }) => [kind, text])).toEqual([
      ["text", "Let me see.\n"],
      ["tool_call", ""],
    ]);
    const after = await World.start({
      image: before.store.image(),
      journal: new Journal(before.journal.shownById),
      script: () => says("done"),
    });
    await after.rest();
    expect(await after.branch(runId)).toEqual(["user: hi", "assistant: done"]);
    expect((await after.store.nodes(rootId)).map(lineOf)).toContain("assistant: Let me see. (interrupted)");
    expect(after.tools.log).toEqual([]);
  });
});

describe("a request that is too long", () => {
  const tooLong = { class: "context-length", message: "prompt is too long", retryable: false } as const;

  test.each(["native", "xml"])(
    "T-42 in %s: is resent once without the large results of tools, which stay stored",
    async (syntax) => {
      const world = await World.start({
        script: (_request, turn) => {
          if (turn === 0) return syntax === "native" ? calls("slow") : says("<tool:slow>\n</tool:slow>");
          return turn === 1 ? fails(tooLong) : says("done");
        },
      });
      world.tools.run = async () => ({ ok: true, content: { text: "x".repeat(60_000) } });
      const rootId = await opened(world, syntax);
      const { runId } = await world.send(rootId, null, "hi");
      await world.rest();
      // Counting the tokens of a long text takes several slices.
      await expect.poll(async () => (await world.branch(runId)).at(-1)).toBe("assistant: done");
      const [, long, short] = world.requests.map(({ messages }) => JSON.stringify(messages));
      expect([(long ?? "").length > 60_000, (short ?? "").length < 2_000]).toEqual([true, true]);
      expect(short).toMatch(/result of 6\d{4} characters was left out/);
      expect(JSON.stringify(await world.store.nodes(rootId)).length).toBeGreaterThan(60_000);
    },
  );

  test("T-42 without large results is a failure, and is not resent", async () => {
    const world = await World.start({ script: () => fails(tooLong) });
    const { runId } = await world.send(await opened(world), null, "hi");
    await world.rest();
    expect(world.requests).toHaveLength(1);
    expect(await world.runState(runId)).toBe("error");
  });
});

describe("the choice", () => {
  test("can change at any message: the history is rewritten in the new syntax", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? calls("slow") : says("done")),
    });
    const rootId = await opened(world);
    const first = await world.send(rootId, null, "hi");
    await world.rest();
    const headOf = async () => must(await world.store.run(first.runId), "a run").headNodeId;
    accepted(await world.conversations.setToolSyntax({ rootId, toolSyntax: "caret" }));
    await world.send(rootId, await headOf(), "and?");
    await world.rest();
    expect(world.requests.at(-1)?.tools).toEqual([]);
    expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain("^^^slow\\n^^^");
    accepted(await world.conversations.setToolSyntax({ rootId, toolSyntax: null }));
    await world.send(rootId, await headOf(), "and now?");
    await world.rest();
    expect(world.requests.at(-1)?.tools).toHaveLength(3);
    expect(world.requests.at(-1)?.messages.slice(0, 3)).toEqual(world.requests[1]?.messages);
    expect(accepted(await world.conversations.view(rootId)).root.toolSyntax).toBeUndefined();
  });

  test("of an unknown syntax is refused with the known syntaxes", async () => {
    const world = await World.start();
    const rootId = await opened(world);
    const refused = await world.conversations.setToolSyntax({ rootId, toolSyntax: "carrot" });
    expect(refused).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
    expect(refused.ok ? "" : refused.error.message).toContain("Did you mean caret?");
    expect(code(await world.conversations.create({ toolSyntax: "yaml" }))).toBe("NOT_FOUND");
  });

  const value = fc.oneof(fc.string(), fc.constantFrom("^^^", "</param:a>", "--- a", "```\n", "<![CDATA[", "x\ny\n"));
  test.each(inText.map((syntax) => [syntax.id, syntax] as const))(
    "law %s: the request for a path is the same whichever syntax its calls were made in",
    async (id, syntax) => {
      const requestsAfter = async (toolSyntax: string | undefined, script: readonly ScriptStep[]) => {
        const world = await World.start({ script: (_request, turn) => (turn === 0 ? script : says("done")) });
        const rootId = await opened(world, toolSyntax);
        await world.send(rootId, null, "hi");
        await world.clock.settle();
        accepted(await world.conversations.setToolSyntax({ rootId, toolSyntax: id }));
        await world.rest();
        return must(world.requests[1], "a second request");
      };
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...inText),
          fc.dictionary(fc.constantFrom("a", "b"), value),
          async (other, parameters) => {
            const text = writeCalls(other, [{ name: "slow", parameters }], tools);
            fc.pre(text.ok && writeCalls(syntax, [{ name: "slow", parameters }], tools).ok);
            if (!text.ok) return;
            const native: readonly ScriptStep[] = [
              { type: "tool-call-start", index: 0, id: "call-1", name: "slow" },
              { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) },
              { type: "tool-call-end", index: 0 },
              { type: "finished", reason: "tool-use", usage: noUsage },
            ];
            expect(await requestsAfter(other.id, says(text.value))).toEqual(await requestsAfter(undefined, native));
          },
        ),
        { numRuns: scaled(8) },
      );
    },
  );

  test("a call made in text can be sent to a provider with native calls", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? says("<tool:slow>\n<param:a>1</param:a>\n</tool:slow>") : says("done")),
    });
    const rootId = await opened(world, "xml");
    await world.send(rootId, null, "hi");
    await world.clock.settle();
    accepted(await world.conversations.setToolSyntax({ rootId, toolSyntax: "native" }));
    await world.rest();
    const [, reply, result] = must(world.requests[1], "a second request").messages as readonly [
      Message,
      AssistantMessage,
      Message,
    ];
    expect(toolUses(reply)).toMatchObject([{ id: "tool-1-1" as ToolCallId, name: "slow", parameters: { a: 1 } }]);
    expect(result).toMatchObject({ role: "tool", tool_call_id: "tool-1-1" });
  });
});
