import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, sep } from "node:path";
import { programFolders } from "../../core/base/program-folders.ts";
import { reasonOf } from "../../core/base/reason.ts";

/** Nothing that a repository holds may run, and nothing may ask. */
const safely = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"];
/**
 * An object that is missing is missing: a repository that calls itself a partial clone would name the address to fetch it
 * from, and with it the command to run. Older versions of git know only the second, which allows no protocol.
 */
const offline = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
const outputBytesMax = 256 * 1024 * 1024;
/** A repository can make git wait for ever, by a pipe in the place of a file. Milliseconds. */
const patienceMs = 20_000;

interface GitCall {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** How long it may take. Milliseconds. */
  readonly patience?: number;
}

/** Runs git in a folder; rejects where it fails, or does not end. */
export function git(
  root: string,
  args: readonly string[],
  { env = {}, input, patience = patienceMs }: GitCall = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      [...safely, "-C", root, ...args],
      {
        maxBuffer: outputBytesMax,
        timeout: patience,
        killSignal: "SIGKILL",
        env: {
          ...withoutGit(process.env),
          // A program called git that was put into the folder is not git.
          PATH: programFolders(process.env["PATH"] ?? "", realOr(root), {
            delimiter,
            separator: sep,
            isAbsolute,
            real: realOr,
          }).join(delimiter),
          ...offline,
          GIT_TERMINAL_PROMPT: "0",
          GIT_OPTIONAL_LOCKS: "0",
          LC_ALL: "C",
          ...env,
        },
      },
      (problem, stdout, stderr) => {
        if (problem === null) resolve(stdout);
        else if (problem.killed === true && typeof problem.code !== "string")
          reject(new Error(`git did not end within ${patience} ms`, { cause: problem }));
        else reject(new Error(stderr.trim() === "" ? reasonOf(problem) : stderr.trim(), { cause: problem }));
      },
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

/** What a git that started us says of its repository is not about this one. */
function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_")));
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Whether the folder is a work tree's own, and git is there to be asked. */
export async function isWorkTree(root: string): Promise<boolean> {
  try {
    return (await git(root, ["rev-parse", "--is-inside-work-tree"])).trim() === "true";
  } catch {
    return false;
  }
}
