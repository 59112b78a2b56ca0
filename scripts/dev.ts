import { spawn } from "node:child_process";
import { repository } from "./command.ts";

// Runs the workspace for development: rebuilds the app at every change of its sources, and restarts the server at every
// change of its own. Arguments go to `heddle serve`.

const children = [
  spawn(process.execPath, ["node_modules/vite/bin/vite.js", "build", "web", "--watch", "--logLevel", "warn"], {
    cwd: repository,
    stdio: "inherit",
  }),
  spawn(
    process.execPath,
    ["--watch", "--watch-preserve-output", "src/host/cli/main.ts", "serve", ...process.argv.slice(2)],
    {
      cwd: repository,
      stdio: "inherit",
    },
  ),
];

for (const child of children) {
  child.on("exit", (code) => {
    for (const other of children) other.kill();
    process.exitCode = code ?? 1;
  });
}
process.on("SIGINT", () => children.forEach((child) => child.kill("SIGINT")));
