import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const repository = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the terminal and returns its exit code; `env` is added to the current environment. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(command, args, { cwd: repository, stdio: "inherit", env: { ...process.env, ...env } });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/** Runs a package's tool under the same Node as this script. */
export function runTool(entry: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return run(process.execPath, [fileURLToPath(new URL(`../node_modules/${entry}`, import.meta.url)), ...args], env);
}
