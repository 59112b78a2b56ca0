import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { refusal, type Refusal } from "../core/base/errors.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import { readConfiguration, type Configuration } from "./configuration.ts";
import { platformConfigurationFolder, type UserFolders } from "./data-directory.ts";

/** What this process's platform says about its user. */
function thisUser(): UserFolders {
  return { platform: process.platform, home: homedir(), env: process.env };
}

/** The one configuration file that is looked at: in the user's own folder, never in a workspace. */
export function configurationPath(user: UserFolders): string {
  return join(platformConfigurationFolder(user), "config.json");
}

/** Reads the configuration of this process: its flags, its environment, its user's file. */
export function loadConfiguration(
  flags: Readonly<Record<string, string>>,
  user: UserFolders = thisUser(),
): Result<Configuration, Refusal> {
  const path = configurationPath(user);
  const text = readIfThere(path);
  if (!text.ok) return text;
  return readConfiguration({ flags, user, file: text.value === null ? null : { path, text: text.value } });
}

function readIfThere(path: string): Result<string | null, Refusal> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ok(null);
    const reason = error instanceof Error ? error.message : String(error);
    return err(refusal("INVALID_PARAMS", { file: path, reason }, `${path} could not be read: ${reason}.`));
  }
}
