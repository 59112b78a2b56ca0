import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import type { NodeId, ToolCallId } from "../base/ids.ts";
import { textOf } from "../message/content.ts";
import { checkTranscript } from "../message/transcript.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../message/types.ts";
import { Tree } from "./forest.test-support.ts";
import { sentMessages, sentPath } from "./sent-path.ts";
import type { Compacts, ForestNode } from "./types.ts";

const said = (text: string): UserMessage => ({ role: "user", content: [{ type: "text", text }] });
const summary = (text: string): UserMessage => ({ ...said(text), instruction: "compaction" });
const thought = (text: string): AssistantMessage => ({
  role: "assistant",
  content: [
    { type: "thinking", text: "hm", signature: `signed ${text}` },
    { type: "text", text, native: { api: "x", data: { id: text } } },
  ],
});
const calls = (...ids: readonly string[]): AssistantMessage => ({
  role: "assistant",
  content: [
    { type: "text", text: "looking" },
    ...ids.map((id) => ({ type: "tool-use", id: id as ToolCallId, name: "look", parameters: {} }) as const),
  ],
});
const result = (id: string): ToolMessage => ({
  role: "tool",
  tool_call_id: id as ToolCallId,
  tool_name: "look",
  content: [{ type: "text", text: `seen by ${id}` }],
  outcome: "ok",
});

function pathOf(...messages: readonly [Message, ...Message[]]): ForestNode[] {
  const tree = new Tree();
  tree.grow(null, ...messages);
  return [...tree.nodes];
}

const compacts = (through: NodeId | null): Compacts => ({
  through,
  messages: 1,
  tokensBefore: 100,
  tokensAfter: 10,
  by: "share",
  model: "m/m",
});

/** Changes the node at an index. */
function changed(path: readonly ForestNode[], index: number, change: Partial<ForestNode>): ForestNode[] {
  return path.map((node, at) => (at === index ? { ...node, ...change } : node));
}

const texts = (path: readonly ForestNode[]): readonly string[] => sentMessages(path).map(textOf);
const thinks = (path: readonly ForestNode[]): readonly boolean[] =>
  sentMessages(path)
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => (content as readonly { readonly type: string }[]).some(({ type }) => type === "thinking"));

describe("14.8 a message that a person left out", () => {
  const whole = pathOf(said("a"), calls("1", "2"), result("1"), result("2"), thought("b"), said("c"));

  test("is not sent, and is sent again as it was once it is included", () => {
    const without = changed(whole, 0, { excluded: true });
    expect(texts(without)).toEqual(["looking", "seen by 1", "seen by 2", "b", "c"]);
    expect(sentPath(without).leftOut.get(whole[0]?.id ?? ("" as NodeId))).toEqual({
      reason: "excluded",
      with: whole[0]?.id,
    });
    expect(sentMessages(whole)).toEqual(whole.map(({ message }) => message));
    expect(sentPath(whole).view).toBeNull();
  });

  test.each([1, 2, 3])("takes its whole round along: the one at %i of a call and two results", (index) => {
    const without = changed(whole, index, { excluded: true });
    expect(texts(without)).toEqual(["a", "b", "c"]);
    expect([...sentPath(without).leftOut.keys()]).toEqual([whole[1], whole[2], whole[3]].map((node) => node?.id));
  });

  test("takes the thinking of the replies after it along, which was bound to it; replies made without it keep theirs", () => {
    const without = changed(whole, 0, { excluded: true });
    expect(thinks(whole)).toEqual([false, true]);
    expect(thinks(without)).toEqual([false, false]);
    expect(JSON.stringify(sentMessages(without))).not.toContain("native");
    const { view } = sentPath(without);
    const tree = new Tree();
    tree.nodes = without;
    tree.grow(whole.at(-1)?.id ?? null, thought("d"), said("e"));
    const made = changed(tree.nodes, 6, { request: { model: "m/m", view: view ?? "" } });
    expect(thinks(made)).toEqual([false, false, true]);
    // Included again, the earlier thinking is valid, and the thinking without it is not.
    expect(thinks(made.map(({ excluded: _left, ...node }) => node))).toEqual([false, true, false]);
  });
});

describe("14.21 a compaction node", () => {
  const path = pathOf(said("a"), thought("b"), said("c"), thought("d"), summary("short"), thought("e"), said("f"));
  const at = (through: number, change: Partial<Compacts> = {}): ForestNode[] =>
    changed(path, 4, { compacts: { ...compacts(path[through]?.id ?? null), ...change } });

  test("replaces the messages through the one it names, and precedes those that are kept", () => {
    expect(texts(at(1))).toEqual(["short", "c", "d", "e", "f"]);
    expect(texts(at(3))).toEqual(["short", "e", "f"]);
    expect([...sentPath(at(1)).leftOut.values()]).toEqual([
      { reason: "summed-up", by: path[4]?.id },
      { reason: "summed-up", by: path[4]?.id },
    ]);
  });

  test("that is switched off is not sent, and the whole path is", () => {
    expect(texts(at(1, { off: true }))).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(thinks(at(1, { off: true }))).toEqual([true, true, true]);
  });

  test("takes the thinking of the kept replies along; what is said after it keeps its own", () => {
    const compacted = at(1);
    const { view } = sentPath(compacted.slice(0, 5));
    expect(thinks(changed(compacted, 5, { request: { model: "m/m", view: view ?? "" } }))).toEqual([false, true]);
    // Its text is part of the prefix, so an edit of it takes the thinking after it along.
    const edited = changed(compacted, 5, { request: { model: "m/m", view: view ?? "" } });
    expect(thinks(changed(edited, 4, { message: summary("shorter") }))).toEqual([false, false]);
  });

  test("of a stretch that was deleted since replaces nothing and is still sent", () => {
    expect(texts(changed(path, 4, { compacts: compacts(null) }))).toEqual(["short", "a", "b", "c", "d", "e", "f"]);
  });

  test("gives way to a later one, and to the earlier one again when the later one is off", () => {
    const tree = new Tree();
    tree.nodes = at(1);
    tree.grow(path.at(-1)?.id ?? null, summary("shorter"), said("g"));
    const two = changed(tree.nodes, 7, { compacts: compacts(path[5]?.id ?? null) });
    expect(texts(two)).toEqual(["shorter", "f", "g"]);
    expect(texts(changed(two, 7, { compacts: { ...compacts(path[5]?.id ?? null), off: true } }))).toEqual([
      "short",
      "c",
      "d",
      "e",
      "f",
      "g",
    ]);
  });
});

test("TR1 TR2 TR6 in any choice of what is left out and summed up, calls keep their results, and a beginning of a path is sent as the beginning of what is sent of the path", () => {
  const kinds = fc.array(fc.tuple(fc.constantFrom("user", "reply", "calls", "summary"), fc.boolean(), fc.nat(12)), {
    minLength: 1,
    maxLength: 14,
  });
  fc.assert(
    fc.property(kinds, (drawn) => {
      const tree = new Tree();
      let last: NodeId | null = null;
      for (const [at, [kind, flag, back]] of drawn.entries()) {
        const before = tree.nodes;
        const ids = [`${at}-1`, `${at}-2`] as const;
        const grown: readonly [Message, ...Message[]] =
          kind === "user"
            ? [said(`u${at}`)]
            : kind === "reply"
              ? [thought(`r${at}`)]
              : kind === "calls"
                ? [calls(...ids), result(ids[0]), result(ids[1])]
                : [summary(`s${at}`)];
        const first = before.length;
        last = tree.grow(last, ...grown).id;
        // A stretch ends after a round.
        const ends = before.filter((_node, index) => before[index + 1]?.message.role !== "tool");
        const through = ends[ends.length - 1 - (back % Math.max(1, ends.length))]?.id ?? null;
        const { view } = sentPath(before);
        tree.nodes = tree.nodes.map((node, index) => {
          if (index < first) return node;
          if (kind === "summary")
            return { ...node, compacts: { ...compacts(through), ...(flag ? { off: true } : {}) } };
          if (node.message.role === "assistant") {
            return {
              ...node,
              request: { model: "m/m", ...(view === null ? {} : { view }) },
              ...(flag ? { excluded: true } : {}),
            };
          }
          return flag && node.message.role === "user" ? { ...node, excluded: true } : node;
        });
      }
      const whole = tree.nodes;
      expect(checkTranscript(sentMessages(whole)).ok).toBe(true);
      for (let length = 1; length < whole.length; length += 1) {
        const part = whole.slice(0, length);
        // Between two changes of what is in use the prefix is stable; a compaction node is such a change.
        if (whole.slice(length).some(({ compacts: own }) => own !== undefined && own.off !== true)) continue;
        if (whole[length]?.message.role === "tool") continue;
        const sent = sentMessages(part);
        expect(sentMessages(whole).slice(0, sent.length)).toEqual(sent);
      }
    }),
    { numRuns: scaled(300) },
  );
});

test("a summary that is switched off is left out, and what it summed up is sent", () => {
  const path = pathOf(said("q"), thought("a"), summary("Short."), said("next"));
  const off = path.map((node, at) =>
    at === 2 ? { ...node, compacts: { ...compacts(path[1]?.id ?? null), off: true } } : node,
  );
  const { sent, leftOut } = sentPath(off as ForestNode[]);
  expect(sent.map(({ node }) => textOf(node.message))).toEqual(["q", "a", "next"]);
  expect([...leftOut]).toEqual([[path[2]?.id, { reason: "unused-summary" }]]);
});
