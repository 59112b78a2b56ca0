import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repository } from "../tidy/source-files.ts";

/** A server whose folders have neutral names, so that it stores no path of the machine. */
export interface GoldenServer {
  readonly origin: string;
  readonly token: string;
  /** Stores a blob and returns its id. */
  upload(bytes: Uint8Array): Promise<string>;
  /** Sends SIGKILL: unfinished work stays unfinished in the store. */
  kill(): Promise<void>;
}

/** Starts Heddle on a data folder and a folder of files, and waits for its address. */
export async function startGoldenServer(options: {
  readonly data: string;
  readonly files: string;
  readonly databaseUrl?: string;
}): Promise<GoldenServer> {
  const args = ["serve", "--data", options.data, "--workspace", options.files, "--port", "0"];
  const child = spawn(process.execPath, [join(repository, "bin/heddle.js"), ...args], {
    cwd: options.files,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: options.data,
      HEDDLE_NO_BUILD: "1",
      ...(options.databaseUrl === undefined ? {} : { HEDDLE_DATABASE_URL: options.databaseUrl }),
    },
  });
  const url = await new Promise<URL>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with exit code ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      const address = /http:\/\/\S+/.exec(line)?.[0];
      if (address !== undefined) resolve(new URL(address));
    });
  });
  const token = new URLSearchParams(url.hash.slice(1)).get("token") ?? "";
  return {
    origin: url.origin,
    token,
    async upload(bytes) {
      const body = new Blob([Uint8Array.from(bytes)]);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
      const answer = await fetch(new URL("/api/blobs", url.origin), { method: "POST", headers, body });
      if (!answer.ok) throw new Error(`POST /api/blobs: ${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { id: string }).id;
    },
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
