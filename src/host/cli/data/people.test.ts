import { readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { firstBrokenEntry, type AuditEntry } from "../../../core/rights/audit.ts";
import { createDataDirectory, dataDirectoryAt, type DataDirectory } from "../../data/data-directory.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import { ada, password, startSignInServer, type SignInServer } from "../../sign-in/sign-in.test-support.ts";
import type { Terminal } from "../base/terminal.ts";
import { runCommandLine } from "../run.ts";

let folder = "";
let data: DataDirectory;
let printed: string[];
let noted: string[];
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-people-"));
  data = accept(createDataDirectory(dataDirectoryAt(join(folder, "data"))));
  printed = [];
  noted = [];
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(folder, { recursive: true, force: true });
});

function run(...args: readonly string[]): Promise<number> {
  const terminal: Terminal = {
    print: (line) => void printed.push(line),
    note: (line) => void noted.push(line),
    env: { XDG_CONFIG_HOME: folder },
    input: async () => "",
    isInteractive: false,
    colours: false,
  };
  return runCommandLine([...args, "--data", data.root], terminal);
}

async function startTeam(): Promise<SignInServer> {
  const store = await openSqliteStore({ file: data.database });
  return startSignInServer({ store });
}

/** Makes a workspace with an owner, and stops its server. */
async function withOwner(): Promise<void> {
  const team = await startTeam();
  await team.owner();
  await team.close();
}

const exported = (): readonly AuditEntry[] =>
  printed
    .join("\n")
    .split("\n")
    .map((line): AuditEntry => JSON.parse(line));

test("21.5 the last owner comes in again by a link that only the data folder gives, and the audit log has it", async () => {
  await withOwner();
  expect(await run("people", "recover-owner", "--public-url", "https://heddle.example.org")).toBe(0);
  const [link = ""] = printed;
  expect(link).toMatch(/^https:\/\/heddle\.example\.org\/#link=[\w-]{43}$/u);
  expect(noted.join(" ")).toContain("Ada (ada@example.org)");

  const team = await startTeam();
  closing.push(() => team.close());
  const browser = team.browser();
  const secret = link.split("#link=")[1] ?? "";
  expect((await browser.post("/auth/link", { secret })).body).toMatchObject({ type: "recovery", name: "Ada" });
  expect((await browser.post("/auth/accept", { secret, password: "a new long password" })).status).toBe(200);
  expect((await browser.get("/auth/state")).body.person?.name).toBe("Ada");
  const old = await team.browser().post("/auth/sign-in/email", { email: ada.email, password });
  expect(old.status).toBe(401);
  expect((await team.browser().post("/auth/accept", { secret, password })).status).toBe(404);

  printed = [];
  expect(await run("audit", "export")).toBe(0);
  const log = exported();
  expect(log.find(({ act }) => act === "recovery-link.made")).toMatchObject({ actor: "command-line", address: null });
  expect(log.map(({ act }) => act)).toContain("sign-in.recovered");
  expect(printed.join("")).not.toContain(secret);
});

test("21.5 a recovery of an owner is refused beside a server, without an owner, and for an unknown address", async () => {
  expect(await run("people", "recover-owner")).not.toBe(0);
  expect(noted.at(-1)).toContain("has no owner yet");
  await withOwner();
  expect(await run("people", "recover-owner", "eve@example.org")).not.toBe(0);
  expect(noted.at(-1)).toContain("Name one of: Ada (ada@example.org).");
  expect(await run("people", "recover")).not.toBe(0);
  const lock = accept(acquireProcessLock(data));
  expect(await run("people", "recover-owner")).not.toBe(0);
  lock.release();
  expect(printed).toEqual([]);
  expect(await run("people", "recover-owner", "ADA@example.org", "--json")).toBe(0);
  expect(JSON.parse(printed[0] ?? "")).toMatchObject({ name: "Ada", email: ada.email });
});

test("A-40 the audit log is exported and verified, also beside a server; a changed entry is found", async () => {
  await withOwner();
  const lock = accept(acquireProcessLock(data));
  expect(await run("audit", "export")).toBe(0);
  const log = exported();
  expect(firstBrokenEntry(log)).toBeNull();
  expect(log.map(({ act }) => act)).toContain("workspace.begin");
  expect(await run("audit", "verify")).toBe(0);
  expect(noted.at(-1)).toContain(`${log.length} entries, none changed.`);
  lock.release();

  const file = join(folder, "audit.csv");
  expect(await run("audit", "export", "--format", "csv", "--to", file)).toBe(0);
  const lines = readFileSync(file, "utf8").trimEnd().split("\r\n");
  expect([lines.length, lines[0]?.startsWith("seq,at,actor,act,object,outcome")]).toEqual([log.length + 1, true]);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(await run("audit", "export", "--format", "xml")).not.toBe(0);
  expect(await run("audit")).not.toBe(0);

  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(data.database);
  database.exec("UPDATE audit SET record = replace(record, 'workspace.begin', 'workspace.began') WHERE seq <= 9");
  database.close();
  printed = [];
  expect(await run("audit", "verify", "--json")).toBe(1);
  const changed = log.find(({ act }) => act === "workspace.begin")?.seq;
  expect(JSON.parse(printed[0] ?? "")).toMatchObject({ broken: changed });
});
