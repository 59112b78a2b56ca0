import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundledPackages } from "../../scripts/bundled-packages.ts";
import { repository } from "../../scripts/command.ts";
import { declarationsNeeded } from "../../scripts/slim.ts";
import { pathWithSandbox } from "../sandbox/programs.ts";

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Removes every setting and key of the machine's owner from the environment. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:HEDDLE_|ANTHROPIC_|OPENAI_)|^XDG_CONFIG_HOME$/.test(name)),
);
const run = promisify(execFile);
const manifest: Manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "heddle-pack-"));
const installed = join(folder, "node_modules", "heddle");
let packed: Packed;

/**
 * The result of `npm install heddle` without a registry: the package unpacked, beside it exactly the dependencies it
 * names. `npm run torture` installs it with npm itself.
 */
beforeAll(() => {
  const output = execFileSync("npm", ["pack", "--json", "--silent", "--pack-destination", folder], {
    cwd: repository,
    encoding: "utf8",
  });
  const [only]: readonly Packed[] = Object.values(JSON.parse(output) as Readonly<Record<string, Packed>>);
  if (only === undefined) throw new Error("npm packed nothing");
  packed = only;
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", installed, "--strip-components", "1"]);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const own = join(repository, "node_modules", name);
    if (!existsSync(own)) continue;
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(own, join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("contains runnable code and documents, and no sources, tests or temporary files", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => !/^(?:bin|dist)\//.test(path)).toSorted()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "llms.txt",
    "package.json",
    "skills/heddle/SKILL.md",
  ]);
  expect(paths.filter((path) => /(?<!\.d)\.tsx?$|\.test\.|\.test-support\.|\.tsbuildinfo$|\/\./.test(path))).toEqual(
    [],
  );
  expect(paths).toContain("dist/web/index.html");
});

test("has the size that the README says", () => {
  const readme = readFileSync(join(repository, "README.md"), "utf8");
  const [, said = "none"] = /heddle-[\d.]+tgz, ([\d.]+) MB/u.exec(readme) ?? [];
  expect(Math.abs(packed.size / 1e6 - Number(said))).toBeLessThan(0.2);
});

test("is smaller than 15.3 MB unpacked, without the runtime", () => {
  expect(packed.unpackedSize).toBeLessThan(15_300_000);
});

test("declares everything that its entries name, and keeps other declarations out", () => {
  const entries = Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.types]));
  const needed = declarationsNeeded(entries.map((path) => join(installed, path)));
  expect([...needed].map((path) => relative(installed, path)).toSorted()).toEqual(
    packed.files
      .map(({ path }) => path)
      .filter((path) => path.endsWith(".d.ts"))
      .toSorted(),
  );
});

test("prints its version, even when started by a Node that is too old to run it", async () => {
  for (const node of [process.execPath, systemNode()]) {
    const { stdout } = await run(node, [join(installed, "bin/heddle.js"), "--version"], { cwd: folder, env });
    expect(stdout.trim()).toBe(manifest.version);
  }
});

test("tells the user of an old Node without the optional runtime what to install", async ({ skip }) => {
  const [major = 0, minor = 0] = (await run(systemNode(), ["--version"])).stdout.slice(1).split(".").map(Number);
  if (major > 24 || (major === 24 && minor >= 15)) return skip("the machine's own Node is recent enough");
  const bare = mkdtempSync(join(tmpdir(), "heddle-bare-"));
  try {
    for (const name of ["bin", "package.json"]) cpSync(join(installed, name), join(bare, name), { recursive: true });
    const { code, stderr } = await run(systemNode(), [join(bare, "bin/heddle.js")], { cwd: bare, env }).then(
      (ended) => ({ ...ended, code: 0 }),
      (problem: { readonly code: number; readonly stderr: string }) => problem,
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/Install a newer Node, or install Heddle without --omit=optional\.\n$/);
  } finally {
    rmSync(bare, { recursive: true, force: true });
  }
});

test("serves the app, and stops on request", async () => {
  const server = spawn(
    systemNode(),
    [join(installed, "bin/heddle.js"), "serve", "--data", join(folder, "data"), "--port", "0", "--json"],
    { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] },
  );
  const ended = new Promise<number | null>((resolve) => {
    server.on("exit", resolve);
  });
  try {
    const line = await new Promise<string>((resolve, reject) => {
      createInterface(server.stdout).once("line", resolve);
      void ended.then((code) => reject(new Error(`the server ended with ${code} before it was ready`)));
    });
    const { url }: { url: string } = JSON.parse(line);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const page = await fetch(`${url}/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<title>Heddle");
  } finally {
    server.kill("SIGTERM");
  }
  expect(await ended).toBe(0);
});

test("lets programs sign in to a team without the bundled packages", async () => {
  const data = mkdtempSync(join(folder, "team-"));
  const server = spawn(
    systemNode(),
    [join(installed, "bin/heddle.js"), "serve", "--team", "--data", data, "--port", "0", "--json"],
    { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] },
  );
  const said: string[] = [];
  server.stderr.on("data", (piece: Buffer) => said.push(piece.toString("utf8")));
  try {
    const line = await new Promise<string>((resolve) => createInterface(server.stdout).once("line", resolve));
    const { port } = new URL((JSON.parse(line) as { readonly url: string }).url);
    const metadata = await fetch(`http://localhost:${port}/.well-known/oauth-authorization-server`);
    expect([metadata.status, await metadata.json()]).toEqual([
      200,
      expect.objectContaining({ issuer: `http://localhost:${port}`, code_challenge_methods_supported: ["S256"] }),
    ]);
    expect(said.join("")).not.toContain("oidc-provider");
  } finally {
    server.kill("SIGTERM");
  }
});

test("counts tokens, calls a tool of an MCP server, runs a sandboxed command and hears a hint by NATS without the bundled packages", async () => {
  for (const name of Object.values(bundledPackages)) {
    expect(existsSync(join(folder, "node_modules", name)), name).toBe(false);
  }
  const program = join(import.meta.dirname, "use-bundled.ts");
  const { stdout } = await run(process.execPath, [program, installed, mkdtempSync(join(folder, "shell-"))], {
    cwd: folder,
    env: { ...env, PATH: pathWithSandbox() },
  });
  expect(JSON.parse(stdout)).toMatchObject({
    tokens: 2,
    tools: expect.arrayContaining(["echo"]),
    printed: "from the sandbox\n",
    hinted: true,
  });
});

test("names every package whose code it contains, with its licence", () => {
  const server = readFileSync(join(installed, "dist/THIRD-PARTY.md"), "utf8");
  for (const name of Object.values(bundledPackages)) expect(server).toContain(`## ${name} - `);
  expect(server).toContain("Apache License");
  // Names in a row have the one text that follows them.
  const texts = server.split(/\n\n(?=## )/u).slice(1);
  expect(texts.filter((text) => !/^(?:## .*\n)+\n\S/u.test(text))).toEqual([]);
  expect(new Set(texts.map((text) => text.replaceAll(/^## .*\n/gmu, ""))).size).toBe(texts.length);
  const app = readFileSync(join(installed, "dist/web/THIRD-PARTY.md"), "utf8");
  for (const name of ["react", "@codemirror/view", "valibot"]) expect(app).toContain(`## ${name} - `);
});

test("runs an example that imports it by name, with its storage and search threads", async () => {
  cpSync(join(repository, "examples/embed/main.ts"), join(folder, "main.ts"));
  const { stdout } = await run(process.execPath, ["main.ts"], { cwd: folder, env });
  expect(stdout).toContain("We ship on Monday.");
});

/** The machine's own Node, which may be older than Heddle needs; the bundled one if there is none. */
function systemNode(): string {
  const program = process.platform === "win32" ? "node.exe" : "node";
  return (
    (process.env["PATH"] ?? "")
      .split(delimiter)
      .filter((path) => !path.includes("node_modules"))
      .map((path) => join(path, program))
      .find((path) => existsSync(path)) ?? process.execPath
  );
}
