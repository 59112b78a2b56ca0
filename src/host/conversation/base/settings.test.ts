import { describe, expect, test } from "vitest";
import type { RootId } from "../../../core/base/ids.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { compactAtDefault } from "../../../core/turn/compaction/limits.ts";
import { defaultTier } from "../../../core/turn/judge/judge-call.ts";
import { replySettings } from "./reply-settings.ts";
import { compactAtOf, effectiveRules } from "./run-rules.ts";
import { askedSettings, withSettings } from "./turn-settings.ts";

describe("how a conversation's models are asked", () => {
  const before = { thinking: "low", toolsOff: ["canvas"], fallbacks: ["a/b"] } as const;
  test.each([
    ["stays as it was without a change", before, {}, before],
    ["is taken back setting by setting", before, { thinking: null }, { toolsOff: ["canvas"], fallbacks: ["a/b"] }],
    ["has no empty lists", before, { toolsOff: [], fallbacks: [] }, { thinking: "low" }],
    ["is nothing when the last setting is taken back", { toolsOff: ["canvas"] }, { toolsOff: null }, undefined],
    ["is nothing without settings", {}, { fallbacks: null }, undefined],
  ] as const)("%s", (_name, from, change, expected) => {
    expect(replySettings(from, change)).toEqual(expected);
  });
});

describe("what a run stores of its turn's settings", () => {
  test.each([
    ["nothing where nothing was asked", {}, undefined],
    ["no empty list of fallbacks", { fallbacks: [] }, undefined],
    ["a limit", { maxTokens: 5 }, { maxTokens: 5 }],
    ["a temperature of 0", { temperature: 0 }, { temperature: 0 }],
    [
      "fallbacks, and neither the model nor how many replies",
      { model: "a/b", completions: 2, fallbacks: ["c/d"] },
      { fallbacks: ["c/d"] },
    ],
  ])("%s", (_name, settings, expected) => {
    expect(askedSettings(settings)).toEqual(expected);
  });
  test("only a temperature that was asked for goes into the request", () => {
    const request = { maxTokens: 5 } as ModelRequest;
    expect(withSettings(request)).toEqual(request);
    expect(withSettings(request, { temperature: 0 })).toEqual({ maxTokens: 5, temperature: 0 });
  });
});

describe("the rules of a conversation's runs", () => {
  const root = (fields: Partial<ForestRoot> = {}): ForestRoot => ({ id: "root" as RootId, ...fields }) as ForestRoot;
  const parent = root({ id: "parent" as RootId, approvals: "all", budget: { tokens: 2 }, compaction: { at: 60 } });
  const store = { root: async (id: RootId) => (id === parent.id ? parent : null) };
  const child = { parent: { rootId: parent.id, runId: "run" } } as Partial<ForestRoot>;
  const server = { approvals: "outward", budget: { tokens: 3 }, compaction: { at: 70, model: "a/b" } } as const;

  test("are its own first, then its parent's, then the server's", async () => {
    const own = root({ ...child, approvals: "none", budget: {}, compaction: { at: 50 } });
    expect(await effectiveRules(store, own, server)).toEqual({
      approvals: "none",
      budget: {},
      compaction: { at: 50, model: "a/b" },
      family: [own, parent],
    });
    const inherits = root(child);
    expect(await effectiveRules(store, inherits, server)).toEqual({
      approvals: "all",
      budget: { tokens: 2 },
      compaction: { at: 60, model: "a/b" },
      family: [inherits, parent],
    });
    expect(await effectiveRules(store, root(), server)).toEqual({ ...server, family: [root()] });
  });

  test("are the defaults where nobody set any", async () => {
    expect(await effectiveRules(store, root())).toEqual({
      approvals: defaultTier,
      budget: {},
      compaction: {},
      family: [root()],
    });
  });

  test.each([
    ["off", null],
    [undefined, compactAtDefault],
    [50, 0.5],
  ] as const)("a branch is summed up from %s percent on", (at, share) => {
    expect(compactAtOf(at === undefined ? {} : { at })).toBe(share);
  });
});
