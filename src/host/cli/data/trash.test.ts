import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { heddleAt } from "../run.test-support.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ welcome: false });
});
afterEach(() => server.close());

const heddle = (...args: readonly string[]) => heddleAt(server, ["trash", ...args]);

/** Creates and deletes canvases with these titles. */
async function deleted(...titles: readonly string[]): Promise<void> {
  const client = connectTestClient(server, { name: "Ada" });
  for (const title of titles) {
    const { canvasId } = accept(await client.call("canvas.create", { title, text: `${title}\n` }));
    accept(await client.call("block.delete", { blockId: canvasId }));
  }
  client.close();
}

async function titles(): Promise<readonly string[]> {
  return (await server.workspace.canvases()).map(({ title }) => title);
}

test("14.1 heddle trash lists what was deleted, and restores it by its title or its id", async () => {
  expect((await heddle("list")).noted).toContain("The trash is empty.");
  await deleted("Plan", "Notes");
  const listed = await heddle();
  expect(listed.printed.split("\n").filter((line) => line !== "")).toHaveLength(2);
  expect(listed.printed).toMatch(
    /trash_\w+ {2}canvas {2}Notes {2}deleted by Ada on \d{4}-\d\d-\d\d, until \d{4}-\d\d-\d\d/,
  );
  expect(await heddle("restore", "Plan")).toMatchObject({ code: 0, noted: expect.stringContaining("Restored: Plan.") });
  const { entries } = JSON.parse((await heddle("list", "--json")).printed) as {
    readonly entries: readonly { id: string }[];
  };
  expect(await heddle("restore", entries[0]?.id ?? "", "--json")).toMatchObject({ code: 0 });
  expect((await titles()).toSorted()).toEqual(["Notes", "Plan"]);
});

test("14.1 heddle trash says what it cannot do, and what to do", async () => {
  await deleted("Plan", "Plan");
  expect(await heddle("restore")).toMatchObject({ code: 2, noted: expect.stringContaining("Which entry?") });
  expect(await heddle("restore", "none")).toMatchObject({
    code: 1,
    noted: expect.stringContaining("has the id or the title"),
  });
  expect(await heddle("restore", "Plan")).toMatchObject({
    code: 2,
    noted: expect.stringContaining("2 entries have this title"),
  });
  expect(await heddle("emtpy")).toMatchObject({ code: 2, noted: expect.stringContaining('Did you mean "empty"?') });
  expect(await titles()).toEqual([]);
});

test("K-79 heddle trash empty asks once, and then deletes for good", async () => {
  await deleted("Plan", "Notes");
  expect(await heddle("empty")).toMatchObject({
    code: 2,
    noted: expect.stringContaining("deletes 2 entries for good"),
  });
  expect((await heddle("list")).printed).toContain("Plan");
  expect(await heddle("empty", "--yes")).toMatchObject({
    code: 0,
    noted: expect.stringContaining("2 entries for good"),
  });
  expect((await heddle("list")).noted).toContain("The trash is empty.");
});

test("14.1 K-78 heddle trash restores a file to disk, and beside another one with --keep-both", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-trash-files-"));
  await writeFile(join(folder, "a.md"), "old\n");
  await server.close();
  server = await startTestServer({ welcome: false, filesFolder: folder });
  const client = connectTestClient(server, { name: "Ada" });
  accept(await client.call("file.delete", { path: "a.md" }));
  client.close();
  expect(await readdir(folder)).toEqual([]);
  expect((await heddle("list")).printed).toMatch(/trash_\w+ {2}file {2}a\.md {2}deleted by Ada/);
  await writeFile(join(folder, "a.md"), "new\n");
  expect(await heddle("restore", "a.md")).toMatchObject({ code: 1, noted: expect.stringContaining("add --keep-both") });
  expect(await heddle("restore", "a.md", "--keep-both")).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, "a.md"), "utf8")).toBe("new\n");
  expect(await readFile(join(folder, "a (restored).md"), "utf8")).toBe("old\n");
  await rm(folder, { recursive: true });
});
