import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { ok } from "../../core/base/result.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openKeyStore, type KeyStore } from "./key-store.ts";
import { noChoices } from "./provider-choices.ts";
import { openModelSettings } from "./model-settings.ts";
import type { ModelSettings, ModelSettingsOptions } from "./types.ts";

const secret = "sk-a-very-secret-key-wxyz";
let folder = "";
let notes: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-models-"));
  notes = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const keysFile = () => join(folder, "keys.json");
const masterKeyFile = () => join(folder, "config", "master.key");

async function openKeys(masterKey?: string): Promise<KeyStore> {
  const opened = await openKeyStore({
    file: keysFile(),
    masterKeyFile: masterKeyFile(),
    note: (sentence) => notes.push(sentence),
    ...(masterKey === undefined ? {} : { masterKey }),
  });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

async function openSettings(options: Partial<ModelSettingsOptions> = {}): Promise<ModelSettings> {
  const opened = await openModelSettings({
    config: {},
    deps: {
      fetch: () => Promise.reject(new Error("no network")),
      clock: simulatedClock(),
      sleep: () => Promise.resolve(),
    },
    logger: { info: () => {}, warn: (event, fields) => notes.push(JSON.stringify([event, fields])), error: () => {} },
    keys: await openKeys(),
    ...options,
  });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

const keyOf = (settings: ModelSettings, id: string) =>
  must(
    settings.providers().find((each) => each.id === id),
    id,
  ).key;

describe("a key", () => {
  test("that is set in the app opens its provider at once and after a restart; removing it closes the provider", async () => {
    const settings = await openSettings();
    expect(keyOf(settings, "anthropic")).toEqual({ state: "none" });
    expect(settings.catalogue.find("anthropic/claude-opus-4-8")).toBeUndefined();
    expect(await settings.setKey("anthropic", secret)).toEqual({ ok: true, value: undefined });
    expect(keyOf(settings, "anthropic")).toEqual({ state: "set", from: "app", ending: "wxyz" });
    expect(settings.catalogue.find("anthropic/claude-opus-4-8")).toBeDefined();
    const later = await openSettings();
    expect(later.catalogue.find("anthropic/claude-opus-4-8")).toBeDefined();
    expect((await later.removeKey("anthropic")).ok).toBe(true);
    expect(later.catalogue.find("anthropic/claude-opus-4-8")).toBeUndefined();
    await settings.look();
    expect(keyOf(settings, "anthropic")).toEqual({ state: "none" });
  });

  test("is sealed on disk, readable by the owner only, and a copy of the data folder does not open it", async () => {
    const keys = await openKeys();
    await keys.set("openai", secret, "https://api.openai.com/v1");
    for (const name of await readdir(folder, { recursive: true })) {
      const path = join(folder, name);
      if (!(await stat(path)).isFile()) continue;
      expect(await readFile(path, "utf8")).not.toContain("very-secret");
      if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    expect((await openKeys()).keys().get("openai")?.key).toBe(secret);
    await rm(masterKeyFile());
    expect((await openKeys()).keys().get("openai")).toBeUndefined();
    expect(notes.join()).toContain("cannot be opened here. Set it again");
    expect(notes.join()).not.toContain("very-secret");
  });

  test("may be sealed by a passphrase from the environment instead of a file", async () => {
    await (await openKeys("a word")).set("openai", secret, "https://x.example");
    expect(await readdir(folder)).toEqual(["keys.json"]);
    expect((await openKeys("a word")).keys().get("openai")?.key).toBe(secret);
    expect((await openKeys("another")).keys().size).toBe(0);
  });

  test("does not open after it is moved to another provider or address", async () => {
    await (await openKeys()).set("openai", secret, "https://api.openai.com/v1");
    const kept = JSON.parse(await readFile(keysFile(), "utf8"));
    const moved = { mistral: kept.openai, openai: { ...kept.openai, base_url: "https://evil.example" } };
    await writeFile(keysFile(), JSON.stringify(moved));
    expect((await openKeys()).keys().size).toBe(0);
  });

  test("is not sent to an address that its provider was given later", async () => {
    const settings = await openSettings();
    await settings.setKey("anthropic", secret);
    const elsewhere = await openSettings({ config: { addresses: { anthropic: "https://other.example" } } });
    expect(keyOf(elsewhere, "anthropic")).toEqual({ state: "other-address" });
  });

  test.skipIf(process.platform === "win32")(
    "written by hand works, and a file that others can read is made private",
    async () => {
      await writeFile(keysFile(), JSON.stringify({ openai: secret }), { mode: 0o644 });
      const settings = await openSettings();
      expect(keyOf(settings, "openai")).toEqual({ state: "set", from: "file", ending: "wxyz" });
      expect((await stat(keysFile())).mode & 0o777).toBe(0o600);
      expect(notes.join()).toContain("could read");
      await settings.setKey("mistral", secret);
      expect(keyOf(settings, "openai")).toEqual({ state: "set", from: "file", ending: "wxyz" });
      expect(keyOf(settings, "mistral")).toMatchObject({ from: "app" });
    },
  );

  test("from the environment overrides a stored key, and the app cannot remove it", async () => {
    await writeFile(keysFile(), JSON.stringify({ groq: "gsk-from-the-file-1234" }));
    const settings = await openSettings({ config: { keys: { groq: "gsk-from-outside-5678" } } });
    expect(keyOf(settings, "groq")).toEqual({ state: "set", from: "environment", ending: "5678" });
    expect(keyOf(settings, "mistral")).toEqual({ state: "none" });
    expect((await settings.removeKey("groq")).ok).toBe(true);
    expect(await settings.removeKey("groq")).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    expect(keyOf(settings, "groq")).toMatchObject({ from: "environment" });
  });

  test("that is short shows none of its characters", async () => {
    const settings = await openSettings();
    await settings.setKey("openai", "short-key-12");
    expect(keyOf(settings, "openai")).toEqual({ state: "set", from: "app", ending: null });
  });

  test("for an unknown provider is refused without being repeated", async () => {
    const settings = await openSettings();
    const refused = await settings.setKey("nobody", secret);
    expect(refused).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
    expect(JSON.stringify(refused)).not.toContain("very-secret");
  });

  test("file that is not JSON is refused at the start without repeating its text", async () => {
    await writeFile(keysFile(), `{"openai": "${secret}`);
    const opened = await openKeyStore({ file: keysFile(), masterKeyFile: masterKeyFile(), note: () => {} });
    expect(opened).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } });
    expect(JSON.stringify(opened)).not.toContain("very-secret");
  });

  test("file that stops being JSON is reported once, and again when it happens again", async () => {
    const settings = await openSettings();
    for (let time = 1; time <= 2; time += 1) {
      await writeFile(keysFile(), "no JSON");
      for (let look = 0; look < 5; look += 1) await settings.look();
      expect(notes.filter((note) => note.includes("keys-not-read"))).toHaveLength(time);
      await writeFile(keysFile(), "{}");
      await settings.look();
    }
  });

  test("changes: 50 at once are all stored", async () => {
    const keys = await openKeys();
    await Promise.all(Array.from({ length: 50 }, (_, n) => keys.set(`p${n}`, `${secret}${n}`, "https://x.example")));
    expect((await openKeys()).keys().size).toBe(50);
  });
});

describe("the catalogue's file", () => {
  const file = () => join(folder, "models.json");
  const describeModels = (...models: readonly object[]) => writeFile(file(), JSON.stringify({ models }));
  const own = { provider: "mine", id: "big", api: "openai-chat", base_url: "https://models.example" };

  test("is read at the start, and again within two seconds of a change", async () => {
    const clock = simulatedClock();
    const deps = { fetch: () => Promise.reject(new Error()), clock, sleep: () => Promise.resolve() };
    await describeModels(own);
    const settings = await openSettings({ deps, models: { file: file(), required: true } });
    expect(settings.catalogue.list()[0]).toMatchObject({ id: "mine/big", contextTokensMax: null });
    await describeModels({ ...own, context_window: 99 });
    await clock.advance(2_000);
    // Reading the disk takes real time.
    await expect.poll(() => settings.catalogue.list()[0]?.contextTokensMax).toBe(99);
    settings.close();
  });

  test("with a mistake is refused at the start; later the last valid content stays, and the mistake is reported", async () => {
    await describeModels({ ...own, context_window: -1 });
    await expect(openSettings({ models: { file: file(), required: true } })).rejects.toThrow(
      "models[0].context_window",
    );
    await describeModels(own);
    const settings = await openSettings({ models: { file: file(), required: true } });
    await describeModels({ ...own, prices: {} });
    await settings.look();
    expect(settings.catalogue.find("mine/big")).toBeDefined();
    expect(settings.modelsFile()).toEqual({ path: file(), problem: expect.stringContaining("models[0].prices.input") });
    expect(notes.join()).toContain("models[0].prices.input");
    await describeModels({ ...own, name: "Mended" });
    await settings.look();
    expect(settings.modelsFile()?.problem).toBeNull();
    expect(settings.catalogue.find("mine/big")?.info.name).toBe("Mended");
    settings.close();
  });

  test("that is missing for a moment is read again on return, also with the same content", async () => {
    const file = join(folder, "models.json");
    for (const [text, problem] of [
      ['{"models": []}', null],
      ["no JSON", expect.any(String)],
    ] as const) {
      await writeFile(file, '{"models": []}');
      const settings = await openSettings({ models: { file, required: true } });
      await writeFile(file, text);
      await settings.look();
      expect(settings.modelsFile()?.problem).toEqual(problem);
      await rm(file);
      await settings.look();
      expect(settings.modelsFile()?.problem).toBe("the file does not exist");
      await writeFile(file, text);
      await settings.look();
      expect(settings.modelsFile()?.problem).toEqual(problem);
      expect(settings.modelsFile()?.problem).not.toBe("the file does not exist");
      settings.close();
    }
  });

  test("may be missing unless it was asked for; deleting it removes its models", async () => {
    await expect(openSettings({ models: { file: file(), required: true } })).rejects.toThrow("the file does not exist");
    const settings = await openSettings({ models: { file: file(), required: false } });
    expect(settings.modelsFile()?.problem).toBeNull();
    await describeModels(own);
    await settings.look();
    expect(settings.catalogue.find("mine/big")).toBeDefined();
    await rm(file());
    await settings.look();
    expect(settings.catalogue.find("mine/big")).toBeUndefined();
    settings.close();
  });
});

describe("models.dev.json", () => {
  test("replaces Heddle's prices while the server runs; one with a mistake leaves its last valid content in use", async () => {
    const publishedFile = join(folder, "models.dev.json");
    const settings = await openSettings({ config: { keys: { anthropic: secret } }, publishedFile });
    const input = () => settings.catalogue.find("anthropic/claude-opus-4-8")?.info.prices?.input;
    const own = input();
    const models = { "claude-opus-4-8": { cost: { input: 77, output: 78 } } };
    await writeFile(publishedFile, JSON.stringify({ anthropic: { models } }));
    await settings.look();
    expect(input()).toBe(77);
    await writeFile(publishedFile, "{");
    await settings.look();
    expect(input()).toBe(77);
    expect(notes.join()).toContain("published-models-not-read");
    await rm(publishedFile);
    await settings.look();
    expect(input()).toBe(own);
    settings.close();
  });
});

describe("17.15 a server of one's own", () => {
  const list = (body: object, status = 200) => ({ status, body });
  /** A workspace's settings whose network is these answers by address, with what was asked. */
  async function withServers(servers: Readonly<Record<string, ReturnType<typeof list>>>) {
    const asked: (readonly [string, string | null])[] = [];
    let stored = noChoices;
    const open = (): Promise<ModelSettings> =>
      openSettings({
        choices: {
          known: stored,
          save: async (choices) => {
            stored = choices;
            return ok(undefined);
          },
        },
        deps: {
          clock: simulatedClock(),
          sleep: () => Promise.resolve(),
          fetch: async (url, init) => {
            asked.push([url, new Headers(init?.headers).get("authorization")]);
            const { status, body } = servers[url] ?? list({ error: { message: "nothing here" } }, 404);
            return new Response(JSON.stringify(body), { status });
          },
        },
      });
    return { asked, open, settings: await open() };
  }
  const models = list({ object: "list", data: [{ id: "big" }, { id: "small" }] });

  test("is tested before it is stored, added with its key, offers what it lists, and is there after a restart", async () => {
    const { asked, open, settings } = await withServers({ "http://house/v1/models": models });
    const typed = { address: "http://house/v1", key: secret };
    const tested = accept(await settings.test(typed));
    expect([tested.problem, tested.models.map(({ name }) => name)]).toEqual([null, ["big", "small"]]);
    expect(asked.at(-1)).toEqual(["http://house/v1/models", `Bearer ${secret}`]);
    expect(settings.providers().some(({ id }) => id === "house")).toBe(false);
    let changes = 0;
    settings.onChanged(() => (changes += 1));
    expect(accept(await settings.add({ name: "House", ...typed }))).toBe("house");
    expect(changes).toBeGreaterThan(0);
    expect(settings.catalogue.find("house/big")?.info.name).toBe("big");
    const later = await open();
    await later.catalogue.refresh?.();
    expect(keyOf(later, "house")).toMatchObject({ state: "set", from: "app" });
    expect(later.catalogue.list().map(({ id }) => id)).toContain("house/small");
    accept(await later.remove("house"));
    expect(later.catalogue.find("house/big")).toBeUndefined();
    expect((await openKeys()).keys().has("house")).toBe(false);
  });

  test("says that its key is wrong, without the key, and that nothing answers", async () => {
    const refused = list({ error: { message: `Incorrect API key: ${secret}` } }, 401);
    const { settings } = await withServers({ "http://house/v1/models": refused });
    const { problem } = accept(await settings.test({ address: "http://house/v1", key: secret }));
    expect(problem).toMatchObject({ class: "auth", message: expect.stringContaining("refused the key (401)") });
    expect(problem?.message).not.toContain("very-secret");
    const absent = accept(await settings.test({ address: "http://nowhere/v1" }));
    expect(absent.problem?.message).toContain("did not list its models");
    expect(await settings.test({})).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS" } });
    expect(await settings.test({ provider: "none" })).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  });

  test("a stored key is never sent to another address, tested or set", async () => {
    const { asked, settings } = await withServers({});
    accept(await settings.setKey("groq", secret));
    await settings.test({ provider: "groq" });
    await settings.test({ provider: "groq", address: "http://evil/v1" });
    accept(await settings.change("groq", { address: "http://evil/v1" }));
    await settings.test({ provider: "groq" });
    const sent = asked.filter(([, key]) => key !== null).map(([address]) => new URL(address).host);
    expect(new Set(sent)).toEqual(new Set(["api.groq.com"]));
    expect(keyOf(settings, "groq")).toEqual({ state: "other-address" });
    accept(await settings.change("groq", { address: null }));
    expect(keyOf(settings, "groq")).toMatchObject({ state: "set" });
  });

  test("only chosen models are offered, in their order, until all are wanted again; one of them is the default", async () => {
    const { settings } = await withServers({ "http://house/v1/models": models });
    accept(await settings.add({ name: "House", address: "http://house/v1" }));
    const offered = () =>
      settings.catalogue
        .list()
        .map(({ id }) => id)
        .filter((id) => id.startsWith("house/"));
    expect(offered()).toEqual(["house/big", "house/small"]);
    accept(await settings.change("house", { models: ["small", "unlisted"] }));
    expect(offered()).toEqual(["house/small", "house/unlisted"]);
    accept(await settings.setDefault("house/small"));
    expect(settings.chosenDefault()).toBe("house/small");
    expect(await settings.setDefault("gone/x")).toMatchObject({ ok: false, error: { code: "MODEL_NOT_FOUND" } });
    accept(await settings.change("house", { models: null }));
    expect(offered()).toEqual(["house/big", "house/small"]);
    accept(await settings.remove("house"));
    expect(settings.chosenDefault()).toBeNull();
  });

  test("what the environment or a file says is not changed in the app", async () => {
    const settings = await openSettings({
      config: { addresses: { openai: "https://gateway.example/v1" } },
      choices: { known: noChoices, save: async () => ok(undefined) },
    });
    expect(await settings.change("openai", { address: "http://x" })).toMatchObject({
      ok: false,
      error: { code: "CONFLICT", message: expect.stringContaining("Change it there") },
    });
    expect(await settings.remove("openai")).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    expect(await settings.change("none", {})).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
    expect(await settings.add({ name: "A", address: "http://x", api: "fax" })).toMatchObject({ ok: false });
  });
});
