import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { programFor } from "../../../test/deploy/programs.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { NatsAccess } from "./nats-server.test-support.ts";

/** The path of `nats-server`, or why there is none. */
export const natsProgram: { readonly path: string } | { readonly missing: string } = findProgram();

/** A real `nats-server` with the same access as the test's own. */
export class RealNatsServer {
  port = 0;
  readonly #access: NatsAccess;
  readonly #folder = mkdtempSync(join(tmpdir(), "heddle-nats-"));
  #child: ChildProcess | null = null;

  constructor(access: NatsAccess) {
    this.#access = access;
  }

  async start(): Promise<void> {
    if ("missing" in natsProgram) throw new Error(natsProgram.missing);
    if (this.port === 0) this.port = await freePort();
    const file = join(this.#folder, "nats.conf");
    writeFileSync(file, this.#configuration());
    this.#child = spawn(natsProgram.path, ["-c", file], { stdio: "ignore" });
    for (const deadline = performance.now() + 10_000; !(await isListening(this.port)); await delay(10)) {
      if (performance.now() > deadline) throw new Error("nats-server does not listen");
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const gone = once(child, "exit");
    if (child.kill("SIGKILL")) await gone;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #configuration(): string {
    const { user, password, token, nkey, isDeaf, tls } = this.#access;
    const rights = isDeaf === true ? `, permissions: { subscribe: { deny: ">" } }` : "";
    const who = [
      ...(user === undefined ? [] : [`users: [{ user: "${user}", password: "${password}"${rights} }]`]),
      ...(token === undefined ? [] : [`token: "${token}"`]),
      ...(nkey === undefined ? [] : [`users: [{ nkey: ${nkey} }]`]),
    ];
    const files = { cert: join(this.#folder, "cert.pem"), key: join(this.#folder, "key.pem") };
    if (tls !== undefined) for (const part of ["cert", "key"] as const) writeFileSync(files[part], tls[part]);
    return [
      `listen: "127.0.0.1:${this.port}"`,
      ...(who.length === 0 ? [] : [`authorization { ${who.join("\n")} }`]),
      ...(tls === undefined ? [] : [`tls { cert_file: "${files.cert}", key_file: "${files.key}" }`]),
      "",
    ].join("\n");
  }
}

function findProgram(): typeof natsProgram {
  try {
    return { path: programFor("nats-server").path };
  } catch (problem) {
    return { missing: reasonOf(problem) };
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
