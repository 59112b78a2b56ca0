import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import { migrations, type Migration } from "../../src/adapters/storage/postgres/migrations.ts";
import { until } from "../../src/testing/test-client.ts";
import { query } from "../cluster/history.ts";
import { connected, makeCanvases, opened, Team } from "../cluster/team.ts";
import { repository } from "../tidy/source-files.ts";

const ttlMs = 1_500;
const newest = migrations.at(-1)?.version ?? 0;
const copied = new Set(["src", "bin", "package.json"]);
const folders: string[] = [];

/** A copy of the sources with further steps of the schema: a later release, which knows nothing else that is new. */
function laterRelease(...steps: readonly Migration[]): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-later-"));
  folders.push(folder);
  for (const name of readdirSync(repository)) {
    if (copied.has(name)) cpSync(join(repository, name), join(folder, name), { recursive: true });
    else if (!name.startsWith(".")) symlinkSync(join(repository, name), join(folder, name));
  }
  const file = join(folder, "src/adapters/storage/postgres/migrations.ts");
  const source = readFileSync(file, "utf8");
  expect(source.endsWith("];\n")).toBe(true);
  writeFileSync(file, `${source.slice(0, -3)}${steps.map((step) => `${JSON.stringify(step)},`).join("")}];\n`);
  return folder;
}

const changed = ["blocks", "changes", "snapshots", "conversations", "messages", "runs", "feed", "requests", "meta"];
const adds: Migration = {
  version: newest + 1,
  name: "every table has a further column",
  least: newest,
  sql:
    changed.map((table) => `ALTER TABLE ${table} ADD COLUMN later text;`).join("") + "CREATE TABLE later (n integer);",
};
const breaks: Migration = { version: newest + 2, name: "a table is gone", sql: "DROP TABLE later" };

let team: Team;
beforeEach(async () => {
  team = await Team.start(2, ttlMs);
}, 120_000);
afterEach(() => team.close());
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test("N-40 nodes of two releases serve side by side: the tables grow while somebody types, either owns the workspace, and no letter is refused or lost", async () => {
  const first = await team.owner();
  const second = must(
    team.nodes.find((node) => node !== first),
    "there are two nodes",
  );
  const [canvasId] = await makeCanvases(team.at(first), 1);
  const id = must(canvasId, "a canvas is made");
  let at = first;
  const client = connected(() => team.at(at));
  const text = await opened(client, id);
  const refusals: unknown[] = [];
  text.refused.subscribe(() => refusals.push(text.refused.get()));
  let typed = "";
  const typing = setInterval(() => {
    const letter = String.fromCharCode(97 + (typed.length % 26));
    typed += letter;
    text.edit([{ from: text.length, to: text.length, insert: letter }]);
  }, 50);
  const confirmed = async (): Promise<void> => {
    const sofar = typed.length;
    await expect.poll(() => typed.length - text.unconfirmed.get(), { timeout: 30_000 }).toBeGreaterThan(sofar);
  };
  try {
    await confirmed();
    const later = laterRelease(adds);
    // The other node comes back as the later release, whose step runs while the earlier one owns the workspace.
    await second.end("SIGTERM");
    await second.start(later);
    expect(await versions()).toEqual({ version: newest + 1, least: newest });
    expect((await team.owner()).name).toBe(first.name);
    await confirmed();
    // The earlier release goes: the later one owns, with its client at it.
    at = second;
    expect(await first.end("SIGTERM")).toBe(0);
    expect((await team.owner()).name).toBe(second.name);
    await confirmed();
    // The earlier release comes back to tables that it does not know in full, and owns them.
    await first.start();
    await delay(500);
    at = first;
    expect(await second.end("SIGTERM")).toBe(0);
    expect((await team.owner()).name).toBe(first.name);
    await confirmed();
  } finally {
    clearInterval(typing);
  }
  await until(text.unconfirmed, (count) => count === 0, 30_000);
  expect(text.text()).toBe(typed);
  expect(refusals).toEqual([]);
  // A release that the earlier one could not go on beside is refused with words, and disturbs nobody.
  const breaking = laterRelease(adds, breaks);
  await expect(second.start(breaking)).rejects.toThrow("1 node of an earlier release still runs on this database");
  text.edit([{ from: 0, to: 0, insert: "still " }]);
  await until(text.unconfirmed, (count) => count === 0, 30_000);
  await first.end("SIGTERM");
  await second.start(breaking);
  await expect(first.start()).rejects.toThrow("The data was written by a later release of Heddle");
  at = second;
  const reader = connected(() => team.at(second));
  expect((await opened(reader, id)).text()).toBe(`still ${typed}`);
  for (const each of [client, reader]) each.close();
}, 240_000);

async function versions(): Promise<unknown> {
  const [row] = await query(team.url, "SELECT value FROM meta WHERE key = 'store.schema'");
  return JSON.parse(String(row?.["value"]));
}
