import { refusal, type Refusal } from "../base/errors.ts";
import { isJsonObject } from "../base/json.ts";

/** A file that cannot be committed in its current state, and why. */
export interface UnfitFile {
  readonly path: string;
  readonly problem: string;
}

/** Refuses a commit because of files that it cannot contain; without them the commit can be made. */
export function refusedFor(files: readonly UnfitFile[]): Refusal {
  return refusal("PATH_REFUSED", { files });
}

/** Returns the files that a commit was refused for; none when it was refused for another reason. */
export function unfitFilesOf({ code, details }: Refusal): readonly UnfitFile[] {
  const files: unknown = code === "PATH_REFUSED" ? details?.["files"] : undefined;
  return Array.isArray(files) ? files.filter(isUnfitFile) : [];
}

/** Describes the problem of one file for a list of such files. */
export function problemIn({ message, details }: Refusal): string {
  const problem = details?.["problem"] ?? details?.["reason"];
  return typeof problem === "string" ? problem : message;
}

function isUnfitFile(value: unknown): value is UnfitFile {
  return isJsonObject(value) && typeof value["path"] === "string" && typeof value["problem"] === "string";
}
