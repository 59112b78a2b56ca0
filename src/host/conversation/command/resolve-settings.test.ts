import { expect, test } from "vitest";
import { codeOf } from "../../../core/base/result.test-support.ts";

import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { StoredPresets } from "./presets.ts";
import { resolveSettings } from "./resolve-settings.ts";

const models = {
  find: (id: string) => (id === "p/known" ? {} : undefined),
  list: () => [],
} as unknown as ModelCatalogue;
/** Presets that add nothing. */
const presets = { resolve: async (wish: object) => wish } as unknown as StoredPresets;

type ReplyOptions = Parameters<typeof resolveSettings>[2];

const resolved = (options: ReplyOptions) => resolveSettings(models, presets, options);

test("what a request says of its reply is what it is asked with, and nothing else", async () => {
  const all: ReplyOptions = {
    n: 2,
    model: "p/known",
    maxTokens: 100,
    temperature: 0.5,
    outputSchema: { type: "object" },
    inDraft: true,
  };
  const { n, ...rest } = all;
  expect(await resolved(all)).toEqual({ ok: true, value: { ...rest, completions: n } });
  expect(await resolved({})).toEqual({ ok: true, value: {} });
});

test.each<[string, ReplyOptions, string]>([
  ["an unknown model", { model: "p/unknown" }, "MODEL_NOT_FOUND"],
  ["no reply", { n: 0 }, "INVALID_PARAMS"],
  ["half a reply", { n: 1.5 }, "INVALID_PARAMS"],
])("%s is refused", async (_what, options, code) => {
  expect(codeOf(await resolved(options))).toBe(code);
});
