/** The files that the traced process writes; the folders of one are made on the way. */
export const fileNames = ["letter.md", "poem.md", "new/deep/list.md"] as const;

/** What a file holds at a version: several pages, each line of which tells the version, and no two versions of one size. */
export function contentAt(name: string, version: number): Uint8Array {
  return new TextEncoder().encode(`${name} at version ${version}.\n`.repeat(400 + ((version * 37) % 100)));
}

/** The version that a file holds whole; null: none. */
export function versionOf(name: string, content: Uint8Array): number | null {
  const version = Number(/ (\d+)\.\n/.exec(new TextDecoder().decode(content.subarray(0, 100)))?.[1] ?? 0);
  return version > 0 && Buffer.compare(content, contentAt(name, version)) === 0 ? version : null;
}
