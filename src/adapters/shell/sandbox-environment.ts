import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { absoluteFolders } from "./sandbox-programs.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of the server's environment that a command may see, besides its PATH. Any other variable may be a secret.
 */
const passedOn = /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|USER|LOGNAME|COLUMNS|LINES|JAVA_HOME|GOROOT)$/;

/** Folders below the home folder that hold programs and no secrets, each with the variable that names it. */
const toolFolders = [
  [".rustup", "RUSTUP_HOME"],
  [".nvm", "NVM_DIR"],
  [".pyenv", "PYENV_ROOT"],
  [".rbenv", "RBENV_ROOT"],
  [".volta", "VOLTA_HOME"],
  [".asdf", "ASDF_DATA_DIR"],
  [".sdkman", "SDKMAN_DIR"],
  [join(".local", "share", "mise"), "MISE_DATA_DIR"],
] as const;

/** Returns the existing tool folders of the user, each with the variable that names it. */
export function toolsOf(home: string): readonly { readonly folder: string; readonly variable: string }[] {
  return toolFolders.flatMap(([below, variable]) => {
    const folder = join(home, below);
    return existsSync(folder) ? [{ folder, variable }] : [];
  });
}

/** Settings that keep a repository from running programs, and git from prompting and paging. */
const gitSettings = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["protocol.ext.allow", "never"],
] as const;

/** The environment of a command, with nothing but the variables named here. `own` is its private folder. */
export function commandEnvironment(
  env: Environment,
  { home, own }: { readonly home: string; readonly own: string },
): Readonly<Record<string, string>> {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && passedOn.test(name) ? [[name, value] as const] : [],
  );
  const git = gitSettings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ]);
  const temporary = join(own, "tmp");
  return {
    LANG: "C.UTF-8",
    ...Object.fromEntries(passed),
    ...Object.fromEntries(toolsOf(home).map(({ folder, variable }) => [variable, folder])),
    PATH: absoluteFolders(env["PATH"] ?? "").join(delimiter),
    HOME: join(own, "home"),
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    SHELL: "/bin/bash",
    TERM: "dumb",
    NO_COLOR: "1",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(gitSettings.length),
    ...Object.fromEntries(git),
  };
}
