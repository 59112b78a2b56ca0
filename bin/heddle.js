#!/usr/bin/env node
// Starts Heddle on a Node that can run it: the one that runs this file, or the one that comes with the package.
// Plain JavaScript without new syntax, so that an old Node gets as far as saying what is missing.
import { spawn, spawnSync } from "child_process";
import { existsSync, mkdirSync } from "fs";
import * as nodeModule from "module";
import { homedir } from "os";
import { dirname, join } from "path";
import { fileURLToPath, pathToFileURL } from "url";

const wanted = [24, 15];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "src", "host", "cli", "main.ts");
const built = join(root, "dist", "host", "cli", "main.js");
const isCheckout = existsSync(source);
const main = isCheckout ? source : built;
const args = process.argv.slice(2);

const runtime = findRuntime();
if (runtime === undefined) {
  const own =
    process.env.HEDDLE_SYSTEM_NODE === "1"
      ? "HEDDLE_SYSTEM_NODE=1 asks for no other"
      : "no runtime for " + process.platform + "-" + process.arch + " is installed with the package";
  fail(
    "Heddle needs Node " +
      wanted.join(".") +
      " or newer; this is " +
      process.version +
      ", and " +
      own +
      ". Install a newer Node, or install Heddle without --omit=optional.",
  );
} else if (!existsSync(main)) {
  fail("This copy of Heddle is not complete: " + main + " is missing. Install it again.");
} else {
  if (isCheckout && isServe(args)) buildApp(runtime);
  start(runtime);
}

function findRuntime() {
  if (isRecent(process.versions.node)) return process.execPath;
  if (process.env.HEDDLE_SYSTEM_NODE === "1") return undefined;
  const require = nodeModule.createRequire(import.meta.url);
  const platform = process.platform === "win32" ? "win" : process.platform;
  const names = ["node-" + platform + "-" + process.arch, "node-bin-" + process.platform + "-" + process.arch];
  const program = process.platform === "win32" ? "node.exe" : "node";
  for (const name of names) {
    const folder = folderOf(require, name);
    const bundled = folder === undefined ? "" : join(folder, "bin", program);
    if (existsSync(bundled)) return bundled;
  }
  const linked = join(root, "node_modules", ".bin", program);
  return existsSync(linked) ? linked : undefined;
}

function folderOf(require, name) {
  try {
    return dirname(require.resolve(name + "/package.json"));
  } catch (problem) {
    if (problem && problem.code === "MODULE_NOT_FOUND") return undefined;
    throw problem;
  }
}

function isRecent(version) {
  const parts = version.split(".").map(Number);
  return parts[0] > wanted[0] || (parts[0] === wanted[0] && parts[1] >= wanted[1]);
}

function isServe(given) {
  const asksOnly = given.some((arg) => ["--help", "-h", "--version", "-v"].indexOf(arg) !== -1);
  return !asksOnly && (given.length === 0 || given[0] === "serve" || given[0].charAt(0) === "-");
}

/** A checkout has the app's sources and may have changed them: what is built must be as new. Says nothing on stdout. */
function buildApp(node) {
  const script = join(root, "scripts", "build.ts");
  if (process.env.HEDDLE_NO_BUILD === "1" || !existsSync(script)) return;
  const done = spawnSync(node, [script, "--web-if-stale"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (done.status !== 0)
    process.stderr.write("heddle: the web app could not be built; the server starts without it.\n");
}

function start(node) {
  if (node === process.execPath) {
    keepCompiled();
    import(pathToFileURL(main).href).catch((problem) => {
      process.stderr.write("heddle: " + ((problem && problem.stack) || problem) + "\n");
      process.exit(1);
    });
    return;
  }
  const child = spawn(node, [main].concat(args), { stdio: "inherit" });
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach((signal) => process.on(signal, () => child.kill(signal)));
  child.on("error", (problem) => fail("Node could not be started (" + node + "): " + problem.message));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    // Ends as the child did, so that whoever started us sees the same.
    ["SIGINT", "SIGTERM", "SIGHUP"].forEach((each) => process.removeAllListeners(each));
    process.kill(process.pid, signal);
  });
}

/** A start loads a thousand modules; what one start has compiled, the next one takes. NODE_COMPILE_CACHE comes first. */
function keepCompiled() {
  if (!nodeModule.enableCompileCache || process.env.NODE_COMPILE_CACHE) return;
  try {
    // Each folder by itself: Node never returns where a folder of folders cannot be made.
    const folders = [cacheFolder(), "heddle", "compiled"];
    folders.reduce((above, name) => {
      const folder = above === "" ? name : join(above, name);
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
      return folder;
    }, "");
    nodeModule.enableCompileCache(join(...folders));
  } catch {
    // Whoever has no place for it compiles each time.
  }
}

function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  if (process.platform === "win32" && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA;
  return join(homedir(), ".cache");
}

function fail(sentence) {
  process.stderr.write("heddle: " + sentence + "\n");
  process.exit(1);
}
