import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import type { ActorId, NodeId, RootId } from "../base/ids.ts";
import { asking, assistant, result, user } from "../message/message.test-support.ts";
import type { Match } from "../message/normalize.ts";
import type { Message } from "../message/types.ts";
import { matchingChild, planAppend, prepareAppend } from "./append.ts";
import { configHashOf } from "./config-hash.ts";
import { planEdit } from "./edit.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode, NodeVariant } from "./types.ts";
import { recordVariant, timesSaid } from "./variants.ts";

/** A root kept in an array, with the lookups that a store does for the host. */
class Grove {
  readonly nodes: ForestNode[] = [];

  /** Appends messages; returns the id of the last node, or the code of the refusal. */
  append(parentId: NodeId | null, messages: readonly unknown[], match: Match = "exact"): NodeId | null | string {
    const prepared = prepareAppend(this.#path(parentId), messages);
    if (!prepared.ok) return prepared.error.code;
    const existing: ForestNode[] = [];
    for (const { message } of prepared.value) {
      const parent = existing.at(-1)?.id ?? parentId;
      const found = matchingChild(
        this.nodes.filter((node) => node.parentId === parent),
        message,
        match,
      );
      if (found === null) break;
      existing.push(found);
    }
    const plan = planAppend(parentId, prepared.value, existing, match);
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
  test("F-02 an empty append returns the parent", () => {
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

  test("F-05 appending existing messages adds nothing and leaves the nodes unchanged", () => {
    const grove = new Grove();
    grove.append(null, [user("u"), assistant("a")]);
    const before = JSON.stringify(grove.nodes);
    expect(
      grove.append(null, [user("u"), { ...assistant("a"), origin: { api: "x", provider: "p", model: "m" } }]),
    ).toBe("n1");
    expect(JSON.stringify(grove.nodes)).toBe(before);
  });

  test("F-07 texts that differ only in blanks become separate nodes", () => {
    const grove = new Grove();
    grove.append(null, [user("x")]);
    grove.append(null, [user("  x")]);
    expect(grove.nodes).toHaveLength(2);
  });

  test("L2 two snippets with differently indented first lines become separate nodes", () => {
    const grove = new Grove();
    grove.append(null, [user("  if (a) {\n    b();\n  }")]);
    grove.append(null, [user("if (a) {\n    b();\n  }")]);
    expect(grove.nodes.map((node) => node.parentId)).toEqual([null, null]);
  });

  test("F-07 an append with `trimmed` reuses nodes that differ in outer blanks, an exact match first", () => {
    const grove = new Grove();
    grove.append(null, [user("  x"), assistant("a")]);
    expect(grove.append(null, [user("x"), assistant("a\n"), user("more")], "trimmed")).toBe("n2");
    const [question, answer, more] = grove.nodes;
    expect([question, answer, more].map((node) => node?.parentId)).toEqual([null, "n0", "n1"]);
    expect(more?.prefixHash).toBe(prefixHash(must(answer, "n1").prefixHash, user("more")));
    expect(grove.append(null, [user("x")])).toBe("n3");
    expect(grove.append(null, [user("x")], "trimmed")).toBe("n3");
    expect(grove.append(null, [user("\nx")], "trimmed")).toBe("n0");
    expect(grove.append(null, [user("y")], "trimmed")).toBe("n4");
  });

  test("F-08 an append drops an empty text within a message and keeps blanks between other texts", () => {
    const grove = new Grove();
    const text = (each: string) => ({ type: "text", text: each });
    expect(grove.append(null, [{ role: "user", content: [text("a"), text(""), text(" "), text("b")] }])).toBe("n0");
    expect(grove.nodes[0]?.message.content).toEqual([text("a"), text(" "), text("b")]);
  });

  test("F-08 an append skips a message of blanks and attaches the next one in its place", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), assistant(" \n"), user("v")])).toBe("n1");
    expect(grove.nodes[1]?.parentId).toBe("n0");
  });

  test("F-09 F-12 an append keeps a message of only a call, and its empty result", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), asking("a"), result("a", "")])).toBe("n2");
  });

  test("F-10 one joined message does not match two messages", () => {
    const grove = new Grove();
    grove.append(null, [assistant("A"), assistant("B")]);
    grove.append(null, [assistant("A B")]);
    expect(grove.nodes).toHaveLength(3);
  });

  test("F-11 an append with a malformed message in the middle creates nothing", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), { role: "user", content: [] }, user("v")])).toBe("MESSAGE_INVALID");
    const prepared = prepareAppend([], [user("u"), { role: "nobody" }]);
    expect(prepared.ok ? null : prepared.error.details?.["index"]).toBe(1);
    expect(grove.nodes).toEqual([]);
  });

  test("F-12 an append refuses a result that answers no open call of the path", () => {
    const grove = new Grove();
    expect(grove.append(null, [user("u"), result("a")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.append(null, [user("u"), asking("a", "b"), result("b")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.append(null, [user("u"), asking("a"), user("v")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.nodes).toEqual([]);
    const open = must(grove.append(null, [user("u"), asking("a")]), "appended") as NodeId;
    expect(grove.append(open, [result("b")])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.append(open, [result("a")])).toBe("n2");
  });

  test("L3 an append with unreadable arguments or blocks is refused whole and names the message", () => {
    const grove = new Grove();
    const broken = { id: "a", type: "function", function: { name: "look", arguments: "{bad" } };
    const messages = [user("u"), { role: "assistant", content: null, tool_calls: [broken] }, user("v")];
    expect(grove.append(null, messages)).toBe("TOOL_ARGUMENTS_INVALID");
    expect(grove.append(null, [user("u"), { role: "assistant", content: [{ type: "what" }] }])).toBe("MESSAGE_INVALID");
    const prepared = prepareAppend([], messages);
    expect(prepared.ok ? null : prepared.error.details).toMatchObject({ index: 1, id: "a", name: "look", raw: "{bad" });
    expect(grove.nodes).toEqual([]);
  });

  test("L4 L5 an append stores an empty result, and refuses one that answers no call", () => {
    const grove = new Grove();
    const answer = { role: "tool", content: "", tool_call_id: "a" };
    expect(grove.append(null, [user("u"), asking("a"), answer])).toBe("n2");
    expect(grove.nodes[2]?.message).toEqual(result("a", ""));
    expect(grove.append(null, [user("u"), answer])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.append(null, [user("u"), asking("a"), answer, answer])).toBe("TOOL_RESULT_UNPAIRED");
    expect(grove.nodes).toHaveLength(3);
  });

  test("an append accepts legacy messages, names results after their calls and matches nodes in either form", () => {
    const grove = new Grove();
    const call = { id: "a", type: "function", function: { name: "look", arguments: "" } };
    const earlier = [
      { role: "user", content: "u" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", content: "seen", tool_call_id: "a" },
    ];
    expect(grove.append(null, earlier)).toBe("n2");
    expect(grove.nodes.map((node) => node.message)).toEqual([user("u"), asking("a"), result("a")]);
    expect(grove.append(null, [user("u"), asking("a"), result("a")])).toBe("n2");
    expect(grove.nodes).toHaveLength(3);
  });

  test("appending in pieces or at once gives the same nodes", () => {
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

  test("planAppend does not reuse a node from another place", () => {
    const grove = new Grove();
    grove.append(null, [user("u")]);
    const prepared = prepareAppend([], [user("u")]);
    const plan = planAppend("n9" as NodeId, prepared.ok ? prepared.value : [], grove.nodes);
    expect(plan).toMatchObject({ reused: [], attachTo: "n9" });
  });
});

describe("equal completions", () => {
  test("F-36 L9 equal completions are one node, which records each in order of arrival", () => {
    const grove = new Grove();
    grove.append(null, [user("u"), assistant("a")]);
    const first = must(grove.nodes[1], "the answer");
    expect(timesSaid(first)).toBe(1);
    const came = [2, 3, 4, 5].map((at): NodeVariant => ({ at, actor: first.actor, usage: null }));
    const all = came.reduce(recordVariant, first);
    expect(timesSaid(all)).toBe(5);
    expect(all).toEqual({ ...first, variants: came });
    expect(first.variants).toBe(undefined);
  });
});

describe("configHashOf", () => {
  test("F-01 configHashOf is equal only for the same prompt and settings", () => {
    const settings = { model: "p/m", temperature: 1 };
    expect(configHashOf("sys", settings)).toBe(configHashOf("sys", { temperature: 1, model: "p/m" }));
    expect(configHashOf(undefined, {})).toBe(configHashOf(undefined, {}));
    const names = [
      configHashOf("sys", settings),
      configHashOf("sys ", settings),
      configHashOf("", settings),
      configHashOf(undefined, settings),
      configHashOf("sys", { ...settings, temperature: 0 }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("prefixHash", () => {
  test("prefixHash is equal exactly for the same conversation so far", () => {
    const u = prefixHash(null, user("u"));
    expect(prefixHash(null, user("u"))).toBe(u);
    expect(prefixHash(u, assistant("a"))).not.toBe(prefixHash(null, assistant("a")));
    expect(prefixHash(null, user("v"))).not.toBe(u);
    expect(u).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("planEdit", () => {
  const grove = new Grove();
  grove.append(null, [user("u"), asking("a"), result("a"), assistant("x")]);
  const [question, call, answerOfTool, answer] = grove.nodes;

  test("planEdit makes a sibling with the new text", () => {
    expect(planEdit(must(question, "n0"), "v")).toEqual({ ok: true, value: { type: "sibling", message: user("v") } });
    expect(planEdit(must(answer, "n3"), "y")).toEqual({
      ok: true,
      value: { type: "sibling", message: assistant("y") },
    });
  });

  test("F-20 planEdit to the same text changes nothing", () => {
    expect(planEdit(must(question, "n0"), "u")).toEqual({ ok: true, value: { type: "unchanged" } });
  });

  test.each([
    ["F-23 an edit to an empty text", question, " \n"],
    ["F-24 an edit of a call", call, "x"],
    ["F-24 an edit of a result", answerOfTool, "x"],
  ])("%s is refused", (_name, node, text) => {
    const plan = planEdit(must(node, "a node"), text);
    expect(plan.ok ? "" : plan.error.code).toBe("MESSAGE_INVALID");
  });
});
