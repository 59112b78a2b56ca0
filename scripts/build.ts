import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { repository, runTool } from "./command.ts";

// Builds the package into dist/: JavaScript and declarations of every ring, and the web app.
//   --web            only the web app
//   --web-if-stale   only the web app, and only where its sources are newer than what was built

const args = new Set(process.argv.slice(2));
const webOnly = args.has("--web") || args.has("--web-if-stale");

if (args.has("--web-if-stale") && !isWebStale()) process.exit(0);
if (!webOnly) await must("tsc", runTool("typescript/bin/tsc", ["-b"]));
await must("vite", runTool("vite/bin/vite.js", ["build", "web", "--logLevel", webOnly ? "warn" : "info"]));

async function must(name: string, exitCode: Promise<number>): Promise<void> {
  const code = await exitCode;
  if (code === 0) return;
  console.error(`build: ${name} failed with exit code ${code}`);
  process.exit(code);
}

function isWebStale(): boolean {
  const built = modifiedAt(join(repository, "dist/web/index.html"));
  const sources = [
    "web/src",
    "web/index.html",
    "web/public",
    "web/vite.config.ts",
    "src/client",
    "src/core",
    "package-lock.json",
  ];
  return built === 0 || sources.some((source) => newestBelow(join(repository, source)) > built);
}

function newestBelow(path: string): number {
  const own = modifiedAt(path);
  if (own === 0 || !statSync(path).isDirectory()) return own;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestBelow(join(path, name))), 0);
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
