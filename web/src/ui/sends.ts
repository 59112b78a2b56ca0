import type { Refusal } from "../../../src/core/base/errors.ts";
import type { Result } from "../../../src/core/base/result.ts";

/** Waits for a command of a section; announces the sentence on success, shows the refusal else. Returns whether it succeeded. */
export type Sends = (asked: Promise<Result<unknown, Refusal>>, done: string) => Promise<boolean>;
