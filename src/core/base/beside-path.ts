import type { FilePath } from "./file-path.ts";

/**
 * Returns a path for a file whose own path is in use: `notes/plan (restored).md`, then `notes/plan (restored 2).md`.
 * `attempt` counts from 1. A long name is cut, so that the path stays valid.
 */
export function besidePath(path: FilePath, why: "kept" | "restored", attempt: number): FilePath {
  const slash = path.lastIndexOf("/") + 1;
  const [folder, name] = [path.slice(0, slash), path.slice(slash)];
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const added = attempt === 1 ? ` (${why})` : ` (${why} ${attempt})`;
  return `${folder}${cut(stem)}${added}${ending}` as FilePath;
}

/** Leaves room in a name of 255 bytes. */
function cut(stem: string): string {
  return stem.length <= 40 ? stem : stem.slice(0, 40).toWellFormed();
}
