import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "../../../core/base/json.ts";
import { WrittenJson } from "../http/http-answer.ts";
import type { Route } from "../http/route.ts";
import { openApiInSteps } from "./openapi.ts";

/**
 * Writes the OpenAPI document in turns with other work: it has more than a million characters, and nobody's keystroke shall wait
 * for it.
 */
export async function writtenDocument(routes: readonly Route[]): Promise<WrittenJson> {
  const steps = openApiInSteps(routes);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await setImmediate();
  const { paths, ...rest } = step.value;
  const written: string[] = [];
  for (const [path, operations] of Object.entries(paths as JsonObject)) {
    written.push(`${JSON.stringify(path)}:${JSON.stringify(operations)}`);
    await setImmediate();
  }
  return new WrittenJson(`${JSON.stringify(rest).slice(0, -1)},"paths":{${written.join(",")}}}`);
}
