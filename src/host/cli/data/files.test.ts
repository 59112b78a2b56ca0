import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { heddleAt } from "../run.test-support.ts";

let server: TestServer;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-cli-files-"));
  writeFileSync(join(folder, "a.md"), "one\n");
  writeFileSync(join(folder, "b.md"), "two\n");
  server = await startTestServer({ welcome: false, filesFolder: folder });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const heddle = (...args: readonly string[]) => heddleAt(server, [...args]);

test("14.1 heddle files lists, moves and deletes files on disk, and heddle trash brings one back", async () => {
  expect((await heddle("files")).printed).toBe("a.md\nb.md\n");
  expect(await heddle("files", "move", "a.md", "docs/c.md", "--folder", folder)).toMatchObject({
    code: 0,
    noted: "a.md is docs/c.md now.\n",
  });
  expect([existsSync(join(folder, "a.md")), readFileSync(join(folder, "docs/c.md"), "utf8")]).toEqual([false, "one\n"]);
  expect(await heddle("files", "delete", "docs/c.md")).toMatchObject({
    code: 0,
    noted: expect.stringContaining("docs/c.md is in the trash"),
  });
  expect(existsSync(join(folder, "docs/c.md"))).toBe(false);
  expect(await heddle("trash", "restore", "docs/c.md")).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, "docs/c.md"), "utf8")).toBe("one\n");
});

test("a server without a folder says so in words of the command line", async () => {
  const bare = await startTestServer({ welcome: false });
  try {
    const listed = await heddleAt(bare, ["files", "list", "--folder", "/etc"]);
    expect(listed.noted).toBe("heddle: Heddle knows no folder /etc. Add it in the app's settings.\n");
    const shown = await heddleAt(bare, ["show", "Nowhere"]);
    expect(shown.noted).toBe(
      'heddle: There is no document "Nowhere": no canvas has this title. The server has no folder of files; add one in the app\'s settings, or start it with --workspace DIR.\n',
    );
  } finally {
    await bare.close();
  }
});

test("14.1 heddle files says what it cannot do, and changes nothing", async () => {
  const refusals = [
    [["move", "a.md", "b.md"], "already exists"],
    [["move", "a.md"], "where to?"],
    [["delete"], "Which file?"],
    [["delete", "none.md"], "no file with this path"],
    [["mvoe", "a.md", "x.md"], 'Did you mean "move"?'],
    [["list", "--folder", tmpdir()], "Heddle knows no folder"],
  ] as const;
  for (const [args, why] of refusals) {
    const said = await heddle("files", ...args);
    expect([args, said.code === 0, said.noted]).toEqual([args, false, expect.stringContaining(why)]);
  }
  expect([readFileSync(join(folder, "a.md"), "utf8"), readFileSync(join(folder, "b.md"), "utf8")]).toEqual([
    "one\n",
    "two\n",
  ]);
});
