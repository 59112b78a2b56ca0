import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { examineModels, type ModelSources } from "./examine-models.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-examine-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const examine = (given: Partial<ModelSources> = {}) =>
  examineModels({
    config: {},
    models: { file: join(folder, "models.json"), required: false },
    keysFile: join(folder, "keys.json"),
    ...given,
  });
const own = { provider: "mine", id: "big", api: "openai-chat", base_url: "https://models.example" };

test("no provider is open where nothing is set, and that is not a problem", () => {
  expect(examine()).toEqual({ open: [], problem: null });
});

test("a variable, a kept key, an address or the catalogue's file opens a provider", async () => {
  await writeFile(join(folder, "models.json"), JSON.stringify({ models: [own] }));
  await writeFile(join(folder, "keys.json"), JSON.stringify({ groq: "gsk-canary" }));
  const found = examine({
    config: {
      compatibleBaseUrl: "http://127.0.0.1:8080",
      addresses: { anthropic: "http://127.0.0.1:1" },
      keys: { mistral: "m-canary" },
    },
  });
  expect(found).toEqual({ open: ["Anthropic", "Groq", "Mistral", "mine", "Local server"], problem: null });
  expect(JSON.stringify(found)).not.toContain("canary");
});

test("a problem in a file is reported with its place and without any part of a key", async () => {
  expect(examine({ models: { file: join(folder, "models.json"), required: true } }).problem).toContain(
    "the file does not exist",
  );
  await writeFile(join(folder, "models.json"), JSON.stringify({ models: [{ ...own, vision: 1 }] }));
  expect(examine().problem).toContain("models.json: models[0].vision: must be true or false");
  await writeFile(join(folder, "models.json"), JSON.stringify({ models: [] }));
  await writeFile(join(folder, "keys.json"), '{"groq": "gsk-canary');
  expect(examine().problem).toContain("keys.json: it is not a JSON object");
  expect(examine().problem).not.toContain("canary");
});
