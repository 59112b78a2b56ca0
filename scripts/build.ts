import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { repository, runTool } from "./command.ts";
import { ignoreInnerDeclarations, removeComments } from "./slim.ts";

// Builds the package into dist/: JavaScript and declarations of every ring, the packages that are bundled, and the web app.
//   --if-stale       the web app only if its sources are newer than the build
//   --web            only the web app
//   --web-if-stale   only the web app, and only if its sources are newer than the build

const rings = ["core", "adapters", "client", "host", "testing", "entry"];
const args = new Set(process.argv.slice(2));
const webOnly = args.has("--web") || args.has("--web-if-stale");
const whereStale = args.has("--if-stale") || args.has("--web-if-stale");

if (!webOnly) {
  await must("tsc", runTool("typescript/bin/tsc", ["-b"]));
  for (const ring of rings) {
    removeOrphans(ring, "");
    removeComments(join(repository, "dist", ring));
  }
  await must(
    "vite",
    runTool("vite/bin/vite.js", ["build", "--config", "scripts/bundle.vite.ts", "--logLevel", "warn"]),
  );
  ignoreInnerDeclarations(join(repository, "dist"), join(repository, "dist/entry"));
}
if (!whereStale || isWebStale()) {
  const level = webOnly || whereStale ? "warn" : "info";
  await must("vite", runTool("vite/bin/vite.js", ["build", "web", "--logLevel", level]));
}

async function must(name: string, exitCode: Promise<number>): Promise<void> {
  const code = await exitCode;
  if (code === 0) return;
  console.error(`build: ${name} failed with exit code ${code}`);
  process.exit(code);
}

/** Removes output of deleted sources: the compiler leaves it, and it would be published. */
function removeOrphans(ring: string, folder: string): void {
  const built = join(repository, "dist", ring, folder);
  for (const entry of readdirSync(built, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const source = join(repository, "src", ring, path.replace(/(?:\.d\.ts|\.js)$/, ".ts"));
    if (!existsSync(source) || /\.test(?:-support)?\./.test(path)) {
      rmSync(join(built, entry.name), { recursive: true });
    } else if (entry.isDirectory()) {
      removeOrphans(ring, path);
    }
  }
}

function isWebStale(): boolean {
  const built = modifiedAt(join(repository, "dist/web/index.html"));
  const sources = [
    "web/src",
    "web/index.html",
    "web/diagram.html",
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
