import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger, systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { startMockProvider, type MockProvider } from "../../../testing/mock-provider/server.ts";
import { readConfiguration } from "../../data/configuration.ts";
import { createDataDirectory, dataDirectoryAt } from "../../data/data-directory.ts";
import { startServer, type HeddleServer } from "../../server/server.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { openWorkspaceAt, type OpenedWorkspace } from "../start/open-workspace.ts";
import { runCommandLine } from "../run.ts";

const key = "sk-canary-0123456789-abcd";
const token = "test-token-0123456789";
const fixture = join(import.meta.dirname, "../../../adapters/mcp/fixture-server.test-support.ts");
let folder = "";
let mock: MockProvider;
let opened: OpenedWorkspace;
let server: HeddleServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-providers-"));
  const data = dataDirectoryAt(join(folder, "data"));
  createDataDirectory(data);
  mock = await startMockProvider({
    api: "chat",
    apiKey: key,
    models: ["big", "small"],
    reply: () => {
      throw new Error("nobody asks");
    },
  });
  const user = { platform: process.platform, home: folder, env: { PATH: process.env["PATH"] } };
  opened = accept(
    await openWorkspaceAt({
      store: openMemoryStore(),
      data,
      configuration: accept(readConfiguration({ flags: { data: data.root }, user, file: null })),
      platform: { ...systemPlatform(), logger: createLogger(() => {}, "error") },
      user,
      note: () => {},
    }),
  );
  const appFolder = join(folder, "none");
  const { workspace } = opened;
  server = await startServer({ workspace, token, appFolder, host: "127.0.0.1", port: 0, defaultName: "Ada" });
});
afterAll(async () => {
  await server.close();
  await opened.close();
  await mock.close();
  await rm(folder, { recursive: true, force: true });
});

async function heddle(...args: readonly string[]) {
  const output = { printed: "", noted: "" };
  const code = await runCommandLine([...args, "--url", server.url, "--token", token], {
    print: (line) => void (output.printed += `${line}\n`),
    note: (line) => void (output.noted += `${line}\n`),
    env: { HOUSE_KEY: key, WRONG_KEY: "sk-wrong-0123456789", NOTE: "a-secret-value" },
    input: async () => "",
    isInteractive: false,
    colours: false,
  });
  return { code, ...output };
}

test("17.15 heddle providers adds, tests, chooses and removes as the settings do; a wrong key fails and is not repeated", async () => {
  const wrong = await heddle("providers", "add", "House", "--address", mock.url, "--key-from", "WRONG_KEY");
  expect(wrong).toMatchObject({ code: 1, printed: "house\n", noted: expect.stringContaining("refused the key (401)") });
  expect(wrong.noted).not.toContain("sk-wrong");
  expect((await heddle("providers", "key", "house", "--key-from", "HOUSE_KEY")).code).toBe(0);
  expect((await heddle("providers", "offer", "house", "--offer", "big,small")).code).toBe(0);
  expect((await heddle("providers", "default", "house/small")).code).toBe(0);
  const { providers, defaultModel } = JSON.parse((await heddle("providers", "--json")).printed);
  expect(defaultModel).toEqual({ model: "house/small", chosen: true });
  expect(providers).toContainEqual(
    expect.objectContaining({
      id: "house",
      address: mock.url,
      added: true,
      chosen: true,
      key: { state: "set", from: "app", ending: "abcd" },
      models: [expect.objectContaining({ id: "house/big" }), expect.objectContaining({ id: "house/small" })],
    }),
  );
  expect(await heddle("providers", "key", "house", "--key-from", "NOT_SET")).toMatchObject({ code: 2 });
  expect(await heddle("providers", "address", "anthropic", "--address", "http://127.0.0.1:9")).toMatchObject({
    code: 0,
  });
  expect((await heddle("providers")).printed).toContain("anthropic  http://127.0.0.1:9");
  expect((await heddle("providers", "remove", "house")).code).toBe(0);
  expect(await heddle("providers", "remove", "openai")).toMatchObject({
    code: 1,
    noted: expect.stringContaining("not added"),
  });
});

test("a command with a wrong value says which one, and what was expected", async () => {
  const said = async (...args: readonly string[]): Promise<string> => (await heddle(...args)).noted;
  expect(await said("providers", "add", "X", "--address", "notaurl")).toMatch(/ \(address: expected .*address.*\)\n$/u);
  expect(await said("mcp-servers", "add", "g", "--address", "nourl")).toMatch(
    / \(reach.url: expected .*address.*\)\n$/u,
  );
  const asked = await heddle("run", "--model", "fake", "--json", "hi");
  expect([asked.code, asked.noted]).toEqual([
    2,
    expect.stringContaining(" (model: expected a model as provider/model)\n"),
  ]);
  expect(JSON.parse(asked.printed)).toMatchObject({
    type: "end",
    error: { code: "INVALID_PARAMS", message: expect.stringContaining("model: expected a model as provider/model") },
  });
  expect(await said("run", "--fallback", "nope", "hi")).toContain("(fallbacks.0: expected a model as provider/model)");
});

test("a mistyped tool of --tools-off is refused, since it would stay on; families, tools and patterns are taken", async () => {
  const refused = await heddle("run", "--tools-off", "shell,banana", "hi");
  expect([refused.code, refused.noted]).toEqual([
    2,
    expect.stringContaining("--tools-off: no tool and no family of tools has the name banana."),
  ]);
  expect((await heddle("run", "--tools-off", "canvas.edit", "hi")).noted).toContain("Did you mean canvas_edit?");
  const names = "canvas,shell,ask_user,web_fetch,load_skill,kernel_search,files_*";
  expect((await heddle("run", "--tools-off", names, "--model", "scripted/scribe", "hi")).noted).not.toContain(
    "--tools-off",
  );
});

test("17.15 heddle mcp-servers adds, tests, switches and removes; a value is in no file and no answer", async () => {
  const command = `"${process.execPath}" "${fixture}"`;
  const added = await heddle("mcp-servers", "add", "house", "--command", command, "--values-from", "NOTE");
  expect(added).toMatchObject({ code: 0, printed: expect.stringMatching(/^house .* ready {2}\d+ tools\n$/) });
  const gone = await heddle("mcp-servers", "add", "gone", "--command", "/nowhere/at-all");
  expect(gone).toMatchObject({ code: 1, printed: expect.stringContaining("failed") });
  expect((await heddle("mcp-servers", "--json")).printed).not.toContain("a-secret-value");
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) expect(await readFile(path, "latin1")).not.toContain("a-secret-value");
  }
  expect((await heddle("mcp-servers", "off", "house")).code).toBe(0);
  expect((await heddle("mcp-servers")).printed).toMatch(/house .* disabled/);
  for (const name of ["house", "gone"]) expect((await heddle("mcp-servers", "remove", name)).code).toBe(0);
  expect((await heddle("mcp-servers")).printed).toBe("");
  expect(await heddle("mcp-servers", "add", "both")).toMatchObject({ code: 2 });
});
