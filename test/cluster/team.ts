import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { connectHeddle } from "../../src/client/connect.ts";
import type { HeddleClient, TextReplica } from "../../src/client/base/types.ts";
import { must } from "../../src/core/base/assert.ts";
import type { BlockId, RequestId } from "../../src/core/base/ids.ts";
import { freePorts, NodeProcess } from "./nodes.ts";
import { startPostgres, type PostgresServer } from "../postgres/start-server.ts";
import { repository } from "../tidy/source-files.ts";

/** Somewhere that a client connects to. */
export interface Place {
  readonly origin: string;
  readonly token: string;
}

/** Nodes of one cluster, each in a process of its own, on a durable PostgreSQL. */
export class Team {
  readonly nodes: readonly NodeProcess[];
  readonly token: string;
  readonly #postgres: PostgresServer;
  readonly #folder: string;
  readonly #ttlMs: number;

  private constructor(parts: {
    readonly nodes: readonly NodeProcess[];
    readonly token: string;
    readonly postgres: PostgresServer;
    readonly folder: string;
    readonly ttlMs: number;
  }) {
    this.nodes = parts.nodes;
    this.token = parts.token;
    this.#postgres = parts.postgres;
    this.#folder = parts.folder;
    this.#ttlMs = parts.ttlMs;
  }

  /** Starts so many nodes; `env` holds further settings of theirs. */
  static async start(count: number, ttlMs: number, env: Readonly<Record<string, string>> = {}): Promise<Team> {
    const postgres = await startPostgres(() => ({ fsync: "on" }));
    const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
    const ports = await freePorts(2 * count);
    const url = postgres.urlOf("postgres");
    const nodes = Array.from(
      { length: count },
      (_, number) =>
        new NodeProcess({
          folder,
          number,
          url,
          ttlMs,
          port: ports[number] ?? 0,
          linkPort: ports[number + count] ?? 0,
          env,
        }),
    );
    // One after the other, so that the first one owns the workspace.
    for (const node of nodes) await node.start();
    const token = readFileSync(join(folder, "shared", "token"), "utf8").trim();
    return new Team({ nodes, token, postgres, folder, ttlMs });
  }

  /** A further process of a node, from a copy of its data folder. */
  async copyOf(node: NodeProcess): Promise<NodeProcess> {
    const number = this.nodes.length;
    const from = join(this.#folder, node.name.replace(" ", "-"));
    cpSync(from, join(this.#folder, `node-${number}`), { recursive: true, filter: (path) => !path.endsWith(".sock") });
    const [port = 0, linkPort = 0] = await freePorts(2);
    return new NodeProcess({ folder: this.#folder, number, url: this.url, ttlMs: this.#ttlMs, port, linkPort });
  }

  /** The address of the database. */
  get url(): string {
    return this.#postgres.urlOf("postgres");
  }

  async owner(): Promise<NodeProcess> {
    for (const deadline = performance.now() + 30_000; performance.now() < deadline; await delay(5)) {
      for (const node of this.nodes) if (node.isRunning && (await node.readiness())?.owns === true) return node;
    }
    throw new Error("no node owns the workspace");
  }

  at(node: NodeProcess): Place {
    return { origin: node.origin, token: this.token };
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end("SIGKILL")));
    await this.#postgres.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** One server that is alone, on SQLite or on PostgreSQL. */
export class LoneServer {
  readonly place: Place;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #postgres: PostgresServer | null;
  readonly #folder: string;

  private constructor(parts: {
    readonly place: Place;
    readonly child: ChildProcess;
    readonly postgres: PostgresServer | null;
    readonly folder: string;
  }) {
    this.place = parts.place;
    this.pid = must(parts.child.pid, "the server runs");
    this.#child = parts.child;
    this.#postgres = parts.postgres;
    this.#folder = parts.folder;
  }

  static async start(store: "SQLite" | "PostgreSQL"): Promise<LoneServer> {
    const postgres = store === "SQLite" ? null : await startPostgres(() => ({ fsync: "on" }));
    const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
    mkdirSync(join(folder, "configuration"));
    const [port = 0] = await freePorts(1);
    const args = ["serve", `--data=${join(folder, "data")}`, `--port=${port}`];
    const child = spawn(process.execPath, [join(repository, "bin/heddle.js"), ...args], {
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        HEDDLE_NO_BUILD: "1",
        XDG_CONFIG_HOME: join(folder, "configuration"),
        ...(postgres === null ? {} : { HEDDLE_DATABASE_URL: postgres.urlOf("postgres") }),
      },
    });
    const origin = `http://127.0.0.1:${port}`;
    for (const deadline = performance.now() + 60_000; ; await delay(50)) {
      if ((await fetch(`${origin}/readyz`).catch(() => null))?.ok === true) break;
      if (performance.now() > deadline) throw new Error("the server was not ready within 60 s");
    }
    const token = readFileSync(join(folder, "data", "token"), "utf8").trim();
    return new LoneServer({ place: { origin, token }, child, postgres, folder });
  }

  async close(): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
    await this.#postgres?.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

let clients = 0;

/** How a client differs from others. */
interface Wishes {
  readonly clientId?: string;
}

/** Connects to a place; `where` is asked at each connection, so that a client may find another node. */
export function connected(where: () => Place, { clientId }: Wishes = {}): HeddleClient {
  clients += 1;
  const { origin, token } = where();
  return connectHeddle({
    url: origin,
    token,
    clientId: clientId ?? `client-of-a-team-${process.pid}-${clients}`,
    platform: {
      openSocket(_url, listener) {
        const socket = new WebSocket(`${where().origin.replace("http", "ws")}/ws`, { perMessageDeflate: false });
        socket.on("open", () => listener.opened());
        socket.on("message", (data: Buffer) => listener.received(data.toString("utf8")));
        socket.on("close", (code: number) => listener.closed(code));
        socket.on("error", () => {});
        return { send: (frame) => socket.send(frame), close: () => socket.close() };
      },
    },
  });
}

export async function makeCanvases(place: Place, count: number): Promise<readonly BlockId[]> {
  const client = connected(() => place);
  const made: BlockId[] = [];
  for (let index = 0; index < count; index += 1) {
    clients += 1;
    const clientRequestId = `canvas-of-a-team-${process.pid}-${clients}` as RequestId;
    const answer = await client.call("canvas.create", { title: `Document ${index}`, clientRequestId });
    made.push(must(answer.ok ? answer.value.canvasId : null, "a canvas is made"));
  }
  client.close();
  return made;
}

/** Opens a text and waits until it is there. */
export async function opened(client: HeddleClient, canvasId: BlockId): Promise<TextReplica> {
  const text = client.openText(canvasId);
  for (const deadline = performance.now() + 30_000; !text.ready; await delay(5)) {
    if (performance.now() > deadline) throw new Error("the text did not arrive within 30 s");
  }
  return text;
}

/** Processor time of a process and its threads so far, in milliseconds. Linux only. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const ticksPerSecond = 100;
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}

/** Memory of a process that lies in the machine's, in megabytes. Linux only. */
export function rssMbOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_000;
}
