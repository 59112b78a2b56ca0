import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { repository } from "../../scripts/command.ts";

/** Runs git without anybody's settings; `folder` is this repository by default. The caller judges git's exit code. */
export function git(
  args: readonly string[],
  options: { readonly folder?: string; readonly input?: string | Buffer } = {},
): { readonly code: number; readonly output: Buffer; readonly errors: string } {
  const done = spawnSync("git", args, {
    cwd: options.folder ?? repository,
    input: options.input,
    maxBuffer: 2 ** 30,
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      // A folder of texts in the temporary folder belongs to no repository.
      GIT_CEILING_DIRECTORIES: tmpdir(),
      LC_ALL: "C",
    },
  });
  if (done.error !== undefined) throw new Error("git could not be run", { cause: done.error });
  return { code: done.status ?? 1, output: done.stdout, errors: done.stderr.toString("utf8") };
}
