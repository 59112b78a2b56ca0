import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as v from "valibot";
import { scriptSchema, type Script } from "../../adapters/providers/scripted.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";

/**
 * Reads the script of the model `scripted/script` from a JSON file: a list of replies, each a list of steps. A refusal names the
 * file and the place of the mistake.
 */
export async function loadScript(file: string): Promise<Result<Script, Refusal>> {
  const path = resolve(file);
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (problem) {
    return err(unusable(path, reasonOf(problem)));
  }
  const read = v.safeParse(scriptSchema, json);
  if (read.success) return ok(read.output);
  const [issue] = read.issues;
  const place = v.getDotPath(issue) ?? "the whole file";
  return err(unusable(path, `${place}: expected ${issue.expected ?? "another value"}, not ${issue.received}`));
}

function unusable(path: string, why: string): Refusal {
  return refusal("INVALID_PARAMS", { path }, `The script ${path} cannot be used: ${why}. Nothing was started.`);
}
