import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresBinaries } from "./binaries.ts";

/** A PostgreSQL for the test, durable as in production, on a socket in its folder. */
export interface PostgresServer {
  /** The address of one of its databases, with the password. */
  urlOf(database: string): string;
  /** Kills every process of the server without a checkpoint: only what had reached the disk is left. */
  crash(): Promise<void>;
  /** Starts again after a crash and recovers. */
  restart(): Promise<void>;
  /** Stops the server and deletes its folder. */
  remove(): Promise<void>;
}

const user = "heddle";
/** Characters that an address must escape, so that the tests cover escaping. */
const password = "p@ss/word:%20#";
const readySign = "database system is ready to accept connections";
const startMs = 60_000;

/**
 * Creates a cluster in a temporary folder and starts its server; as an account without rights if this process is root.
 * `settings` are the server's own, and may depend on its folder.
 */
export async function startPostgres(
  settings: (folder: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pg-"));
  try {
    return await startIn(folder, settings(folder));
  } catch (problem) {
    rmSync(folder, { recursive: true, force: true });
    throw problem;
  }
}

async function startIn(folder: string, settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
  const account = unprivileged();
  const bin = postgresBinaries(folder);
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  // The account must reach the subfolders; a temporary folder is accessible only to its owner.
  chmodSync(folder, 0o711);
  if (account !== null) for (const path of [folder, data, passwordFile]) chownSync(path, account.uid, account.gid);
  const init = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", user, "--pwfile", passwordFile, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"],
    { cwd: folder, encoding: "utf8", ...account },
  );
  if (init.status !== 0) throw new Error(`initdb failed: ${init.stderr ?? String(init.error)}`);

  for (const name of readdirSync(folder)) {
    if (account !== null) chownSync(join(folder, name), account.uid, account.gid);
  }
  const place = { bin, folder, data, settings };
  let server = await run(place, account);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const gone = once(server, "exit");
    if (server.exitCode === null && server.signalCode === null && server.kill(signal)) await gone;
  };
  return {
    urlOf: (database) =>
      `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?host=${encodeURIComponent(folder)}`,
    crash: () => end("SIGQUIT"),
    async restart() {
      server = await run(place, account);
    },
    async remove() {
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly bin: string;
  readonly folder: string;
  readonly data: string;
  readonly settings: Readonly<Record<string, string>>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The account for the server when this process is root, which PostgreSQL refuses; null when it is not root. */
function unprivileged(): Account | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout);
  const account = { uid: id("-u"), gid: id("-g") };
  if (account.uid > 0 && account.gid > 0) return account;
  throw new Error('PostgreSQL does not run as root, and this machine has no account "nobody" to run it as.');
}

/** Starts the server and waits until it accepts connections. */
function run({ bin, folder, data, settings }: Place, account: Account | null): Promise<ChildProcess> {
  const all = {
    listen_addresses: "",
    unix_socket_directories: folder,
    max_connections: "100",
    shared_buffers: "32MB",
    lc_messages: "C",
    log_min_messages: "warning",
    log_min_error_statement: "panic",
    ...settings,
  };
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe"], ...account },
  );
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new Error(`PostgreSQL ${why}: ${said.trim()}`));
    };
    const timer = setTimeout(() => {
      server.kill("SIGKILL");
      fail(`was not ready within ${startMs} ms`);
    }, startMs);
    server.once("error", (problem) => fail(`did not start (${problem.message})`));
    server.once("exit", (code) => fail(`ended with code ${code}`));
    server.stderr.setEncoding("utf8");
    server.stderr.on("data", (text: string) => {
      said = (said + text).slice(-4_000);
      if (!said.includes(readySign)) return;
      clearTimeout(timer);
      resolve(server);
    });
  });
}
