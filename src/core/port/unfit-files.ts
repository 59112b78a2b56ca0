import { refusal, type Refusal } from "../base/errors.ts";
import { isJsonObject } from "../base/json.ts";

/** A file that cannot be committed as it stands, and why. */
export interface UnfitFile {
  readonly path: string;
  readonly problem: string;
}

/** Refuses a commit for the files that it cannot hold; without them it can be made. */
export function refusedFor(files: readonly UnfitFile[]): Refusal {
  return refusal("PATH_REFUSED", { files });
}

/** The files that a commit was refused for; none where it was refused for something else. */
export function unfitFilesOf({ code, details }: Refusal): readonly UnfitFile[] {
  const files: unknown = code === "PATH_REFUSED" ? details?.["files"] : undefined;
  return Array.isArray(files) ? files.filter(isUnfitFile) : [];
}

/** What is wrong with one file, for whoever reads a list of them. */
export function problemIn({ message, details }: Refusal): string {
  const said = details?.["problem"] ?? details?.["reason"];
  return typeof said === "string" ? said : message;
}

function isUnfitFile(value: unknown): value is UnfitFile {
  return isJsonObject(value) && typeof value["path"] === "string" && typeof value["problem"] === "string";
}
