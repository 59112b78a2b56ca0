import { expect, test } from "vitest";
import type { Actor } from "../../../src/core/base/actor.ts";
import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import type { Message } from "../../../src/core/message/types.ts";
import type { OpOrigin } from "../../../src/core/protocol/commands.ts";
import type { ReplicaId, OpId } from "../../../src/core/text/types.ts";
import { OriginCache } from "./origin-cache.ts";
import { distinctOrigins, originLine, originWords } from "./origin-words.ts";

const ada: Actor = { type: "person", id: "ada" as never, name: "Ada" };
const scribe: Actor = {
  type: "model",
  id: "scribe" as never,
  name: "Scribe",
  model: "scripted/scribe",
  runId: "run_1" as never,
  turnId: "turn_1" as never,
  toolCallId: "call_1" as never,
};
const node = (id: string, parentId: string | null, message: Message): ForestNode =>
  ({ id, parentId, rootId: "root_1", message, actor: message.role === "user" ? ada : scribe }) as unknown as ForestNode;
const nodes = [
  node("n1", null, { role: "user", content: [{ type: "text", text: "Add a section on looms" }] }),
  node("n2", "n1", {
    role: "assistant",
    content: [{ type: "tool-use", id: "call_1" as never, name: "canvas_apply_patch", parameters: {} }],
  }),
];
const nodesById = new Map(nodes.map((one) => [one.id, one]));
const now = Date.UTC(2026, 10, 20, 12);
const reader = { selfId: null, nodesById, now };
const origin = (actor: Actor, change: Partial<OpOrigin> = {}): OpOrigin => ({
  span: { replica: 3 as ReplicaId, seq: 0, length: 10 },
  version: 12,
  at: now - 60_000,
  actor,
  keptBy: null,
  rootId: actor.type === "model" ? ("root_1" as RootId) : null,
  ...change,
});

test("originWords names an agent's tool and question and links to the reply", () => {
  const words = originWords(origin(scribe), scribe, reader);
  expect(originLine(words)).toMatch(/^Scribe · .+ · r12 · canvas_apply_patch, asked “Add a section on looms”$/);
  expect(words.place).toEqual({ rootId: "root_1", nodeId: "n2" as NodeId, callId: "call_1" });
});

test("originWords attributes a kept suggestion to the agent and names the person who kept it", () => {
  const words = originWords(origin(scribe, { keptBy: ada }), scribe, reader);
  expect([words.who, words.how]).toEqual(["Scribe", "canvas_apply_patch, asked “Add a section on looms”; kept by Ada"]);
});

test("originWords links a message of another conversation to that conversation", () => {
  const words = originWords(origin(scribe, { rootId: "root_2" as RootId }), scribe, {
    ...reader,
    nodesById: new Map(),
  });
  expect(words.how).toBe("in another conversation");
  expect(words.place).toEqual({ rootId: "root_2", nodeId: null, callId: "call_1" });
});

test("originWords links no message for typed text, says You for the reader's own, and says when the origin was compacted", () => {
  expect(originWords(origin(ada), ada, reader)).toMatchObject({ who: "Ada", how: "", place: null });
  expect(originWords(origin(ada), ada, { ...reader, selfId: "ada" }).who).toBe("You");
  expect(originLine(originWords(null, ada, reader))).toBe("Ada · time unknown");
});

test("distinctOrigins lists a tool call once, however many pieces of the line it wrote", () => {
  const words = [origin(scribe), origin(ada), origin(scribe, { version: 13 })].map((one) =>
    originWords(one, one.actor, reader),
  );
  expect(distinctOrigins(words).map(({ who }) => who)).toEqual(["Scribe", "Ada"]);
});

test("OriginCache requests the units of a change once, together with near ones, and requests unknown ones again later", async () => {
  const asked: (readonly OpId[])[] = [];
  let now = 0;
  const ask = async (ops: readonly OpId[]) => {
    asked.push(ops);
    return ops.map(({ replica }) => (replica === 3 ? origin(scribe) : null));
  };
  const cache = new OriginCache(ask, () => now);
  const op = (agent: number, seq: number): OpId => ({ replica: agent as ReplicaId, seq });
  expect((await cache.of([op(3, 2)], [op(9, 0)])).map((found) => found?.version)).toEqual([12]);
  expect((await cache.of([op(3, 9)], [op(8, 0)]))[0]?.version).toBe(12);
  expect(await cache.of([op(9, 0)])).toEqual([null]);
  expect(asked).toEqual([[op(3, 2), op(9, 0)]]);
  now = 10_000;
  expect(await cache.of([op(9, 0)])).toEqual([null]);
  expect(asked).toHaveLength(2);
});
