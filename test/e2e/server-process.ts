import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { must } from "../../src/core/base/assert.ts";
import { repository } from "../tidy/source-files.ts";

/** The real server in its own process, as `npm start` runs it. */
export interface ServerProcess {
  /** The printed address, with the token. */
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM, waits, and returns the exit code. */
  stop(): Promise<number | null>;
  /** All output so far. */
  output(): string;
}

export interface ServerOptions {
  readonly dataDirectory: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Further arguments of `serve`. */
  readonly args?: readonly string[];
}

/** Starts the server and waits for the line with its address; fails with the output when none comes in 60 s. */
export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const child = spawn(
    process.execPath,
    [
      join(repository, "bin/heddle.js"),
      "serve",
      "--data",
      options.dataDirectory,
      "--port",
      String(options.port ?? 0),
      ...(options.args ?? []),
    ],
    { cwd: repository, stdio: ["ignore", "pipe", "pipe"], env: { ...cleanEnvironment(), ...options.env } },
  );
  const printed: string[] = [];
  child.stderr.on("data", (data: Buffer) => printed.push(data.toString("utf8")));
  const url = await firstAddress(child, printed);
  const address = new URL(url);
  return {
    url,
    origin: address.origin,
    port: Number(address.port),
    token: new URLSearchParams(address.hash.slice(1)).get("token") ?? "",
    pid: must(child.pid, "a process that answers has an id"),
    kill: async () => {
      child.kill("SIGKILL");
      await exited(child);
    },
    stop: async () => {
      child.kill("SIGTERM");
      await exited(child);
      return child.exitCode;
    },
    output: () => printed.join(""),
  };
}

/** A data folder that is deleted after the test. */
export async function temporaryDirectory(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "heddle-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Removes every key and setting of the machine's owner from the environment. The app is built before the tests start. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:HEDDLE_|ANTHROPIC_|OPENAI_|GEMINI_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    HEDDLE_NO_BUILD: "1",
    XDG_CONFIG_HOME: join(tmpdir(), "heddle-test-no-configuration"),
  };
}

function firstAddress(child: ChildProcess, printed: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${why}\n${printed.join("")}`));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail("the server printed no address within 60 s");
    }, 60_000);
    child.once("exit", (code) => {
      clearTimeout(timer);
      fail(`the server ended with exit code ${code} before it printed an address`);
    });
    if (child.stdout === null) throw new Error("the server's output is not piped");
    createInterface(child.stdout).on("line", (line) => {
      printed.push(`${line}\n`);
      const url = /http:\/\/\S+/.exec(line)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
