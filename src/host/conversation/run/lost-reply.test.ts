import { describe, expect, test } from "vitest";
import type { Actor } from "../../../core/base/actor.ts";
import { states } from "../../../core/turn/turn.test-support.ts";
import { restartOf, type UnfinishedRun } from "./recovery.ts";

const ada = { type: "person", id: "ada", name: "Ada" } as Actor;
const model = { type: "model", id: "model", name: "Bee" } as Actor;
const models = {
  list: () => [],
  find: (id: string) => (id === "a/b" ? ({ info: { id: "a/b" }, api: "scripted" } as never) : undefined),
};
const idempotent = { idempotent: true } as never;
const facts = { models, tools: { facts: (name: string) => (name === "look" ? idempotent : null) }, now: 7 } as never;

const block = (id: string, text: string, rest: object = {}): object => ({
  id,
  kind: "text",
  text,
  metadata: { run_id: "run" },
  edit: null,
  ...rest,
});

function restart(
  state: object,
  blocks: readonly object[],
  rest: { readonly model?: string; readonly effects?: readonly object[] } = {},
) {
  const { model: id = "a/b", effects = [] } = rest;
  return restartOf({ run: { id: "run", state, model: id }, effects, blocks } as unknown as UnfinishedRun, facts);
}

describe("what a lost reply had shown", () => {
  test("is kept as an interrupted reply of its model: the words alone, of this run", () => {
    const { event, reply } = restart(states.requesting, [
      block("one", "Hello. \n"),
      block("blank", " \n"),
      block("thought", "Hm.", { kind: "thinking" }),
      block("other", "No.", { metadata: { run_id: "other" } }),
      block("two", "There."),
    ]);
    const message = {
      role: "assistant",
      interrupted: true,
      content: [
        { type: "text", text: "Hello." },
        { type: "text", text: "There." },
      ],
    };
    expect(event).toMatchObject({ type: "process-restarted", partial: message, calls: [], now: 7 });
    expect(reply).toMatchObject({
      message: { origin: { model: "b" } },
      shown: [
        { id: "one", block: 0 },
        { id: "two", block: 1 },
      ],
    });
    expect(Object.keys(reply ?? {}).toSorted()).toEqual(["message", "shown"]);
  });

  test("has no origin where its model is gone", () => {
    expect(restart(states.requesting, [block("one", "Hi.")], { model: "x/gone" }).reply?.message).toEqual({
      role: "assistant",
      interrupted: true,
      content: [{ type: "text", text: "Hi." }],
    });
  });

  test("is nothing without words, and for a run that asked for no reply", () => {
    expect(restart(states.requesting, [block("blank", " ")])).toMatchObject({ event: { partial: null } });
    expect(restart(states.requesting, []).reply).toBeUndefined();
    expect(restart(states.idle, [block("one", "Hi.")]).reply).toBeUndefined();
    expect(restart(states["running-tools"], [block("one", "Hi.")]).reply).toBeUndefined();
  });

  test("names those who changed it, in a line where the model is asked again", () => {
    const edit = {
      original: "Hello.",
      editors: [ada],
      authors: [
        { from: 0, to: 3, by: model },
        { from: 3, to: 99, by: ada },
        { from: 8, to: 9, by: ada },
      ],
    };
    const blocks = [
      block("one", "Hi there.  ", { edit: { ...edit, authors: [...edit.authors, { from: 9, to: 11, by: ada }] } }),
    ];
    const asked = restart(states.requesting, blocks).reply;
    expect(asked).toMatchObject({
      authors: [
        { block: 0, from: 3, to: 9, actor: ada },
        { block: 0, from: 8, to: 9, actor: ada },
      ],
      edited: { by: [ada], original: "Hello." },
    });
    expect(JSON.stringify(asked?.message)).toContain("Ada changed this reply while it streamed");
    const stopped = restart(states.cancelling, blocks).reply;
    expect([stopped?.edited?.original, JSON.stringify(stopped?.message).includes("changed this reply")]).toEqual([
      "Hello.",
      false,
    ]);
  });

  test("that ended as it began has no original", () => {
    const edit = { original: "Hi.", editors: [ada], authors: [] };
    const { reply } = restart(states.requesting, [block("one", "Hi. ", { edit })]);
    expect(Object.keys(reply ?? {}).toSorted()).toEqual(["message", "shown"]);
  });
});

test("the calls of a dead process are told as they were: started or not, safe to repeat or not, allowed by whom", () => {
  const call = (name: string, startedAt: number | null, approved?: true): object => ({
    effect: { type: "run-tool", call: { id: `call-${name}`, name }, approved },
    startedAt,
  });
  const { event } = restart(states["running-tools"], [], {
    effects: [call("look", 5), call("write", null, true), { effect: { type: "request-model" }, startedAt: null }],
  });
  expect(event).toMatchObject({
    calls: [
      { callId: "call-look", started: true, idempotent: true },
      { callId: "call-write", started: false, idempotent: false, approved: true },
    ],
  });
});
