import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { driverAt } from "../../adapters/storage/database-drivers.ts";
import { isSqliteRecentEnough } from "../../adapters/storage/sqlite/open-database.ts";
import { openSandboxedShell } from "../../adapters/shell/sandboxed-shell.ts";
import { errorTable } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { defaultTier } from "../../core/turn/judge/judge-call.ts";
import type { Configuration } from "../data/configuration.ts";
import { dataDirectoryAt, type DataDirectory, type UserFolders } from "../data/data-directory.ts";
import { loadConfiguration } from "../data/load-configuration.ts";
import { examineMcp } from "../mcp-servers/examine-mcp.ts";
import { examineModels } from "../models/examine-models.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { acquireProcessLock } from "../data/process-lock.ts";
import type { CommandForm, CommandLine } from "./base/command-line.ts";
import { shownStore } from "./start/open-store.ts";
import { appFolder, packageVersion } from "./base/package-root.ts";
import { styled, userOf, type Terminal } from "./base/terminal.ts";
import { unaskedHosts } from "./start/unasked-hosts.ts";

export const doctorForm: CommandForm = {
  name: "doctor",
  values: ["data", "models", "mcp-config", "store", "port", "host", "approvals", "shell-hosts"],
  switches: ["json"],
};

/** The result of one check. A warning is worth knowing and stops nothing. */
interface Finding {
  readonly check: string;
  readonly verdict: "ok" | "warning" | "failed";
  readonly found: string;
  /** What to do about it. */
  readonly next?: string;
}

const nodeWanted = [24, 15] as const;
const spaceWarnBytes = 1024 ** 3;
const spaceFailBytes = 100 * 1024 ** 2;

/** Checks everything that the server needs; changes nothing. The exit code is 1 when a check failed. */
export async function doctor(line: CommandLine, terminal: Terminal): Promise<number> {
  const settings = loadConfiguration(line.values, userOf(terminal));
  if (!settings.ok) {
    terminal.note(`heddle: ${settings.error.message}`);
    return errorTable[settings.error.code].exit;
  }
  const findings = await examine(settings.value, userOf(terminal));
  const failed = findings.some((finding) => finding.verdict === "failed");
  if (line.switches.has("json")) {
    terminal.print(JSON.stringify({ ok: !failed, version: packageVersion(), findings }));
  } else {
    for (const finding of findings) printFinding(finding, terminal);
  }
  return failed ? 1 : 0;
}

function printFinding({ check, verdict, found, next }: Finding, terminal: Terminal): void {
  const marks = { ok: ["green", "ok     "], warning: ["yellow", "warning"], failed: ["red", "failed "] } as const;
  const [colour, mark] = marks[verdict];
  terminal.print(`${styled(terminal, colour, mark)}  ${check.padEnd(12)} ${found}`);
  if (next !== undefined) terminal.print(`${" ".repeat(22)}${next}`);
}

async function examine(configuration: Configuration, user: UserFolders): Promise<readonly Finding[]> {
  const data = dataDirectoryAt(configuration.data);
  return [
    nodeFinding(process.versions.node),
    sqliteFinding(process.versions["sqlite"] ?? "none"),
    dataFinding(data),
    spaceFinding(data),
    lockFinding(data),
    configuration.store === undefined
      ? databaseFinding(data)
      : await addressFinding(configuration.store, shownStore(configuration, data)),
    await portFinding(configuration),
    appFinding(),
    modelsFinding(configuration, data),
    mcpFinding(configuration, data, user),
    await sandboxFinding(configuration, user),
    approvalsFinding(configuration),
  ];
}

function approvalsFinding(configuration: Configuration): Finding {
  const check = "approvals";
  const { approvals = defaultTier } = configuration;
  const problem = unaskedHosts(configuration);
  if (problem === null) return { check, verdict: "ok", found: `calls that need a person: ${approvals}` };
  return { check, verdict: "warning", found: problem, next: "Choose --approvals outward, or open no host." };
}

/** Runs a command that does nothing, in a temporary folder. */
async function sandboxFinding({ shell, shellHosts: hosts }: Configuration, { env }: UserFolders): Promise<Finding> {
  const check = "sandbox";
  if (shell === "off") return { check, verdict: "ok", found: "not needed: agents run no commands" };
  const folder = mkdtempSync(join(tmpdir(), "heddle-doctor-"));
  const { clock } = systemPlatform();
  const tried = await openSandboxedShell({ folder, hidden: [], hosts, clock, env });
  try {
    const ended = await tried.run("true", { timeLimitMs: 10_000, onOutput() {}, signal: new AbortController().signal });
    return ended.ok
      ? { check, verdict: "ok", found: "agents can run commands" }
      : { check, verdict: "warning", found: ended.error.message, next: "Everything else works without it." };
  } finally {
    await tried.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const recent = major > nodeWanted[0] || (major === nodeWanted[0] && minor >= nodeWanted[1]);
  if (recent) return { check: "node", verdict: "ok", found: version };
  return {
    check: "node",
    verdict: "failed",
    found: version,
    next: `Heddle needs Node ${nodeWanted.join(".")} or newer.`,
  };
}

function sqliteFinding(version: string): Finding {
  if (isSqliteRecentEnough(version)) return { check: "sqlite", verdict: "ok", found: version };
  return { check: "sqlite", verdict: "failed", found: version, next: "A newer Node brings a newer SQLite." };
}

function dataFinding(data: DataDirectory): Finding {
  const check = "data folder";
  const folder = existing(data.root);
  const found = folder === data.root ? data.root : `${data.root} (created at the first start)`;
  const next = "Choose another one with --data.";
  try {
    if (!statSync(folder).isDirectory()) {
      return { check, verdict: "failed", found: `${folder} is a file and not a folder`, next };
    }
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return { check, verdict: "ok", found };
  } catch {
    return { check, verdict: "failed", found: `${folder} cannot be written`, next };
  }
}

function spaceFinding(data: DataDirectory): Finding {
  const check = "disk space";
  try {
    const { bavail, bsize } = statfsSync(existing(data.root));
    const free = bavail * bsize;
    const found = `${(free / 1024 ** 3).toFixed(1)} GB free`;
    if (free >= spaceWarnBytes) return { check, verdict: "ok", found };
    return {
      check,
      verdict: free < spaceFailBytes ? "failed" : "warning",
      found,
      next: "Free some space on that disk.",
    };
  } catch (problem) {
    return { check, verdict: "warning", found: `unknown (${String(problem)})` };
  }
}

function lockFinding(data: DataDirectory): Finding {
  const check = "lock";
  if (!existsSync(data.lock)) return { check, verdict: "ok", found: "free" };
  const lock = acquireProcessLock(data);
  if (lock.ok) {
    lock.value.release();
    return { check, verdict: "ok", found: "free" };
  }
  if (lock.error.code === "DATA_IN_USE")
    return { check, verdict: "warning", found: "a Heddle server is using this data" };
  return { check, verdict: "failed", found: lock.error.message };
}

function databaseFinding(data: DataDirectory): Finding {
  const check = "database";
  if (!existsSync(data.database)) return { check, verdict: "ok", found: "none yet" };
  try {
    const database = new DatabaseSync(data.database, { readOnly: true });
    try {
      const row = database.prepare("PRAGMA quick_check(1)").get();
      const found = String(Object.values(row ?? {})[0] ?? "no answer");
      if (found === "ok") return { check, verdict: "ok", found: data.database };
      return {
        check,
        verdict: "failed",
        found,
        next: `Stop the server and take the newest copy from ${data.backups}.`,
      };
    } finally {
      database.close();
    }
  } catch (problem) {
    return { check, verdict: "failed", found: `cannot be read: ${problem instanceof Error ? problem.message : ""}` };
  }
}

async function addressFinding(url: string, shown: string): Promise<Finding> {
  const check = "database";
  try {
    const report = await driverAt(url).inspect(url);
    const found = `${shown} (${report.found})`;
    return report.next === null
      ? { check, verdict: "ok", found }
      : { check, verdict: "warning", found, next: report.next };
  } catch (problem) {
    const next = "Give another address in HEDDLE_DATABASE_URL or --store.";
    return { check, verdict: "failed", found: `${shown}: ${reasonOf(problem)}`, next };
  }
}

async function portFinding({ host, port }: Configuration): Promise<Finding> {
  const check = "port";
  const problem = await new Promise<string | null>((resolve) => {
    const probe = createServer();
    probe.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
  if (problem === null) return { check, verdict: "ok", found: `${host}:${port} is free` };
  if (problem === "EADDRINUSE") {
    return { check, verdict: "warning", found: `${host}:${port} is in use`, next: "serve uses the next free port." };
  }
  return { check, verdict: "failed", found: `${host}:${port}: ${problem}`, next: "Choose another --host or --port." };
}

function appFinding(): Finding {
  const check = "web app";
  if (existsSync(join(appFolder, "index.html"))) return { check, verdict: "ok", found: appFolder };
  return { check, verdict: "warning", found: "not built", next: "Run: npm run build" };
}

function modelsFinding(configuration: Configuration, data: DataDirectory): Finding {
  const check = "models";
  const { models, providers } = configuration;
  const { open, problem } = examineModels({
    config: providers,
    models: models === undefined ? { file: data.models, required: false } : { file: models, required: true },
    keysFile: data.keys,
  });
  if (problem !== null) return { check, verdict: "failed", found: problem, next: "Correct that file." };
  if (open.length > 0) return { check, verdict: "ok", found: open.join(", ") };
  return {
    check,
    verdict: "warning",
    found: "only the built-in scribe",
    next: "Set a key in the app's settings, or in the provider's variable: see heddle serve --help.",
  };
}

function mcpFinding({ mcpConfig }: Configuration, data: DataDirectory, user: UserFolders): Finding {
  const check = "MCP servers";
  const file =
    mcpConfig === undefined ? { file: data.mcp, required: false } : { file: resolve(mcpConfig), required: true };
  const { servers, problems } = examineMcp(file, user);
  const found = servers.length === 0 ? "none" : servers.join(", ");
  if (problems.length === 0) return { check, verdict: "ok", found };
  return { check, verdict: "warning", found: `${found}; ${problems.join("; ")}`, next: `Correct ${file.file}.` };
}

/** Returns the folder itself, or its nearest existing ancestor. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}
