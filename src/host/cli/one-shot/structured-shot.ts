import { readFile } from "node:fs/promises";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { addUsage } from "../../../core/message/usage.ts";
import { misfitCode, oneShot, type OneShot, type Shot } from "./one-shot.ts";

/** How often an answer that does not fit its schema is sent back. */
const repeatsMax = 2;

/**
 * Sends a message like `oneShot`. An answer that does not fit the schema is sent back with what is wrong, as the next message
 * of the conversation; the usage is that of all answers.
 */
export async function structuredShot(shot: OneShot): Promise<Result<Shot, Refusal>> {
  let conversation: RootId | null = shot.rootId;
  const onEvent: OneShot["onEvent"] = (event) => {
    if (event.type === "started") conversation = event.conversation as RootId;
    shot.onEvent(event);
  };
  let last = await oneShot({ ...shot, onEvent });
  for (let n = 0; n < repeatsMax; n += 1) {
    if (!last.ok || last.value.error?.code !== misfitCode || conversation === null) break;
    const { message } = last.value.error;
    const { usage, dollars } = last.value;
    const again = await oneShot({ ...shot, rootId: conversation, prompt: message, replies: {}, onEvent });
    if (!again.ok) return again;
    const { dollars: more, ...answer } = again.value;
    const cost = dollars === undefined || more === undefined ? {} : { dollars: dollars + more };
    last = ok({ ...answer, ...cost, usage: addUsage(usage, again.value.usage) });
  }
  return last;
}

/** Reads the file of `--schema`; null where the flag is not given. */
export async function readSchemaFile(path: string | undefined): Promise<Result<JsonObject | null, Refusal>> {
  if (path === undefined) return ok(null);
  const wrong = (why: string): Result<never, Refusal> =>
    err(refusal("INVALID_PARAMS", { schema: path }, `--schema ${path}: ${why} Nothing was sent.`));
  let schema: unknown;
  try {
    schema = JSON.parse(await readFile(path, "utf8"));
  } catch (problem) {
    return wrong(`the file could not be read as JSON (${reasonOf(problem)}).`);
  }
  if (!isJsonObject(schema) || schema["type"] !== "object")
    return wrong('the file must hold a JSON Schema with "type": "object".');
  return ok(schema);
}
