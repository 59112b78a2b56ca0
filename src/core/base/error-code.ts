/** Returns the code of a platform error (`ENOENT`), or undefined when the error has none. */
export function errorCodeOf(problem: unknown): string | undefined {
  return problem instanceof Error && "code" in problem && typeof problem.code === "string" ? problem.code : undefined;
}

/** For `catch`: returns undefined when the file does not exist; rethrows every other error. */
export function unlessMissing(problem: unknown): undefined {
  if (errorCodeOf(problem) === "ENOENT") return undefined;
  throw problem;
}
