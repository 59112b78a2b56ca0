import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { ToolServerTarget } from "../../core/port/tool-server.ts";
import { liesIn } from "./lies-in.ts";

/** A file that a server is started with, and the folder around it where agents write. */
interface ExposedProgram {
  readonly path: string;
  readonly folder: string;
}

/**
 * Returns the files below these folders that a server is started with: agents could replace them with other programs,
 * which would then run outside any sandbox. Folders do not count: a server works on them.
 */
export async function exposedPrograms(
  target: ToolServerTarget,
  folders: readonly string[],
): Promise<readonly ExposedProgram[]> {
  if (target.type !== "stdio") return [];
  const { command, args, cwd, env } = target;
  const program = /[/\\]/.test(command) ? command : await foundIn(env["PATH"] ?? "", command);
  const named = [...(program === null ? [] : [program]), ...args.filter((each) => !each.startsWith("-"))];
  const found = await Promise.all(
    named.map(async (each) => {
      const path = resolve(cwd, each);
      if ((await stat(path).catch(() => null))?.isFile() !== true) return [];
      const folder = await folderAround(path, folders);
      return folder === null ? [] : [{ path: each, folder }];
    }),
  );
  return found.flat();
}

/**
 * Returns the folder of these in which a server is started; null: in none. Launchers that run programs by name (`npx`,
 * `python -m`) search their working folder before anything else.
 */
export async function startFolder(target: ToolServerTarget, folders: readonly string[]): Promise<string | null> {
  return target.type === "stdio" ? folderAround(target.cwd, folders) : null;
}

/** Returns the first of these folders that a file is in or below, with links followed; null where it is in none. */
export async function folderAround(file: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) if (await liesIn(file, folder)) return folder;
  return null;
}

/** Returns the program that a search path leads to for a name. */
async function foundIn(searchPath: string, name: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter).filter((each) => isAbsolute(each))) {
    const path = join(folder, name);
    const isProgram = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return path;
  }
  return null;
}
