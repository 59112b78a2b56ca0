import { refusal, type Refusal } from "../../core/base/errors.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";

/** Makes the refusal for a failed disk operation. Names no path outside the folder. */
export function fileFailed(path: string, problem: unknown): Refusal {
  return refusal("FILE_FAILED", { path, reason: errorCodeOf(problem) ?? reasonOf(problem) });
}
