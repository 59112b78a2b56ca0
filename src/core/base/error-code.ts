/** The code of an error of the platform (`ENOENT`); undefined where it has none. */
export function errorCodeOf(problem: unknown): string | undefined {
  return problem instanceof Error && "code" in problem && typeof problem.code === "string" ? problem.code : undefined;
}

/** For `catch`: undefined in the place of a file that is not there; whatever else went wrong is thrown on. */
export function unlessMissing(problem: unknown): undefined {
  if (errorCodeOf(problem) === "ENOENT") return undefined;
  throw problem;
}
