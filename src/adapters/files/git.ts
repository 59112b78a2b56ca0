import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { programFolders } from "../../core/base/program-folders.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { openRoots } from "./open-roots.ts";

/** Settings that keep a repository from running programs and from prompting. */
const safely = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"];
/**
 * Keeps git from fetching missing objects: a repository that calls itself a partial clone could name the address to fetch
 * from, and thereby a command to run. Older versions of git know only the second variable, which allows no protocol.
 */
const offline = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
const outputBytesMax = 256 * 1024 * 1024;
/** Milliseconds. A repository can make git hang, for example with a pipe in place of a file. */
const defaultTimeoutMs = 20_000;

interface GitCall {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Milliseconds after which git is ended. */
  readonly timeoutMs?: number;
}

/** Runs git in a folder. Rejects when git fails or does not end in time. */
export function git(
  root: string,
  args: readonly string[],
  { env = {}, input, timeoutMs = defaultTimeoutMs }: GitCall = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      [...safely, "-C", root, ...args],
      {
        maxBuffer: outputBytesMax,
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        env: {
          ...withoutGit(process.env),
          // A program named git inside a folder where agents write must not be run as git.
          PATH: programFolders(process.env["PATH"] ?? "", [realOr(root), ...openRoots()], {
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
          reject(new Error(`git did not end within ${timeoutMs} ms`, { cause: problem }));
        else reject(new Error(stderr.trim() === "" ? reasonOf(problem) : stderr.trim(), { cause: problem }));
      },
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

/** Removes GIT_* variables: those that git set for Heddle describe another repository. */
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

/** Whether the folder belongs to a work tree and git is installed. Most do not, and then no program is started. */
export async function isWorkTree(root: string): Promise<boolean> {
  if (!(await hasRepositoryAbove(realOr(root)))) return false;
  try {
    return (await git(root, ["rev-parse", "--is-inside-work-tree"])).trim() === "true";
  } catch {
    return false;
  }
}

/** Whether git, asked in the folder, could find a repository there or above. */
async function hasRepositoryAbove(folder: string): Promise<boolean> {
  try {
    await lstat(join(folder, ".git"));
    return true;
  } catch (problem) {
    // What cannot be looked at is git's to judge.
    if (errorCodeOf(problem) !== "ENOENT") return true;
  }
  const above = dirname(folder);
  return above !== folder && hasRepositoryAbove(above);
}
