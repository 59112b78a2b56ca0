import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Refusal } from "../../src/core/base/errors.ts";
import type { Result } from "../../src/core/base/result.ts";
import type { CommandEnd } from "../../src/core/port/shell.ts";
import { pathWithSandbox } from "./programs.ts";

/** Commands for a process of a user without rights to run in a sandbox. */
export interface Errand {
  readonly shell: { readonly folder: string; readonly hidden: readonly string[]; readonly hosts?: readonly string[] };
  readonly commands: readonly {
    readonly command: string;
    readonly timeLimitMs?: number;
    /** The command is cancelled as soon as it has printed this. */
    readonly cancelAt?: string;
  }[];
  readonly atOnce: number;
}

/** The result of one of them. Milliseconds; `cancelMs` is the time from the cancel to the end. */
export interface Ran {
  readonly ended: Result<CommandEnd, Refusal>;
  readonly output: string;
  readonly ms: number;
  readonly cancelMs: number | null;
}

const isRoot = process.getuid?.() === 0;
/** The account that owns nothing. */
const nobody = 65_534;

/** Runs the commands as nobody if this process is root, else as its own user. */
export function runAsNobody(errand: Errand, env: Readonly<Record<string, string>>): Promise<readonly Ran[]> {
  const script = join(import.meta.dirname, "run-commands.ts");
  const asNobody = isRoot ? { uid: nobody, gid: nobody } : {};
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [script, JSON.stringify(errand)],
      { env: { PATH: pathWithSandbox(), ...env }, maxBuffer: 64 * 1024 * 1024, ...asNobody },
      (problem, stdout, stderr) => {
        if (problem === null) resolve(JSON.parse(stdout) as readonly Ran[]);
        else reject(new Error(`the commands could not be run: ${stderr}`, { cause: problem }));
      },
    );
  });
}

/** A folder that belongs to the user who runs the commands. */
export function folderOfNobody(below: string = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(below, "heddle-sandbox-")));
  if (isRoot) chownSync(folder, nobody, nobody);
  chmodSync(folder, 0o755);
  return folder;
}
