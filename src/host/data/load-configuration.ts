import { readFileSync } from "node:fs";
import { join } from "node:path";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { readConfiguration, type Configuration } from "./configuration.ts";
import { readOwnSyntaxes } from "./own-syntaxes.ts";
import { platformConfigurationFolder, type UserFolders } from "./data-directory.ts";

/** Returns the path of the one configuration file: in the user's own folder, never in a workspace. */
export function configurationPath(user: UserFolders): string {
  return join(platformConfigurationFolder(user), "config.json");
}

/** Reads the configuration of a command: its flags, the environment, the user's one file. */
export function loadConfiguration(
  flags: Readonly<Record<string, string>>,
  user: UserFolders,
): Result<Configuration, Refusal> {
  const path = configurationPath(user);
  const text = readIfThere(path);
  if (!text.ok) return text;
  return readConfiguration({
    flags,
    user,
    file: text.value === null ? null : { path, text: text.value },
    syntaxesIn: (dataFolder) => readOwnSyntaxes(dataFolder).syntaxes,
  });
}

function readIfThere(path: string): Result<string | null, Refusal> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return ok(null);
    const reason = reasonOf(error);
    return err(refusal("INVALID_PARAMS", { file: path, reason }, `${path} could not be read: ${reason}.`));
  }
}
