import { describe, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { textOf } from "../../../core/message/content.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import {
  accepted,
  calls,
  callsWith,
  code,
  info,
  says,
  World,
  type Script,
} from "../queue/conversation.test-support.ts";

async function opened(script: Script = () => says("hello")): Promise<{ world: World; rootId: RootId }> {
  const world = await World.start({ script });
  return { world, rootId: await world.newRoot() };
}

async function lastRequest(world: World, rootId: RootId) {
  await world.send(rootId, null, `hi ${world.requests.length}`);
  await world.rest();
  return must(world.requests.at(-1), "a request");
}

describe("14.19 a conversation's own settings", () => {
  test("its system prompt, thinking and tools reach the model, and null takes each back", async () => {
    const { world, rootId } = await opened();
    const usual = await lastRequest(world, rootId);
    expect(usual.tools.map(({ name }) => name)).toContain("slow");
    accepted(
      await world.conversations.setSettings({
        rootId,
        systemPrompt: "You are a pirate.",
        thinking: "high",
        toolsOff: ["slow", "ask_user"],
      }),
    );
    const own = await lastRequest(world, rootId);
    expect(own.system.startsWith("You are a pirate.")).toBe(true);
    expect(own.thinking).toBe("high");
    const left = usual.tools.map(({ name }) => name).filter((name) => name !== "slow" && name !== "ask_user");
    expect(own.tools.map(({ name }) => name)).toEqual(left);
    accepted(await world.conversations.setSettings({ rootId, systemPrompt: null, thinking: null, toolsOff: null }));
    const back = await lastRequest(world, rootId);
    expect([back.system, back.thinking, back.tools]).toEqual([usual.system, usual.thinking, usual.tools]);
    expect(await world.store.root(rootId)).not.toHaveProperty("replies");
  });

  test("a field left out keeps its value", async () => {
    const { world, rootId } = await opened();
    accepted(await world.conversations.setSettings({ rootId, thinking: "low", toolsOff: ["shell"] }));
    accepted(await world.conversations.setSettings({ rootId, toolsOff: [] }));
    expect((await world.store.root(rootId))?.replies).toEqual({ thinking: "low" });
  });

  test("a call of a tool that is off does not run, and the model is told", async () => {
    const { world, rootId } = await opened((_request, turn) => (turn === 0 ? calls("slow") : says("done")));
    accepted(await world.conversations.setSettings({ rootId, toolsOff: ["slow"] }));
    const { runId } = await world.send(rootId, null, "hi");
    await world.rest();
    expect(world.tools.log).toEqual([]);
    const { headNodeId } = must(await world.store.run(runId), "a run");
    const path = await world.store.path(must(headNodeId, "a head"));
    const result = must(
      path.map(({ message }) => message).find(({ role }) => role === "tool"),
      "a result",
    );
    expect(result).toMatchObject({ outcome: "error" });
    expect(textOf(result)).toContain("slow is switched off in this conversation");
  });

  test.each([
    ["private", true],
    ["untrusted", true],
    ["private-untrusted", false],
  ])("the provider searches after a tool has brought %s text: %s", async (tool, searches) => {
    const requests: ModelRequest[] = [];
    const model: LanguageModel = {
      info: { ...info, serverTools: ["web-search"] },
      api: "scripted",
      async *stream(request) {
        requests.push(request);
        yield* requests.length === 1 ? callsWith(tool, {}) : says("done");
      },
    };
    const world = await World.start({ model });
    const rootId = await world.newRoot();
    accepted(await world.conversations.setSettings({ rootId, serverTools: ["web-search"] }));
    await world.send(rootId, null, "hi");
    await world.rest();
    expect(requests.map(({ serverTools = [] }) => serverTools.length > 0)).toEqual([true, searches]);
  });

  test("a new conversation can begin with them; a fallback that does not exist is refused", async () => {
    const { world } = await opened();
    const made = accepted(await world.conversations.create({ thinking: "off", fallbacks: ["other/voice"] }));
    expect(made.replies).toEqual({ thinking: "off", fallbacks: ["other/voice"] });
    expect(code(await world.conversations.create({ fallbacks: [info.id, "no/where"] }))).toBe("MODEL_NOT_FOUND");
    const rootId = made.id;
    expect(code(await world.conversations.setSettings({ rootId, fallbacks: ["no/where"] }))).toBe("MODEL_NOT_FOUND");
  });

  test("named prompts are kept by name, replaced and deleted; a full library refuses", async () => {
    const { world } = await opened();
    const { prompts } = world.conversations;
    accepted(await prompts.put({ name: "terse", text: "Be brief." }));
    accepted(await prompts.put({ name: "pirate", text: "You are a pirate." }));
    expect(accepted(await prompts.put({ name: "terse", text: "Be very brief." }))).toEqual({
      prompts: [
        { name: "pirate", text: "You are a pirate." },
        { name: "terse", text: "Be very brief." },
      ],
    });
    expect(code(await prompts.put({ name: "long", text: "x".repeat(1_000_000) }))).toBe("INVALID_PARAMS");
    expect(accepted(await prompts.remove("pirate")).prompts.map(({ name }) => name)).toEqual(["terse"]);
    expect(code(await prompts.remove("pirate"))).toBe("NOT_FOUND");
  });
});
