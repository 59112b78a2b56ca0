import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { repository } from "../tidy/source-files.ts";

/** A node in a process of its own, as `heddle serve --node-address` runs it. */
export class NodeProcess {
  readonly name: string;
  readonly port: number;
  readonly linkPort: number;
  /** Whether a balancer would send people here. */
  isUp = false;
  said = "";
  readonly #folder: string;
  readonly #url: string;
  readonly #ttlMs: number;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;

  constructor(place: {
    folder: string;
    number: number;
    url: string;
    ttlMs: number;
    port: number;
    linkPort: number;
    /** Further settings. */
    env?: Readonly<Record<string, string>>;
  }) {
    this.name = `node ${place.number}`;
    this.port = place.port;
    this.linkPort = place.linkPort;
    this.#folder = place.folder;
    this.#url = place.url;
    this.#ttlMs = place.ttlMs;
    this.#env = place.env ?? {};
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the process, from the sources in a folder, and resolves when it is ready. */
  async start(sources = repository): Promise<void> {
    const own = join(this.#folder, this.name.replace(" ", "-"));
    mkdirSync(own, { recursive: true });
    const kept = Object.entries(process.env).filter(([name]) => !/^(?:HEDDLE_|ANTHROPIC_|OPENAI_|GEMINI_)/.test(name));
    const child = spawn(
      process.execPath,
      [
        join(sources, "bin/heddle.js"),
        "serve",
        `--data=${own}`,
        `--shared-data=${join(this.#folder, "shared")}`,
        `--port=${this.port}`,
        `--node-address=127.0.0.1:${this.linkPort}`,
        `--node-ttl-ms=${this.#ttlMs}`,
        "--agent-pace=instant",
        "--verbose",
      ],
      {
        cwd: sources,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...Object.fromEntries(kept),
          HEDDLE_NO_BUILD: "1",
          HEDDLE_DATABASE_URL: this.#url,
          XDG_CONFIG_HOME: join(this.#folder, "configuration"),
          ...this.#env,
        },
      },
    );
    this.#child = child;
    child.stdout.on("data", (data: Buffer) => (this.said += data.toString("utf8")));
    child.stderr.on("data", (data: Buffer) => (this.said += data.toString("utf8")));
    for (const deadline = performance.now() + 60_000; ; await delay(50)) {
      if (child.exitCode !== null) throw new Error(`${this.name} ended with code ${child.exitCode}\n${this.said}`);
      if (await this.isReady()) break;
      if (performance.now() > deadline) throw new Error(`${this.name} was not ready within 60 s\n${this.said}`);
    }
    this.isUp = true;
  }

  async isReady(): Promise<boolean> {
    return (await this.readiness())?.status === "ready";
  }

  async readiness(): Promise<{ readonly status: string; readonly owns: boolean; readonly incarnation: number } | null> {
    try {
      const answer = await fetch(`${this.origin}/readyz`, { signal: AbortSignal.timeout(1_000) });
      return (await answer.json()) as { status: string; owns: boolean; incarnation: number };
    } catch {
      return null;
    }
  }

  /** The number of the process; null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  /** Ends the process and returns its exit code. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const child = this.#child;
    if (child === null || !this.isRunning) return child?.exitCode ?? null;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
    return child.exitCode;
  }
}

/** Lies before a node's link, to cut and delay what the other nodes send it and it answers. */
export class LinkProxy {
  readonly port: number;
  delayMs = 0;
  #isCut = false;
  readonly #sockets = new Set<Socket>();
  readonly #server: ReturnType<typeof createServer>;

  static async open(target: () => number): Promise<LinkProxy> {
    const proxy: { it?: LinkProxy } = {};
    const server = createServer((socket) => proxy.it?.pass(socket, target()));
    await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
    proxy.it = new LinkProxy(server);
    return proxy.it;
  }

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    const address = server.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
  }

  pass(near: Socket, port: number): void {
    if (this.#isCut) return void near.destroy();
    const far = connect({ host: "127.0.0.1", port });
    const end = (): void => {
      for (const socket of [near, far]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", end);
      from.on("close", end);
      from.on("data", (data: Buffer) => {
        if (this.delayMs === 0) to.write(data);
        else setTimeout(() => to.write(data), this.delayMs);
      });
    }
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

/** Ports that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
      return server;
    }),
  );
  return servers.map((server) => {
    const address = server.address();
    server.close();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
}

export function temporaryFolder(): string {
  return join(tmpdir(), `heddle-nodes-${process.pid}-${Math.floor(performance.now())}`);
}
