/** How a system spells its search path, and what its names lead to. */
export interface PathRules {
  /** `:`, or `;` on Windows. */
  readonly delimiter: string;
  isAbsolute(folder: string): boolean;
  /** Where a folder really is; itself where that cannot be told. */
  real(folder: string): string;
  /** `/`, or `\` on Windows. */
  readonly separator: string;
}

/**
 * The folders of a search path from which a program may be started for somebody: none that depends on where one stands, and
 * none at or below `written`, a real path where others may have put a program of that name.
 */
export function programFolders(searchPath: string, written: string, rules: PathRules): readonly string[] {
  return searchPath.split(rules.delimiter).filter((folder) => {
    if (!rules.isAbsolute(folder)) return false;
    const real = rules.real(folder);
    return real !== written && !real.startsWith(written + rules.separator);
  });
}
