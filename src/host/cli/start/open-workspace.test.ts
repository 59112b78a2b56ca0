import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { must } from "../../../core/base/assert.ts";
import { readConfiguration } from "../../data/configuration.ts";
import { createDataDirectory, dataDirectoryAt } from "../../data/data-directory.ts";
import { openWorkspaceAt } from "./open-workspace.ts";
import { startFromLine } from "./start-from-line.ts";
import type { Terminal } from "../base/terminal.ts";

test("a server whose blob folder is unusable is refused with the folder's name, and leaves nothing open", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-open-workspace-"));
  const drafts = join(folder, "data", "blobs", "drafts");
  await mkdir(join(drafts, ".."), { recursive: true });
  await writeFile(drafts, "no folder");
  const terminal: Terminal = {
    print: () => {},
    note: () => {},
    input: async () => "",
    env: { XDG_CONFIG_HOME: folder },
    isInteractive: false,
    colours: false,
  };
  const line = { command: "serve", values: { data: join(folder, "data"), port: "0" }, switches: new Set<string>() };
  expect(await startFromLine(line, terminal)).toMatchObject({
    ok: false,
    error: { code: "STORE_FAILED", message: expect.stringContaining(join(folder, "data", "blobs")) },
  });
  await rm(drafts);
  const started = await startFromLine(line, terminal);
  expect(started).toMatchObject({ ok: true, value: { modelProblem: null } });
  if (started.ok) await started.value.stop();
  // A model that cannot be used is reported at the start, not only when a conversation cannot begin.
  const unknown = await startFromLine({ ...line, values: { ...line.values, model: "nobody/x" } }, terminal);
  expect(unknown).toMatchObject({
    ok: true,
    value: {
      modelProblem: expect.stringMatching(/^New conversations cannot begin with nobody\/x yet\. There is no provider/),
    },
  });
  if (unknown.ok) await unknown.value.stop();
  await rm(folder, { recursive: true });
});

test("58 a file of MCP servers in any folder starts nothing: added while it runs, known from before, or at hand", async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "heddle-two-folders-")));
  const [first, second] = [join(base, "first"), join(base, "second")];
  for (const folder of [first, second]) await mkdir(folder);
  const data = dataDirectoryAt(join(base, "data"));
  expect(createDataDirectory(data).ok).toBe(true);
  const mcpConfig = join(second, "servers.json");
  await writeFile(mcpConfig, '{"mcpServers": {"a": {"command": "no-such-program"}}}', { mode: 0o600 });
  const user = { platform: "linux", home: base, env: { XDG_CONFIG_HOME: join(base, "settings") } };
  let store = openMemoryStore();
  const platform = { ...systemPlatform(), logger: { info: () => {}, warn: () => {}, error: () => {} } };
  const open = async (workspace: string) => {
    const flags = { data: data.root, workspace, "mcp-config": mcpConfig, shell: "off" };
    const configuration = readConfiguration({ flags, user, file: null });
    const sources = { data, platform, user, note: () => {} };
    store = openMemoryStore(store.image());
    const opened = await openWorkspaceAt({
      ...sources,
      store,
      configuration: must(configuration.ok ? configuration.value : null, "the flags are valid"),
    });
    return must(opened.ok ? opened.value : null, "the workspace opens");
  };
  const problems = (opened: Awaited<ReturnType<typeof open>>): string =>
    must(opened.workspace.mcp, "there are MCP servers").file().problems.join();
  const lies = `servers.json lies in the workspace folder ${second}`;

  const running = await open(first);
  expect(problems(running)).toBe("");
  expect(running.workspace.mcp?.states()).toHaveLength(1);
  expect((await running.workspace.folders.add({ path: second })).ok).toBe(true);
  await expect.poll(() => problems(running), { timeout: 5_000 }).toContain(lies);
  expect(running.workspace.mcp?.states()).toEqual([]);
  await running.close();
  for (const atHand of [first, second]) {
    const again = await open(atHand);
    expect(problems(again)).toContain(lies);
    await again.close();
  }
  // A folder among Heddle's own files is never opened.
  const last = await open(first);
  expect(await last.workspace.folders.add({ path: data.blobs })).toMatchObject({
    ok: false,
    error: { code: "FORBIDDEN" },
  });
  await last.close();
  await rm(base, { recursive: true });
});
