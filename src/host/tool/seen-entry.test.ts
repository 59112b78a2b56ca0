import { expect, test } from "vitest";
import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../../core/base/actor.ts";
import type { HistoryEntry } from "../../core/block/history.ts";
import type { Reach } from "../access/reach.ts";
import { callId, model, person, root, run, runId } from "../../testing/store/records.ts";
import { seenEntry } from "./seen-entry.ts";
import type { ToolPorts } from "./runnable.ts";

const shared = root("shared");
const others = root("others");

/** An edit as a person with these rights sees it: whether it names the call that made it. */
async function namesCall(actor: Actor, reach: Reach | null): Promise<boolean> {
  const runs = [run("in-shared", { rootId: shared.id }), run("in-others", { rootId: others.id })];
  const store = {
    run: async (id: string) => runs.find((each) => each.id === id) ?? null,
    root: async (id: string) => [shared, others].find((each) => each.id === id) ?? null,
  };
  const body = { type: "status", status: "done" } as const;
  const entry: HistoryEntry = { firstVersion: 1, version: 2, at: 0, actor, toolCallId: callId("1"), body, delta: [] };
  const seen = await seenEntry(entry, { reach, ports: { store } as unknown as ToolPorts });
  expect(isDeepStrictEqual({ ...seen, toolCallId: entry.toolCallId }, entry)).toBe(true);
  return seen.toolCallId !== undefined;
}

/** Who may know of the shared conversation alone. */
const inShared: Reach = {
  document: () => false,
  canvas: () => false,
  conversation: ({ id }) => id === shared.id,
  folder: () => false,
  folderPath: () => false,
};

function byRun(name: string, rest: object = {}): Actor {
  return { ...model("1"), runId: runId(name), ...rest } as Actor;
}

test.each<[string, Actor, Reach | null, boolean]>([
  ["an agent in a conversation that I may know of", byRun("in-shared"), inShared, true],
  ["an agent in a conversation of others", byRun("in-others"), inShared, false],
  ["an agent of a conversation that is deleted", byRun("gone"), inShared, false],
  ["an agent, for whoever may know of everything", byRun("in-others"), null, true],
  ["a person", person, inShared, true],
  [
    "a program from outside",
    byRun("gone", { outside: { via: "mcp", client: null, onBehalfOf: "Ada" } }),
    inShared,
    true,
  ],
])("an edit by %s names its call where its conversation may be known", async (_who, actor, reach, isNamed) => {
  expect(await namesCall(actor, reach)).toBe(isNamed);
});
