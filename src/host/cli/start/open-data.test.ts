import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommandLine } from "../run.ts";

let folder = "";
/** A folder that nobody can look into, whoever runs the test: a link to itself. */
let unreadable = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-open-data-"));
  unreadable = join(folder, "unreadable");
  await symlink(unreadable, unreadable);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; printed: string; noted: string }> {
  const output = { printed: "", noted: "" };
  const code = await runCommandLine(args, {
    print: (line) => void (output.printed += `${line}\n`),
    note: (line) => void (output.noted += `${line}\n`),
    env: { HOME: folder, XDG_CONFIG_HOME: join(folder, "none") },
    input: async () => "",
    isInteractive: false,
    colours: false,
  });
  return { code, ...output };
}

const readers = ["audit verify", "audit export", "export", "trace a-talk"];

test.each(readers)("%s says that there is no data, and makes none", async (command) => {
  const missing = join(folder, "missing");
  expect(await run(...command.split(" "), "--data", missing)).toEqual({
    code: 1,
    printed: "",
    noted: `heddle: There is no data in ${missing}. Name the data folder with --data.\n`,
  });
  expect(existsSync(missing)).toBe(false);
});

test.each([...readers, "backup", "compact", "recover"])(
  "%s says that a data folder cannot be read",
  async (command) => {
    const { code, printed, noted } = await run(...command.split(" "), "--data", unreadable);
    expect([code, printed]).toEqual([1, ""]);
    expect(noted).toContain(`heddle: The data folder ${unreadable} cannot be read (ELOOP`);
  },
);

test("migrate says that a data folder cannot be read", async () => {
  const { code, noted } = await run("migrate", "--from", unreadable, "--to", "postgres://nobody@127.0.0.1:1/none");
  expect(code).toBe(1);
  expect(noted).toContain(`heddle: The data folder ${unreadable} cannot be read (ELOOP`);
});
