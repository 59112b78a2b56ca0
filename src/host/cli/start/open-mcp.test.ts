import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfiguration } from "../../data/configuration.ts";
import { dataDirectoryAt } from "../../data/data-directory.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { memorySealedValues } from "../../base/sealed-values.ts";
import { openMcp } from "./open-mcp.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-open-mcp-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(flags: Readonly<Record<string, string>> = {}) {
  const user = { platform: "linux", home: folder, env: {} };
  const read = readConfiguration({ flags: { data: folder, ...flags }, user, file: null });
  if (!read.ok) throw new Error(read.error.message);
  const noted: string[] = [];
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const platform = { ...systemPlatform(), logger };
  const data = dataDirectoryAt(folder);
  const opened = await openMcp(
    { data, configuration: read.value, platform, user, note: (said) => noted.push(said) },
    { folders: () => [], sealed: memorySealedValues() },
  );
  if (opened.ok) await opened.value.close();
  return { opened, noted };
}

test("openMcp without a file opens no servers and prints nothing", async () => {
  const { opened, noted } = await open();
  expect(opened.ok && opened.value.states()).toEqual([]);
  expect(noted).toEqual([]);
});

test("openMcp refuses a named file that does not exist", async () => {
  const { opened } = await open({ "mcp-config": join(folder, "none.json") });
  expect(opened.ok ? "ok" : opened.error.code).toBe("INVALID_PARAMS");
});

test("openMcp prints a mistake in the file with its line, and the start continues", async () => {
  await writeFile(join(folder, "mcp.json"), '{"mcpServers":\n{"a": {"command": 7}}}', { mode: 0o600 });
  const { opened, noted } = await open();
  expect(opened.ok).toBe(true);
  expect(noted).toEqual([expect.stringContaining('mcp.json: line 2: "a", "command": must be a string')]);
});
