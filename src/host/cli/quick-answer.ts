import { packageVersion } from "./base/package-root.ts";
import { generalHelp } from "./general-help.ts";

/** Returns the answer to a line that asks for the version or the general help, which needs nothing else to be loaded. */
export function quickAnswer(args: readonly string[]): string | null {
  const [only, ...others] = args;
  if (others.length > 0) return null;
  if (only === "--version" || only === "-v") return packageVersion();
  return only === "--help" || only === "-h" || only === "help" ? generalHelp : null;
}
