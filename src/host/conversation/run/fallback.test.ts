import { describe, expect, test } from "vitest";
import type { RootId, RunId } from "../../../core/base/ids.ts";
import { must } from "../../../core/base/assert.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { FailureClass } from "../../../core/model/failure.ts";
import { modelsOfTurn } from "../base/models-of-turn.ts";
import {
  accepted,
  calls,
  fails,
  info,
  otherInfo,
  says,
  World,
  type Script,
} from "../queue/conversation.test-support.ts";

const away = (failureClass: FailureClass, retryable: boolean) =>
  fails({ class: failureClass, message: "Too many requests", retryable });

/** A conversation whose model falls back on the other one. */
async function asked(script: Script): Promise<{ world: World; rootId: RootId; runId: RunId }> {
  const world = await World.start({ script });
  const rootId = await world.newRoot();
  accepted(await world.conversations.setSettings({ rootId, fallbacks: [otherInfo.id] }));
  const { runId } = await world.send(rootId, null, "hi");
  await world.rest();
  return { world, rootId, runId };
}

const isFirst = ({ model }: { readonly model: string }): boolean => info.id.endsWith(`/${model}`);

async function path(world: World, runId: RunId): Promise<readonly ForestNode[]> {
  const { headNodeId } = must(await world.store.run(runId), "a run");
  return headNodeId === null ? [] : world.store.path(headNodeId);
}

async function replies(world: World, runId: RunId): Promise<readonly ForestNode[]> {
  return (await path(world, runId)).filter(({ message }) => message.role === "assistant");
}

describe("14.20 a model that does not answer", () => {
  test.each<[FailureClass, boolean, number]>([
    ["rate-limit", true, 3],
    ["overloaded", true, 3],
    ["network", true, 3],
    ["quota", false, 1],
  ])(
    "with %s gives way to the next one after its retries, visibly, and that one is named",
    async (failure, retried, attempts) => {
      const { world, rootId, runId } = await asked((request) =>
        isFirst(request) ? away(failure, retried) : says("hello"),
      );
      expect(world.requests.filter(isFirst)).toHaveLength(attempts);
      const [reply] = await replies(world, runId);
      expect(reply?.request?.model).toBe(otherInfo.id);
      expect(reply?.actor).toMatchObject({ type: "model", model: otherInfo.id });
      const why = `${info.id} did not answer: Too many requests. ${otherInfo.id} answers instead.`;
      expect(must(reply, "a reply").message.content).toContainEqual({ type: "notice", text: why });
      const feed = await world.store.feed(rootId, 0, 1_000);
      expect(feed.flatMap(({ body }) => (body.type === "notice" ? [body.text] : []))).toContain(why);
      expect(await world.runState(runId)).toBe("idle");
    },
  );

  test.each<FailureClass>(["auth", "invalid-request", "content-filter", "context-length", "transcript"])(
    "with %s does not: another model would not be what the person asked for",
    async (failure) => {
      const { world, runId } = await asked(() => away(failure, false));
      expect(world.requests.every(isFirst)).toBe(true);
      expect(await world.runState(runId)).toBe("error");
    },
  );

  test("is asked again with the next message, and the one in its place keeps the rest of the turn", async () => {
    let isAway = true;
    const { world, rootId, runId } = await asked((request, turn) => {
      if (isFirst(request)) return isAway ? away("quota", false) : says("I am back");
      return turn === 1 ? calls("slow") : says("done");
    });
    expect((await replies(world, runId)).map(({ request }) => request?.model)).toEqual([otherInfo.id, otherInfo.id]);
    const said = (await replies(world, runId)).map(({ message }) => [...message.content].map(({ type }) => type));
    expect(said).toEqual([["tool-use", "notice"], ["text"]]);
    isAway = false;
    const head = (await path(world, runId)).at(-1)?.id ?? null;
    await world.send(rootId, head, "and now?");
    await world.rest();
    expect((await replies(world, runId)).at(-1)?.request?.model).toBe(info.id);
  });

  test("the turn fails when no model answers, with the last one's failure", async () => {
    const { world, runId } = await asked(() => away("overloaded", true));
    expect(world.requests.map(({ model }) => model)).toHaveLength(6);
    expect(must(await world.store.run(runId), "a run").state).toMatchObject({ type: "error", detail: "overloaded" });
  });

  test("is known after a restart in the midst of its retries", async () => {
    const script: Script = (request) => (isFirst(request) ? away("network", true) : says("hello"));
    const world = await World.start({ script });
    const rootId = await world.newRoot();
    accepted(await world.conversations.setSettings({ rootId, fallbacks: [otherInfo.id] }));
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    const again = await World.start({ script, image: world.store.image(), journal: world.journal.copy() });
    await again.rest();
    expect((await replies(again, runId)).at(-1)?.request?.model).toBe(otherInfo.id);
  });
});

describe("14.20 the models of a turn", () => {
  const models = {
    list: () => [],
    find: (id: string) => (id.startsWith("away/") ? undefined : ({ info: { id } } as never)),
    membersOf: (id: string) => (id === "alias/fast" ? ["away/x", "a/x", "b/y"] : null),
  };
  test.each<[string, string, readonly string[], string | undefined, readonly string[]]>([
    ["its model and its fallbacks", "a/x", ["b/y", "c/z"], undefined, ["a/x", "b/y", "c/z"]],
    ["each model once", "a/x", ["a/x", "b/y"], undefined, ["a/x", "b/y"]],
    ["of an alias, those that can be used", "alias/fast", ["c/z"], undefined, ["a/x", "b/y", "c/z"]],
    ["the one that the message names", "a/x", ["b/y"], "d/w", ["d/w"]],
    ["those of the alias that the message names", "d/w", ["c/z"], "alias/fast", ["a/x", "b/y"]],
    ["its model alone where none can be used, so that the refusal names it", "away/x", [], undefined, ["away/x"]],
  ])("are %s", (_name, model, fallbacks, named, expected) => {
    const settings = named === undefined ? {} : { model: named };
    expect(modelsOfTurn(models, { model, replies: { fallbacks } }, settings)).toEqual(expected);
  });
});
