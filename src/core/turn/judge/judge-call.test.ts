import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RootId } from "../../base/ids.ts";
import { approvalTiers, type ApprovalTier } from "../../forest/run-rules.ts";
import type { Taint } from "../../forest/types.ts";
import type { ToolFacts } from "../../tool/base/facts.ts";
import type { ApprovalRule } from "../state/approval.ts";
import { argumentsHash, ruleFor, approvalReason, type JudgedCall } from "./judge-call.ts";
import { noTaint } from "./taint.ts";

const nothing = { readsPrivate: false, bringsUntrusted: false, outward: false };

function tool(change: Partial<ToolFacts> = {}): ToolFacts {
  return { name: "t", access: "read", reach: nothing, idempotent: true, definitionHash: "d1", ...change };
}

const outward = { ...nothing, outward: true };
const kinds = {
  read: tool(),
  write: tool({ access: "write" }),
  "outward read": tool({ reach: outward }),
  "outward write": tool({ access: "write", reach: outward }),
} as const satisfies Record<string, ToolFacts>;

function judged(change: Partial<JudgedCall> = {}): JudgedCall {
  return {
    tool: kinds.read,
    argumentsHash: "h1",
    tier: "outward",
    taint: noTaint,
    rules: [],
    approved: null,
    ...change,
  };
}

describe("the approval tier asks for a person", () => {
  const table: Record<ApprovalTier, Record<keyof typeof kinds, boolean>> = {
    all: { read: true, write: true, "outward read": true, "outward write": true },
    writes: { read: false, write: true, "outward read": true, "outward write": true },
    outward: { read: false, write: false, "outward read": true, "outward write": true },
    none: { read: false, write: false, "outward read": false, "outward write": false },
  };
  for (const tier of approvalTiers) {
    test.each(Object.entries(table[tier]))(`tier ${tier} asks before an untainted %s call: %s`, (name, asks) => {
      const kind = kinds[name as keyof typeof kinds];
      expect(approvalReason(judged({ tier, tool: kind }))).toBe(asks ? "tier" : null);
    });
  }
});

const both: Taint = { holdsPrivate: true, holdsUntrusted: true };

describe("the taint rule: no call may carry private data outside at the request of untrusted text", () => {
  test.each<[string, ToolFacts, Taint, boolean]>([
    ["all three", kinds["outward read"], both, true],
    ["nothing untrusted", kinds["outward write"], { holdsPrivate: true, holdsUntrusted: false }, false],
    ["nothing private", kinds["outward write"], { holdsPrivate: false, holdsUntrusted: true }, false],
    [
      "nothing private but what the call itself reads",
      tool({ reach: { ...outward, readsPrivate: true } }),
      { holdsPrivate: false, holdsUntrusted: true },
      true,
    ],
    ["nothing outward", kinds.write, both, false],
  ])("%s", (_name, kind, taint, asks) => {
    expect(approvalReason(judged({ tier: "none", tool: kind, taint }))).toBe(asks ? "taint" : null);
  });

  test("under taint only a rule for this exact call allows it, not a rule for the tool", () => {
    const tainted = judged({ tool: kinds["outward read"], taint: both });
    const rule = ruleOf(tainted.tool, null);
    expect(approvalReason({ ...tainted, rules: [rule] })).toBe("taint");
    expect(approvalReason({ ...tainted, taint: noTaint, rules: [rule] })).toBe(null);
    const exact = ruleOf(tainted.tool, "h1");
    expect(approvalReason({ ...tainted, rules: [rule, exact] })).toBe(null);
    expect(approvalReason({ ...tainted, argumentsHash: "h2", rules: [rule, exact] })).toBe("taint");
  });
});

describe("allowed calls", () => {
  const asked = judged({ tool: kinds["outward read"] });

  test("an approval covers only this exact call and the tool's definition at that time", () => {
    expect(approvalReason({ ...asked, approved: "h1" })).toBe(null);
    expect(approvalReason({ ...asked, approved: "h2" })).toBe("definition-changed");
    expect(approvalReason({ ...asked, taint: both, approved: "h1" })).toBe(null);
    expect(approvalReason({ ...asked, taint: both, approved: "h2" })).toBe("definition-changed");
  });

  test("71 a rule ends when the tool's definition changes", () => {
    const rules = [ruleOf(asked.tool, null)];
    expect(approvalReason({ ...asked, rules })).toBe(null);
    const other = { ...asked, tool: { ...asked.tool, definitionHash: "d2" } };
    expect(approvalReason({ ...other, rules })).toBe("definition-changed");
    expect(approvalReason({ ...other, rules: [...rules, ruleOf(other.tool, null)] })).toBe(null);
    expect(approvalReason({ ...asked, tool: { ...asked.tool, name: "u" }, rules })).toBe("tier");
  });

  test("an approval makes a rule for the tool, or for one call when the tool's calls are approved one by one", () => {
    const made = { id: "r", rootId: "root" as RootId, createdAt: 1, createdBy: "Ada" };
    const call = { tool: asked.tool, argumentsHash: "h1", parameters: { url: "https://a" } };
    expect(ruleFor({ ...call, reason: "tier" }, made).call).toBe(null);
    const exact = { argumentsHash: "h1", shown: '{"url":"https://a"}' };
    expect(ruleFor({ ...call, reason: "taint" }, made).call).toEqual(exact);
    const shell = { ...call, tool: { ...asked.tool, eachCallApart: true } };
    expect(ruleFor({ ...shell, reason: "tier" }, made).call).toEqual(exact);
  });

  test("the rule made by an approval allows the same call again, for every reason and tier", () => {
    const reaches = fc.record({ readsPrivate: fc.boolean(), bringsUntrusted: fc.boolean(), outward: fc.boolean() });
    const facts = fc.record({
      reach: reaches,
      access: fc.constantFrom("read", "write"),
      eachCallApart: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, fc.constantFrom(...approvalTiers), fc.boolean(), fc.boolean(), (made, tier, a, b) => {
        const call = judged({ tool: tool(made), tier, taint: { holdsPrivate: a, holdsUntrusted: b } });
        const reason = approvalReason(call);
        if (reason === null) return;
        const place = { id: "r", rootId: null, createdAt: 1, createdBy: "Ada" };
        const rule = ruleFor({ ...call, parameters: {}, reason }, place);
        expect(approvalReason({ ...call, rules: [rule] })).toBe(null);
        const changed = { ...call, tool: { ...call.tool, definitionHash: "d2" }, rules: [rule] };
        expect(approvalReason(changed)).not.toBe(null);
      }),
    );
  });
});

describe("argumentsHash", () => {
  const hash = argumentsHash(tool(), { b: 1, a: [1, 2] });

  test("argumentsHash is a SHA-256 and ignores the order of keys", () => {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(argumentsHash(tool(), { a: [1, 2], b: 1 })).toBe(hash);
  });

  test.each([
    ["another argument", tool(), { b: 1, a: [2, 1] }],
    ["one more argument", tool(), { b: 1, a: [1, 2], c: null }],
    ["another tool", tool({ name: "u" }), { b: 1, a: [1, 2] }],
    ["another definition", tool({ definitionHash: "d2" }), { b: 1, a: [1, 2] }],
  ])("argumentsHash differs for %s", (_name, facts, parameters) => {
    expect(argumentsHash(facts, parameters)).not.toBe(hash);
  });
});

function ruleOf({ name, definitionHash }: ToolFacts, call: string | null): ApprovalRule {
  return {
    id: "r",
    rootId: null,
    toolName: name,
    definitionHash,
    call: call === null ? null : { argumentsHash: call, shown: "{}" },
    createdAt: 1,
    createdBy: "Ada",
  };
}
