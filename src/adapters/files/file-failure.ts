import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";

/** The system's code of a failed call, such as `ENOENT`. */
export function errorCodeOf(problem: unknown): string | undefined {
  return problem instanceof Error && "code" in problem && typeof problem.code === "string" ? problem.code : undefined;
}

/** The refusal for what the disk did not do. Names no path outside the folder. */
export function fileFailed(path: string, problem: unknown): Refusal {
  return refusal("FILE_FAILED", { path, reason: errorCodeOf(problem) ?? reasonOf(problem) });
}
