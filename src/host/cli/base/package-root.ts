import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../../../core/base/json.ts";

/** The folder of the package: three up from here, in the sources as in what is built of them. */
const packageRoot = join(import.meta.dirname, "../..", "../..", "../..");

/** The folder of the built web app, for `startServer`. */
export const appFolder = join(packageRoot, "dist", "web");

export function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return isJsonObject(content) && typeof content["version"] === "string" ? content["version"] : "unknown";
}
