/** The files that the traced process writes; it creates their folders. */
export const fileNames = ["letter.md", "poem.md", "new/deep/list.md"] as const;

/**
 * The content of a file at a version: several pages whose lines name the version; no two versions have the same size.
 */
export function contentAt(name: string, version: number): Uint8Array {
  return new TextEncoder().encode(`${name} at version ${version}.\n`.repeat(400 + ((version * 37) % 100)));
}

/** The version that a file holds completely; null: none. */
export function versionOf(name: string, content: Uint8Array): number | null {
  const version = Number(/ (\d+)\.\n/.exec(new TextDecoder().decode(content.subarray(0, 100)))?.[1] ?? 0);
  return version > 0 && Buffer.compare(content, contentAt(name, version)) === 0 ? version : null;
}
