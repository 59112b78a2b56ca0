/** The code of an error of the platform (`ENOENT`); undefined where it has none. */
export function errorCodeOf(problem: unknown): string | undefined {
  return problem instanceof Error && "code" in problem && typeof problem.code === "string" ? problem.code : undefined;
}
