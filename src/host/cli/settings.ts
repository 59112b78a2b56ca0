import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import { readConfiguration, type Configuration } from "../configuration.ts";
import { platformConfigurationFolder } from "../data-directory.ts";
import type { Terminal } from "./terminal.ts";

/** Reads the configuration for a command: its flags, the environment, the user's one file. */
export function settingsFor(
  terminal: Terminal,
  flags: Readonly<Record<string, string>>,
): Result<Configuration, Refusal> {
  const user = { platform: process.platform, home: homedir(), env: terminal.env };
  const path = join(platformConfigurationFolder(user), "config.json");
  const text = textOf(path);
  return readConfiguration({ flags, user, file: text === null ? null : { path, text } });
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
