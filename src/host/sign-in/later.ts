import type { ServerResponse } from "node:http";
import type { Refusal } from "../../core/base/errors.ts";
import { err, type Result } from "../../core/base/result.ts";
import { tooManyTries } from "./ceremony-words.ts";

/** Refuses for now, and says when to try again. */
export function later(response: ServerResponse, waitMs: number): Result<never, Refusal> {
  const seconds = Math.ceil(waitMs / 1000);
  response.setHeader("retry-after", String(seconds));
  return err(tooManyTries(seconds));
}
