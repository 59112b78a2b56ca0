import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { offlinePrices } from "./offline-prices.ts";

test("prices are known without a key or a server: of the own table, over it a person's file; a broken file names none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-prices-"));
  const modelsFile = join(folder, "models.json");
  const read = () =>
    offlinePrices({
      config: {},
      store: openMemoryStore(),
      modelsFile,
      publishedFile: join(folder, "models.dev.json"),
      syntaxes: [],
      platform: systemPlatform(),
    });
  const known = (await read())("openai/gpt-5.5");
  expect(known?.input).toBeGreaterThan(0);
  expect((await read())("openai/none")).toBeNull();
  const own = { provider: "openai", id: "gpt-5.5", prices: { input: 7, output: 8 } };
  await writeFile(modelsFile, JSON.stringify({ models: [own] }));
  expect((await read())("openai/gpt-5.5")).toMatchObject({ input: 7, output: 8 });
  await writeFile(modelsFile, "{");
  expect((await read())("openai/gpt-5.5")).toEqual(known);
  await rm(folder, { recursive: true });
});
