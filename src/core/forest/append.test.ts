import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import type { ActorId, NodeId, RootId } from "../base/ids.ts";
import { asking, assistant, result, user } from "../message/message.test-support.ts";
import type { Message } from "../message/types.ts";
import { planAppend, prepareAppend } from "./append.ts";
import { planEdit } from "./edit.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** A root kept in an array, with the look-ups that a store does for the host. */
class Grove {
  readonly nodes: ForestNode[] = [];

  /** Appends and gives the id of the last node, or the code of the refusal. */
  append(parentId: NodeId | null, messages: readonly unknown[]): NodeId | null | string {
    const prepared = prepareAppend(this.#path(parentId), messages);
    if (!prepared.ok) return prepared.error.code;
    const standing: ForestNode[] = [];
    for (const { prefixHash: hash } of prepared.value) {
      const parent = standing.at(-1)?.id ?? parentId;
      const found = this.nodes.find((node) => node.parentId === parent && node.prefixHash === hash);
      if (found === undefined) break;
      standing.push(found);
    }
    const plan = planAppend(parentId, prepared.value, standing);
    let last = plan.attachTo;
    for (const { message, prefixHash: hash } of plan.created) {
      const node = this.#node(last, hash, message);
      this.nodes.push(node);
      last = node.id;
    }
    return last;
  }

  #path(nodeId: NodeId | null): readonly ForestNode[] {
    const node = this.nodes.find((each) => each.id === nodeId);
    return node === undefined ? [] : [...this.#path(node.parentId), node];
  }

  #node(parentId: NodeId | null, hash: string, message: Message): ForestNode {
    const at = this.nodes.length;
    return {
      id: `n${at}` as NodeId,
      rootId: "root" as RootId,
      parentId,
      prefixHash: hash,
      message,
      actor: { type: "person", id: "p" as ActorId, name: "Ada" },
      runId: null,
      turnId: null,
      usage: null,
      createdAt: at,
    };
  }
}

describe("append", () => {
  test("F-02 of nothing is the parent", () => {
    const grove = new Grove();
    expect(grove.append(null, [])).toBe(null);
    const first = grove.append(null, [user("u")]);
    expect(grove.append("n0" as NodeId, [])).toBe(first);
  });

  test("F-04 two answers share their question", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), assistant("a")])).toBe("n1");
    expect(grove.append(null, [user("u"), assistant("b")])).toBe("n2");
    expect(grove.nodes.map((node) => node.parentId)).toEqual([null, "n0", "n0"]);
  });

  test("F-05 of what stands adds nothing and leaves the nodes as they are", () => {
    const grove = new Grove();
    grove.append(null, [user("u"), assistant("a")]);
    const before = JSON.stringify(grove.nodes);
    expect(
      grove.append(null, [user("u"), { ...assistant("a"), origin: { api: "x", provider: "p", model: "m" } }]),
    ).toBe("n1");
    expect(JSON.stringify(grove.nodes)).toBe(before);
  });

  test("F-07 keeps texts apart that differ in blanks only", () => {
    const grove = new Grove();
    grove.append(null, [user("x")]);
    grove.append(null, [user("  x")]);
    expect(grove.nodes).toHaveLength(2);
  });

  test("F-08 skips a message of blanks, and the next one hangs in its place", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), assistant(" \n"), user("v")])).toBe("n1");
    expect(grove.nodes[1]?.parentId).toBe("n0");
  });

  test("F-09 F-12 keeps a call alone and its empty result", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), asking("a"), result("a", "")])).toBe("n2");
  });

  test("F-10 does not find one message in two", () => {
    const grove = new Grove();
    grove.append(null, [assistant("A"), assistant("B")]);
    grove.append(null, [assistant("A B")]);
    expect(grove.nodes).toHaveLength(3);
  });

  test("F-11 with a malformed message in the middle creates nothing", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), { role: "user", content: [] }, user("v")])).toBe("MESSAGE_INVALID");
    const prepared = prepareAppend([], [user("u"), { role: "nobody" }]);
    expect(prepared.ok ? null : prepared.error.details?.["index"]).toBe(1);
    expect(grove.nodes).toEqual([]);
  });

  test("F-12 refuses a result that answers no open call of the path", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), result("a")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.append(null, [user("u"), asking("a", "b"), result("b")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.append(null, [user("u"), asking("a"), user("v")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.nodes).toEqual([]);
    const open = must(grove.append(null, [user("u"), asking("a")]), "appended") as NodeId;
    expect(grove.append(open, [result("b")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.append(open, [result("a")])).toBe("n2");
  });

  test("in pieces or whole gives the same nodes", () => {
    const chat = fc.array(fc.constantFrom(user("u"), user(" "), assistant("a"), assistant("b")), { maxLength: 8 });
    fc.assert(
      fc.property(chat, chat, fc.nat(8), (first, second, cut) => {
        const whole = new Grove();
        whole.append(null, first);
        const end = whole.append(null, second);
        const pieces = new Grove();
        pieces.append(null, first);
        const middle = pieces.append(null, second.slice(0, cut)) as NodeId | null;
        expect(pieces.append(middle, second.slice(cut))).toBe(end);
        expect(pieces.nodes).toEqual(whole.nodes);
      }),
    );
  });

  test("does not reuse a node that stands elsewhere", () => {
    const grove = new Grove();
    grove.append(null, [user("u")]);
    const prepared = prepareAppend([], [user("u")]);
    const plan = planAppend("n9" as NodeId, prepared.ok ? prepared.value : [], grove.nodes);
    expect(plan).toMatchObject({ reused: [], attachTo: "n9" });
  });
});

describe("the prefix hash", () => {
  test("is equal exactly for the same conversation so far", () => {
    const u = prefixHash(null, user("u"));
    expect(prefixHash(null, user("u"))).toBe(u);
    expect(prefixHash(u, assistant("a"))).not.toBe(prefixHash(null, assistant("a")));
    expect(prefixHash(null, user("v"))).not.toBe(u);
    expect(u).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("an edit", () => {
  const grove = new Grove();
  grove.append(null, [user("u"), asking("a"), result("a"), assistant("x")]);
  const [question, call, answerOfTool, answer] = grove.nodes;

  test("makes a sibling with the new text", () => {
    expect(planEdit(must(question, "n0"), "v")).toEqual({ ok: true, value: { type: "sibling", message: user("v") } });
    expect(planEdit(must(answer, "n3"), "y")).toEqual({
      ok: true,
      value: { type: "sibling", message: assistant("y") },
    });
  });

  test("F-20 to the same text changes nothing", () => {
    expect(planEdit(must(question, "n0"), "u")).toEqual({ ok: true, value: { type: "unchanged" } });
  });

  test.each([
    ["F-23 to an empty text", question, " \n"],
    ["F-24 of a call", call, "x"],
    ["F-24 of a result", answerOfTool, "x"],
  ])("%s is refused", (_name, node, text) => {
    const plan = planEdit(must(node, "a node"), text);
    expect(plan.ok ? "" : plan.error.code).toBe("MESSAGE_INVALID");
  });
});
