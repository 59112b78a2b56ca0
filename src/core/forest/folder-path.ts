/** Returns what was typed as a folder path: names without spaces around them, and no empty ones. */
export function tidyFolderPath(typed: string): string {
  return typed
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "." && name !== "..")
    .join("/");
}
