import { describe, expect, test } from "vitest";
import type { Actor } from "../../../core/base/actor.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Message, UserMessage } from "../../../core/message/types.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { RunRecord } from "../../../core/port/store.ts";
import { systemActor } from "../base/actors.ts";
import { BranchDraft, type BranchContext } from "./branch-draft.ts";

const ada = { type: "person", id: "ada", name: "Ada" } as Actor;
const model = { type: "model", id: "model:a/b", name: "Bee" } as Actor;
const record = { id: "run", rootId: "root", turnId: "turn", model: "a/b" } as unknown as RunRecord;
const said = (text: string, facts: object = {}): UserMessage => ({
  role: "user",
  content: [{ type: "text", text }],
  ...facts,
});
const reply = (text: string, facts: object = {}): Message => ({
  role: "assistant",
  content: [{ type: "text", text }],
  ...facts,
});
const update = said("The canvas changed.", { update: { canvasId: "canvas" } });
const request = { model: "a/b" } as never;

function draft(
  context: Partial<BranchContext> = {},
  existing: readonly ForestNode[] = [],
  head: ForestNode | null = null,
) {
  let last = 0;
  const made = new BranchDraft(head, existing, {
    newNodeId: () => `new-${(last += 1)}` as NodeId,
    authorOf: (message, sender) => (message.role === "assistant" ? model : sender),
    notices: { before: [], canvas: null } as never,
    untold: null,
    now: 7,
    ...context,
  });
  const add = (message: Message, facts: object = {}): void =>
    made.add({ type: "save-message", message, usage: null, headMoves: true, ...facts } as never, ada, record);
  return {
    made,
    add,
    changes: () => made.changes.map(({ type, node }) => `${type === "node-added" ? "+" : "~"} ${node.id}`),
  };
}
const node = (id: string, message: Message, facts: object = {}): ForestNode =>
  ({
    id,
    rootId: "root",
    parentId: null,
    prefixHash: prefixHash(null, message),
    message,
    createdAt: 1,
    ...facts,
  }) as unknown as ForestNode;

describe("what an event adds to a branch", () => {
  test("is a chain of nodes from the head, each with its author, turn and hash", () => {
    const { made, add } = draft();
    const [question, answer] = [said("Hi?"), reply("Hello.")];
    add(question);
    add(answer, { usage: noUsage });
    const first = prefixHash(null, question);
    const common = { rootId: "root", runId: "run", turnId: "turn", createdAt: 7 };
    expect(made.changes).toEqual([
      {
        type: "node-added",
        node: { ...common, id: "new-1", parentId: null, prefixHash: first, message: question, actor: ada, usage: null },
      },
      {
        type: "node-added",
        node: {
          ...common,
          id: "new-2",
          parentId: "new-1",
          prefixHash: prefixHash(first, answer),
          message: answer,
          actor: model,
          usage: noUsage,
        },
      },
    ]);
    expect(made.head?.id).toBe("new-2");
  });

  test("leaves the head where a broken attempt stays beside the branch", () => {
    const { made, add, changes } = draft();
    add(said("Hi?"));
    add(reply("Hel", { interrupted: true }), { headMoves: false });
    expect([made.head?.id, changes()]).toEqual(["new-1", ["+ new-1", "+ new-2"]]);
  });

  test("keeps the id under which people saw a message wait", () => {
    const { made, add } = draft({}, [node("old", said("Hi?"))]);
    add(said("Hi?"), { waiting: "waited" });
    expect(made.head?.id).toBe("waited");
  });

  test("has canvas updates before the first message of a person, and the canvas with that message", () => {
    const canvas = { id: "canvas" } as never;
    const { made, add } = draft({ notices: { before: [update], canvas } as never });
    add(reply("Wait."));
    add(said("Instruction.", { instruction: "edit" }));
    add(said("Hi?"));
    add(said("And?"));
    expect(
      made.changes.map(({ node: { message, actor, canvas: about } }) => [message === update, actor.name, about]),
    ).toEqual([
      [false, "Bee", undefined],
      [false, "Ada", undefined],
      [true, systemActor.name, undefined],
      [false, "Ada", canvas],
      [false, "Ada", canvas],
    ]);
  });

  test("names the request of a reply, and of nothing else", () => {
    const { made, add } = draft({ request });
    add(said("Hi?"));
    add(reply("Hello."));
    expect(made.changes.map(({ node: each }) => each.request)).toEqual([undefined, request]);
  });

  test("tells a model once of the edits in its replies, before the person's words", () => {
    const edited = node("said", reply("Hello there."), { edited: { by: [ada], original: "Hello." } });
    const { made, add } = draft({ untold: [edited] }, [], edited);
    add(reply("More."));
    add(said("Hi?"));
    add(said("Again?"));
    made.tellEdits(record);
    expect(
      made.changes.map(({ node: { message } }) =>
        message.role === "user" ? (message.instruction ?? "said") : message.role,
      ),
    ).toEqual(["assistant", "edit", "said", "said"]);
  });
});

describe("messages that are there already", () => {
  test("are taken instead of new ones, level by level", () => {
    const { made, add, changes } = draft({ notices: { before: [update], canvas: null } as never }, [
      node("a", update),
      node("b", said("Hi?")),
    ]);
    add(said("Hi?"));
    expect([changes(), made.head?.id]).toEqual([[], "b"]);
    add(said("New."));
    expect([changes(), made.head?.parentId]).toEqual([["+ new-1"], "b"]);
  });

  test("and that were left out are included again", () => {
    const { made, add, changes } = draft({}, [node("a", said("Hi?"), { excluded: true })]);
    add(said("Hi?"));
    expect([changes(), made.head?.excluded]).toEqual([["~ a"], undefined]);
  });

  test("are one completion where a whole reply without calls is equal", () => {
    const equal = node("a", reply("Hello."), { actor: model });
    const whole = draft({ request }, [equal]);
    whole.add(reply("Hello."));
    expect(whole.changes()).toEqual(["~ a"]);
    const call = { type: "tool-use", id: "c", name: "look", parameters: {} };
    for (const message of [reply("Hello.", { interrupted: true }), { ...reply("Hello."), content: [call] } as never]) {
      const other = draft({}, [equal]);
      other.add(message);
      expect(other.changes()).toEqual(["+ new-1"]);
    }
    const beside = draft({}, [equal]);
    beside.add(reply("Hello."), { headMoves: false });
    expect(beside.changes()).toEqual(["+ new-1"]);
  });

  test("keep what people changed in a reply apart", () => {
    const message = reply("Hello.") as never;
    const edited = { by: [ada], original: "Hallo." };
    const { made, add, changes } = draft({ reply: { message, shown: [], edited } }, [node("a", message)]);
    add(message);
    expect([changes(), made.head?.edited]).toEqual([["+ new-1"], edited]);
  });
});

test("the live blocks of a reply point at its node", () => {
  const message = reply("Hello.") as Extract<Message, { role: "assistant" }>;
  const authors = [{ block: 0, from: 0, to: 1, actor: ada }];
  const { made, add } = draft({ reply: { message, shown: [{ id: "live" as never, block: 0 }], authors } });
  add(said("Hi?"));
  add(message);
  expect([...made.placesByBlock]).toEqual([["live", { nodeId: "new-2", block: 0 }]]);
  expect(made.changes.map(({ node: each }) => each.authors)).toEqual([undefined, authors]);
});

test("a compaction node becomes the head, with its request and canvas", () => {
  const { made } = draft({ request });
  const message = said("Summary.");
  const compacts = { through: "x" } as never;
  const save = { type: "save-compaction", message, compacts, canvas: null, usage: noUsage } as never;
  made.addCompaction(save, record);
  expect(made.head).toMatchObject({ id: "new-1", compacts, request, actor: systemActor, usage: noUsage });
  expect(made.head).not.toHaveProperty("canvas");
  made.addCompaction({ ...(save as object), canvas: { id: "canvas" } } as never, record);
  expect(made.head).toMatchObject({ id: "new-2", parentId: "new-1", canvas: { id: "canvas" } });
});
