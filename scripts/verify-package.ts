import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { repository } from "./command.ts";

// The first minutes of a stranger, on this machine's own Node and with an empty npm cache. Needs the registry.
//   node scripts/verify-package.ts

const serveBoundMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), "heddle-verify-"));
const env = strangersEnvironment();
console.log(`system's Node ${capture("node", ["--version"], folder)}, npm ${capture("npm", ["--version"], folder)}`);

try {
  const clone = join(folder, "clone");
  capture("git", ["clone", "--quiet", repository, clone], folder);

  for (const args of [["ci"], ["ci", "--ignore-scripts"]]) {
    emptyCache();
    timed(`npm ${args.join(" ")}, empty cache`, () => capture("npm", args, clone));
  }
  rmSync(join(clone, "dist"), { recursive: true, force: true });
  await serves("npm start, first time", clone, ["npm", "start", "--"]);
  await serves("npm start, second time", clone, ["npm", "start", "--"]);

  const bin = join(clone, "node_modules", ".bin");
  timed("npm run build", () => capture("npm", ["run", "build"], clone));
  for (const example of readdirSync(join(clone, "examples"), { withFileTypes: true })) {
    if (!example.isDirectory()) continue;
    timed(`the example ${example.name}`, () =>
      capture(join(bin, "node"), [join("examples", example.name, "main.ts")], clone),
    );
  }
  const tarball = capture("npm", ["pack", "--silent", "--pack-destination", folder], clone);

  const user = join(folder, "user");
  mkdirSync(user);
  writeFileSync(join(user, "package.json"), '{ "private": true }\n');
  emptyCache();
  timed(`npm install ${tarball}, empty cache`, () =>
    capture("npm", ["install", "--ignore-scripts", join(folder, tarball)], user),
  );
  timed("npx heddle --version", () => capture("npx", ["heddle", "--version"], user));
  await serves("npx heddle serve", user, ["npx", "heddle", "serve"]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a server, asks it for its health and its page, stops it. */
async function serves(what: string, cwd: string, [program = "", ...args]: readonly string[]): Promise<void> {
  const started = performance.now();
  const data = join(folder, "data");
  // A group of its own, because npm does not pass on every signal to what it started.
  const server = spawn(program, [...args, "--data", data, "--port", "0", "--json"], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const { url } = await firstAnswer(server);
    const seconds = (performance.now() - started) / 1000;
    for (const path of ["/healthz", "/"]) {
      const { status } = await fetch(url + path);
      if (status !== 200) throw new Error(`${what}: ${path} answered ${status}`);
    }
    report(what, seconds);
  } finally {
    const ended = new Promise((resolve) => {
      server.once("exit", resolve);
    });
    if (server.pid !== undefined && server.exitCode === null) {
      process.kill(-server.pid, "SIGTERM");
      await ended;
    }
  }
}

/** The line of JSON with which a server says that it is ready. */
function firstAnswer(server: ChildProcess): Promise<{ readonly url: string }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready within ${serveBoundMs} ms`)), serveBoundMs);
    if (server.stdout === null) throw new Error("the server's output is piped");
    // npm says first what it runs.
    createInterface(server.stdout).on("line", (line) => {
      if (!line.startsWith("{")) return;
      clearTimeout(timer);
      resolve(JSON.parse(line));
    });
    server.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code} before it was ready`));
    });
  });
}

function timed(what: string, work: () => string): void {
  const started = performance.now();
  work();
  report(what, (performance.now() - started) / 1000);
}

function report(what: string, seconds: number): void {
  console.log(`${seconds.toFixed(1).padStart(6)} s  ${what}`);
}

function capture(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, [...args], { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

function emptyCache(): void {
  rmSync(join(folder, "cache"), { recursive: true, force: true });
}

/** Nothing of this checkout on the path, no settings of Heddle, an npm that has never fetched anything. */
function strangersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:HEDDLE_|npm_|NODE)/i.test(name));
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), npm_config_cache: join(folder, "cache") };
}
