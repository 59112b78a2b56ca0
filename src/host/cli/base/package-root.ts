import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../../../core/base/json.ts";

/** The folder of the package: four levels up, in the sources and in the build. */
const packageRoot = join(import.meta.dirname, "../../../..");

/** The folder of the built web app, for `startServer`. */
export const appFolder = join(packageRoot, "dist", "web");

/** The program `heddle`. */
export const launcher = join(packageRoot, "bin", "heddle.js");

let version: string | undefined;

/** Returns the package's version, which is read once: each request of an outside program names it. */
export function packageVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const content: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return isJsonObject(content) && typeof content["version"] === "string" ? content["version"] : "unknown";
}
