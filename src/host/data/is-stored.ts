import { statSync } from "node:fs";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";

/** Tells whether a file of a data folder exists; refused where nobody can tell, as in the folder of another user. */
export function isStored(file: string, { root }: { readonly root: string }): Result<boolean, Refusal> {
  try {
    statSync(file);
    return ok(true);
  } catch (problem) {
    if (errorCodeOf(problem) === "ENOENT") return ok(false);
    const reason = reasonOf(problem);
    const message = `The data folder ${root} cannot be read (${reason}). Nothing was changed. Check whose it is, or name another one with --data.`;
    return err(refusal("STORE_FAILED", { path: root, reason }, message));
  }
}
