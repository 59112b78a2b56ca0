import { expect, test, vi } from "vitest";
import { err, ok } from "../../../../src/core/base/result.ts";
import { refusal } from "../../../../src/core/base/errors.ts";
import { waiting } from "../../../../src/testing/store/records.ts";
import { createWaitingActions } from "./waiting-actions.ts";

function opened(answers: readonly unknown[]) {
  const calls: unknown[] = [];
  const reported: unknown[] = [];
  const back: (readonly string[])[] = [];
  const left = [...answers];
  const client = {
    call: async (name: string, { clientRequestId: _id, ...params }: Record<string, unknown>) => {
      calls.push([name, params]);
      return left.shift();
    },
  };
  const follow = vi.fn();
  const actions = createWaitingActions({
    store: { follow },
    draft: { putBack: (texts) => void back.push(texts) },
    client: client as never,
    tell: (problem) => void reported.push(problem),
  });
  return { actions, calls, reported, back, follow };
}

const message = waiting("1");
const place = { runId: "run_a", id: message.id };

test("14.22 editing holds the message first, and saving it lets it wait again", async () => {
  const { actions, calls } = opened([ok({ version: 2, nodeId: null }), ok({ version: 3, nodeId: null })]);
  const held = await actions.hold(message);
  expect(held).toMatchObject({ state: "held", version: 2 });
  if (held !== null) expect(await actions.save(held, "better", { release: true })).toBe(true);
  expect(calls).toEqual([
    ["waiting.change", { ...place, version: 1, state: "held" }],
    ["waiting.change", { ...place, version: 2, text: "better", state: "waiting" }],
  ]);
});

test.each([
  ["came too late", refusal("MESSAGE_TAKEN", { node_id: "node_9" })],
  ["is of a message that another person withdrew", refusal("NODE_NOT_FOUND")],
  ["is of an older version", refusal("CONFLICT")],
])("an edit that %s is reported, and its text returns to the composer", async (_why, refused) => {
  const { actions, reported, back } = opened([err(refused)]);
  expect(await actions.save(message, "better", { release: true })).toBe(false);
  expect([reported, back]).toEqual([[refused], [["better"]]]);
});

test("a withdrawn message returns to the composer, and a discarded one does not", async () => {
  const { actions, back } = opened([ok({ text: "hello" }), ok({ text: "hello" })]);
  actions.withdraw(message, { discard: false });
  actions.withdraw(message, { discard: true });
  await vi.waitFor(() => expect(back).toEqual([["hello"]]));
});

test("a held message that is sent gets a turn of its own, which the page follows", async () => {
  const { actions, calls, follow } = opened([ok({ version: 2, nodeId: "node_1" })]);
  actions.send({ ...message, state: "held" });
  expect(calls).toEqual([["waiting.change", { ...place, version: 1, state: "waiting", deliver: "queue" }]]);
  expect(follow).toHaveBeenCalledWith(message.runId);
});
