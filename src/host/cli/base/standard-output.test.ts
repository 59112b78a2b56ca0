import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const launcher = join(import.meta.dirname, "../../../../bin/heddle.js");
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-output-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a line of the shell in which `heddle` is the launcher. */
async function shell(line: string): Promise<{ readonly out: string; readonly noted: string }> {
  const env = { ...process.env, HEDDLE_DATA: join(folder, "data"), NODE_DISABLE_COMPILE_CACHE: "1" };
  const heddle = `heddle() { "${process.execPath}" "${launcher}" "$@"; }`;
  const done = await promisify(execFile)("bash", ["-c", `${heddle}; ${line}`], { env });
  return { out: done.stdout, noted: done.stderr };
}

const isLinux = process.platform === "linux";

test.runIf(isLinux).each(["--version", "completion bash", "help run"])(
  "%s onto a full disk says that its output is lost, and fails",
  async (args) => {
    const { out, noted } = await shell(`heddle ${args} > /dev/full; echo $?`);
    expect(out).toBe("1\n");
    expect(noted).toMatch(/^heddle: The output could not be written: .*ENOSPC.*\n$/u);
  },
);

test.runIf(isLinux)("output that fits in part fails too", async () => {
  const file = join(folder, "help.txt");
  const { out, noted } = await shell(`ulimit -f 1; heddle help run > "${file}"; echo $?`);
  expect((await stat(file)).size).toBe(1024);
  expect(out).toBe("1\n");
  expect(noted).toContain("heddle: The output could not be written: ");
});

test.runIf(isLinux)("a reader that leaves is no failure", async () => {
  const { out, noted } = await shell(`set -o pipefail; heddle help run | true; echo $?`);
  expect([out, noted]).toEqual(["0\n", ""]);
});
