import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ToolServerTarget } from "../../core/port/tool-server.ts";
import { liesIn } from "./lies-in.ts";

/**
 * Returns the files of the workspace folder that a server is started with: agents could replace them with other programs,
 * which would then run outside any sandbox. Folders do not count: a server works on them.
 */
export async function programsInWorkspace(target: ToolServerTarget, folder: string | null): Promise<readonly string[]> {
  if (target.type !== "stdio" || folder === null) return [];
  const { command, args, cwd } = target;
  // A name without a slash is looked up in PATH.
  const named = [...(/[/\\]/.test(command) ? [command] : []), ...args.filter((each) => !each.startsWith("-"))];
  const found = await Promise.all(
    named.map(async (each) => {
      const path = resolve(cwd, each);
      const isFile = (await stat(path).catch(() => null))?.isFile() === true;
      return isFile && (await liesIn(path, folder)) ? [each] : [];
    }),
  );
  return found.flat();
}

/**
 * Whether a server is started in the workspace folder: launchers that run programs by name (`npx`, `python -m`) search their
 * working folder before anything else.
 */
export async function isStartedInWorkspace(target: ToolServerTarget, folder: string | null): Promise<boolean> {
  return target.type === "stdio" && folder !== null && liesIn(target.cwd, folder);
}
