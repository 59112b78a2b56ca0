/** Says who locked a setting; nothing where the person may change it. */
export function LockNote({ by }: { readonly by: string | undefined }) {
  return by === undefined ? null : <p className="quiet">{lockWords(by)}</p>;
}

/** Says who locked a setting, and who changes it. */
export function lockWords(by: string): string {
  return `Locked by ${by}. Owners of the workspace change it.`;
}
