import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { repository } from "./command.ts";

// Installs the package as a new user would, on the machine's own Node and on a recent one, with an empty npm cache, and
// measures the install. Needs the registry.
// node scripts/verify-package.ts

const serveBoundMs = 60_000;
/** Goals for an install of the packed package, in MB of 2^20 bytes: with the runtime for an older Node, and without. */
const weightMax = { withRuntime: 220, withoutRuntime: 70 };
const folder = mkdtempSync(join(tmpdir(), "heddle-verify-"));
let env = strangersEnvironment();
console.log(`system's Node ${capture("node", ["--version"], folder)}, npm ${capture("npm", ["--version"], folder)}`);

try {
  const clone = join(folder, "clone");
  capture("git", ["clone", "--quiet", repository, clone], folder);
  const manifest: { readonly optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(clone, "package.json"), "utf8"),
  );

  for (const args of [["ci"], ["ci", "--ignore-scripts"]]) {
    emptyCache();
    timed(`npm ${args.join(" ")}, empty cache`, () => capture("npm", args, clone));
  }
  rmSync(join(clone, "dist"), { recursive: true, force: true });
  await serves("npm start, first time", clone, ["npm", "start", "--"]);
  await serves("npm start, second time", clone, ["npm", "start", "--"]);

  const runtime = runtimeOf(clone);
  timed("npm run build", () => capture("npm", ["run", "build"], clone));
  for (const example of readdirSync(join(clone, "examples"), { withFileTypes: true })) {
    const program = join("examples", example.name, "main.ts");
    if (!existsSync(join(clone, program))) continue;
    timed(`the example ${example.name}`, () => capture(runtime, [program], clone));
  }
  const tarball = join(folder, capture("npm", ["pack", "--silent", "--pack-destination", folder], clone));

  const user = emptyProject("user");
  emptyCache();
  timed("npm install of the packed package, empty cache", () =>
    capture("npm", ["install", "--ignore-scripts", tarball], user),
  );
  weighs(
    "an install with the runtime",
    user,
    runtimesIn(user).length > 0 ? weightMax.withRuntime : weightMax.withoutRuntime,
  );
  timed("npx heddle --version", () => capture("npx", ["heddle", "--version"], user));
  await serves("npx heddle serve", user, ["npx", "heddle", "serve"]);

  // The same on a recent Node, which needs no second runtime. The program is copied, because npm ci empties
  // node_modules.
  const recent = join(folder, "recent");
  mkdirSync(recent);
  copyFileSync(runtime, join(recent, "node"));
  // Uses the system's certificates, as a distribution's own Node does.
  env = { ...env, PATH: [recent, env["PATH"] ?? ""].join(delimiter), NODE_USE_SYSTEM_CA: "1" };
  console.log(`recent Node ${capture("node", ["--version"], folder)}`);

  const lean = emptyProject("lean");
  emptyCache();
  timed("npm install --omit=optional of the packed package, empty cache", () =>
    capture("npm", ["install", "--ignore-scripts", "--omit=optional", tarball], lean),
  );
  weighs("an install without the runtime", lean, weightMax.withoutRuntime);
  noRuntimeIn(lean);
  await serves("npx heddle serve", lean, ["npx", "heddle", "serve"]);

  emptyCache();
  timed("npm ci, empty cache", () => capture("npm", ["ci"], clone));
  noRuntimeIn(clone);
  await serves("npm start", clone, ["npm", "start", "--"]);

  /** The runtime packages in a project. */
  function runtimesIn(project: string): readonly string[] {
    return Object.keys(manifest.optionalDependencies).filter((name) =>
      existsSync(join(project, "node_modules", name, "package.json")),
    );
  }

  function noRuntimeIn(project: string): void {
    const [second] = runtimesIn(project);
    if (second !== undefined) throw new Error(`${second} was installed beside a Node that is recent enough`);
  }

  /** The Node that runs a checkout's scripts. */
  function runtimeOf(checkout: string): string {
    const bundled = join(checkout, "node_modules", ".bin", "node");
    return existsSync(bundled) ? realpathSync(bundled) : process.execPath;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A folder with an empty package. */
function emptyProject(name: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  return project;
}

/** Reports the size of a project's packages, and throws if it exceeds the goal. */
function weighs(what: string, project: string, megabytesMax: number): void {
  const modules = join(project, "node_modules");
  const megabytes = megabytesBelow(modules);
  console.log(`${megabytes.toFixed(0).padStart(6)} MB ${what} (goal: at most ${megabytesMax})`);
  for (const { name, size } of heaviestIn(modules)) console.log(`${size.toFixed(1).padStart(12)} MB ${name}`);
  if (megabytes > megabytesMax) throw new Error(`${what} weighs more than ${megabytesMax} MB`);
}

/** The five largest packages, with those inside them. */
function heaviestIn(modules: string): readonly { readonly name: string; readonly size: number }[] {
  return readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => (name.startsWith("@") ? readdirSync(join(modules, name)).map((own) => join(name, own)) : [name]))
    .map((name) => ({ name, size: megabytesBelow(join(modules, name)) }))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 5);
}

/** The bytes of all files, without the file system's overhead. */
function megabytesBelow(path: string): number {
  const bytes = readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  return bytes / 1024 / 1024;
}

/** Starts a server, requests its health and its page, stops it. */
async function serves(what: string, cwd: string, [program = "", ...args]: readonly string[]): Promise<void> {
  const started = performance.now();
  const data = join(folder, "data");
  // Uses its own process group, because npm does not pass every signal to its child.
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

/** The JSON line in which a server reports that it is ready. */
function firstAnswer(server: ChildProcess): Promise<{ readonly url: string }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready within ${serveBoundMs} ms`)), serveBoundMs);
    if (server.stdout === null) throw new Error("the server's output is piped");
    // npm first prints what it runs.
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

/** Nothing of this checkout on the path, no settings of Heddle, an npm with an empty cache. */
function strangersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:HEDDLE_|npm_|NODE)/i.test(name));
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), npm_config_cache: join(folder, "cache") };
}
