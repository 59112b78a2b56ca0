import { beforeEach, describe, expect, test } from "vitest";
import type { Actor } from "../../../core/base/actor.ts";
import type { NodeId, RunId } from "../../../core/base/ids.ts";
import { err, ok } from "../../../core/base/result.ts";
import { refusal } from "../../../core/base/errors.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { waitingMax, type WaitingMessage } from "../../../core/turn/state/waiting.ts";
import { states } from "../../../core/turn/turn.test-support.ts";
import type { EventContext } from "../plan/event-context.ts";
import type { Plan } from "../plan/plan.ts";
import type { CommandBase } from "./command-base.ts";
import { WaitingCommands } from "./waiting-commands.ts";

const ada = { type: "person", id: "ada", name: "Ada" } as Actor;
const runId = "run" as RunId;
const image = { type: "image", mediaType: "image/png", source: {} };
const said = (text: string, ...media: readonly object[]) =>
  ({ role: "user", content: [...media, { type: "text", text }] }) as never;
const message = (id: string, facts: Partial<WaitingMessage> = {}): WaitingMessage =>
  ({
    id,
    runId,
    place: 1,
    version: 1,
    state: "waiting",
    deliver: "queue",
    message: said(id),
    actor: ada,
    at: 1,
    ...facts,
  }) as WaitingMessage;

let commits: Plan[];
let taken: { readonly event: object; readonly context: EventContext }[];
let state: keyof typeof states;
let waiting: readonly WaitingMessage[];
/** What the interrupted run does: the head that it gets. */
let headAfter: string | null;
let isWhole: boolean;
let knowsNode: boolean;

beforeEach(() => {
  [commits, taken, state, waiting, headAfter, isWhole, knowsNode] = [[], [], "requesting", [], null, true, false];
});

function commands(): WaitingCommands {
  const record = { id: runId, state: states[state] };
  const run = { id: runId, snapshot: { record, waiting, head: null, isStored: true, openEffects: [], liveBlocks: [] } };
  const base = {
    rootId: "root",
    allRunIds: [runId, "other"],
    deps: { ids: { node: () => "new" }, platform: { clock: { now: () => 7 } } },
    withRun: (_id: unknown, job: (given: object) => unknown) => job(run),
    isWhole: async () => (isWhole ? ok(undefined) : err(refusal("MESSAGE_INVALID", {}))),
    nodeHere: async (id: string) => (knowsNode ? ok({ id }) : err(refusal("NODE_NOT_FOUND", {}))),
    conversation: {
      commit: async (plan: Plan) => (commits.push(plan), ok(undefined)),
      take: async (_run: unknown, event: object, context: EventContext) => {
        taken.push({ event, context });
        commits.push(context.alongside?.({ headNodeId: headAfter, runIds: [runId] } as never) ?? {});
        return ok(undefined);
      },
    },
  };
  Object.assign(run, { base });
  return new WaitingCommands(base as unknown as CommandBase);
}
const remember = (answer: object): readonly StoreWrite[] => [{ type: "remember", answer } as never];
/** The answers that were stored with the effect of a request. */
const remembered = (): readonly object[] =>
  commits.flatMap(({ writes = [] }) => writes.flatMap((write) => ("answer" in write ? [write.answer as object] : [])));
/** The waiting messages as the last commit leaves them. */
const left = (): readonly string[] =>
  (commits.at(-1)?.runs?.[0]?.next.waiting ?? []).map(
    ({ id, place, version, deliver, state: now }) => `${id} ${place} v${version} ${deliver} ${now}`,
  );
const add = (deliver: "queue" | "steer" | "interrupt") =>
  commands().add(
    {
      id: runId,
      snapshot: { record: { state: states[state] }, waiting, isStored: true, openEffects: [], liveBlocks: [] },
    } as never,
    { actor: ada, message: said("Hi"), settings: {} },
    deliver,
    remember,
  );
const change = (id: string, wish: object) =>
  commands().change(ada, { runId, id: id as NodeId, version: 1, ...wish }, remember);

describe("a message to a run at work", () => {
  test.each(["queue", "steer"] as const)("waits behind the others: %s", async (deliver) => {
    waiting = [message("a"), message("b", { place: 4 })];
    expect(await add(deliver)).toEqual(ok({ nodeId: null, runId, runIds: [runId], queued: true, waitingId: "new" }));
    expect(left()).toEqual(["a 1 v1 queue waiting", "b 4 v1 queue waiting", `new 5 v1 ${deliver} waiting`]);
    expect([taken, commits[0]?.preempts]).toEqual([[], []]);
    expect(remembered()).toMatchObject([{ waitingId: "new" }]);
  });

  test("interrupts the turn, and is the next message of the branch", async () => {
    waiting = [message("a")];
    headAfter = "new";
    expect(await add("interrupt")).toEqual(
      ok({ nodeId: "new", runId, runIds: [runId], queued: false, waitingId: null }),
    );
    expect(taken).toMatchObject([
      {
        event: { type: "turn-cancelled", reason: "stopped" },
        context: { interruption: { id: "new", place: 0, deliver: "queue" }, preempts: [runId, "other"] },
      },
    ]);
    expect(remembered()).toMatchObject([{ nodeId: "new", queued: false }]);
  });

  test("waits for a turn that takes time to stop", async () => {
    headAfter = "else";
    expect(await add("interrupt")).toMatchObject(ok({ nodeId: null, queued: true, waitingId: "new" }));
  });

  test.each(["cancelling", "cancelling-sub-agents"] as const)(
    "goes first where the run is stopping already: %s",
    async (stopping) => {
      state = stopping;
      waiting = [message("a")];
      expect(await add("interrupt")).toMatchObject(ok({ queued: true }));
      expect(left()).toEqual(["new 0 v1 queue waiting", "a 1 v1 queue waiting"]);
      expect([taken, commits[0]?.preempts]).toEqual([[], [runId, "other"]]);
    },
  );

  test("is refused where too many wait", async () => {
    waiting = Array.from({ length: waitingMax }, (_, index) => message(`m${index}`));
    expect(await add("queue")).toMatchObject({ error: { code: "QUEUE_FULL" } });
    expect(commits).toEqual([]);
  });
});

describe("a waiting message", () => {
  beforeEach(() => {
    waiting = [message("a"), message("b", { place: 2, state: "held", deliver: "steer" }), message("c", { place: 3 })];
  });

  test("is changed, which raises its version", async () => {
    expect(await change("b", { text: "New.", state: "waiting", deliver: "queue" })).toEqual(
      ok({ version: 2, nodeId: null }),
    );
    expect(left()).toEqual(["a 1 v1 queue waiting", "b 2 v2 queue waiting", "c 3 v1 queue waiting"]);
    expect(remembered()).toEqual([{ version: 2, nodeId: null }]);
    await change("b", {});
    expect(left()[1]).toBe("b 2 v2 steer held");
  });

  test.each<readonly [before: string | null | undefined, order: readonly string[]]>([
    [undefined, ["a 1", "b 2", "c 3"]],
    ["a", ["b 1", "a 2", "c 3"]],
    ["b", ["a 1", "b 2", "c 3"]],
    [null, ["a 1", "c 2", "b 3"]],
    ["gone", ["a 1", "c 2", "b 3"]],
  ])("goes before %s: %j", async (before, order) => {
    await change("b", before === undefined ? {} : { before });
    expect(left().map((each) => each.split(" v")[0])).toEqual(order);
    expect(left().filter((each) => each.includes(" v1 ")).length).toBe(2);
  });

  test("keeps its images with other words, and cannot be empty", async () => {
    waiting = [message("a", { message: said("Look.", image) }), message("b")];
    await change("a", { text: " " });
    expect(commits[0]?.runs?.[0]?.next.waiting[0]?.message.content).toEqual([image]);
    await change("a", { text: "See?" });
    expect(commits[1]?.runs?.[0]?.next.waiting[0]?.message.content).toEqual([image, { type: "text", text: "See?" }]);
    expect(await change("b", { text: " " })).toMatchObject({ error: { code: "MESSAGE_INVALID" } });
  });

  test("is changed only as the person saw it", async () => {
    expect(await change("a", { version: 2 })).toMatchObject({
      error: { code: "CONFLICT", details: { expected: 2, actual: 1 } },
    });
    expect(await change("gone", {})).toMatchObject({ error: { code: "NODE_NOT_FOUND" } });
    knowsNode = true;
    expect(await change("gone", {})).toMatchObject({ error: { code: "MESSAGE_TAKEN" } });
  });

  test("is sent where the run is free", async () => {
    state = "idle";
    expect(await change("b", { state: "waiting" })).toEqual(ok({ version: 2, nodeId: "b" }));
    expect(taken).toMatchObject([
      { event: { type: "message-sent", waiting: "b" }, context: { sender: ada, settings: {} } },
    ]);
    expect(remembered()).toEqual([{ version: 2, nodeId: "b" }]);
    expect(await change("b", { text: "Held still." })).toEqual(ok({ version: 2, nodeId: null }));
    isWhole = false;
    expect(await change("b", { state: "waiting" })).toMatchObject({ error: { code: "MESSAGE_INVALID" } });
    state = "context-exhausted";
    isWhole = true;
    expect((await change("b", { state: "waiting" })).ok).toBe(false);
    expect(taken.length).toBe(1);
  });

  test("interrupts the turn, first of all and no longer held", async () => {
    headAfter = "b";
    expect(await change("b", { deliver: "interrupt" })).toEqual(ok({ version: 2, nodeId: "b" }));
    expect(taken).toMatchObject([
      { context: { interruption: { id: "b", state: "waiting", deliver: "queue", place: 0 } } },
    ]);
    expect(remembered()).toEqual([{ version: 2, nodeId: "b" }]);
    headAfter = "else";
    expect(await change("b", { deliver: "interrupt" })).toEqual(ok({ version: 2, nodeId: null }));
    state = "cancelling";
    await change("b", { deliver: "interrupt" });
    expect([taken.length, left()[0]]).toEqual([2, "b 0 v2 queue waiting"]);
  });

  test("goes back to the person who withdraws it", async () => {
    waiting = [
      message("a"),
      message("b", {
        message: {
          role: "user",
          content: [{ type: "text", text: "One." }, image, { type: "text", text: "Two." }],
        } as never,
      }),
    ];
    expect(await commands().withdraw({ runId, id: "b" as NodeId, version: 1 }, remember)).toEqual(
      ok({ text: "One.\n\nTwo." }),
    );
    expect([left(), remembered()]).toEqual([["a 1 v1 queue waiting"], [{ text: "One.\n\nTwo." }]]);
    expect(await commands().withdraw({ runId, id: "b" as NodeId, version: 9 }, remember)).toMatchObject({
      error: { code: "CONFLICT" },
    });
  });
});
