/** The path rules of a system: how it separates its search path and resolves folders. */
export interface PathRules {
  /** `:`, or `;` on Windows. */
  readonly delimiter: string;
  isAbsolute(folder: string): boolean;
  /** Returns the real path of a folder, or the folder itself when it cannot be resolved. */
  real(folder: string): string;
  /** `/`, or `\` on Windows. */
  readonly separator: string;
}

/**
 * Returns the folders of a search path from which Heddle may start a program: absolute folders that are not at or below
 * one of `written`, real paths to which others may have written a program of that name.
 */
export function programFolders(searchPath: string, written: readonly string[], rules: PathRules): readonly string[] {
  return searchPath.split(rules.delimiter).filter((folder) => {
    if (!rules.isAbsolute(folder)) return false;
    const real = rules.real(folder);
    return !written.some((root) => real === root || real.startsWith(root + rules.separator));
  });
}
