import { memorySealedValues } from "../base/sealed-values.ts";
import { SignIns } from "./sign-ins.ts";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, ok } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type {
  ConnectToolServer,
  ServerCall,
  ToolServerEvents,
  ToolServerFailure,
  ToolServerTarget,
} from "../../core/port/tool-server.ts";
import type { ResourceContent, ServerOffers } from "../../core/tool/server/server-offers.ts";
import type { ServerTool } from "../../core/tool/server/server-tool.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openMcpServers, type McpServers, type McpServersOptions } from "./mcp-servers.ts";

export const broken: ToolServerFailure = { type: "closed", message: "it broke", retryable: true };

/** A scripted server, known by the program or address that leads to it. */
export class FakeServer {
  tools: ServerTool[] = [tool("read")];
  /** Why nobody can connect; `hangs`: no answer at all. */
  refuses: ToolServerFailure | "hangs" | null = null;
  fails: ToolServerFailure | null = null;
  /** Makes every method throw, which the port forbids. */
  throws = false;
  connections = 0;
  open = 0;
  lists = 0;
  offers: ServerOffers = { resources: [], prompts: [] };
  contents: ResourceContent[] = [];
  readonly calls: ServerCall[] = [];
  readonly targets: ToolServerTarget[] = [];
  events: ToolServerEvents | null = null;
}

export function tool(name: string, description = `Does ${name}.`, hints: ServerTool["hints"] = {}): ServerTool {
  return { name, description, inputSchema: { type: "object" }, hints };
}

/** Servers of a file on a simulated clock. */
export class McpWorld {
  readonly clock = simulatedClock();
  readonly platform: Platform;
  readonly folder: string;
  readonly file: string;
  readonly #serversByPlace = new Map<string, FakeServer>();
  #opened: McpServers | null = null;

  private constructor(folder: string) {
    this.folder = folder;
    this.file = join(folder, "mcp.json");
    const logger = { info: () => {}, warn: () => {}, error: () => {} };
    this.platform = { clock: this.clock, random: seededRandom(1), logger };
  }

  static async make(): Promise<McpWorld> {
    return new McpWorld(await mkdtemp(join(tmpdir(), "heddle-mcp-")));
  }

  get servers(): McpServers {
    if (this.#opened === null) throw new Error("They are not open.");
    return this.#opened;
  }

  at(place: string): FakeServer {
    const server = this.#serversByPlace.get(place) ?? new FakeServer();
    this.#serversByPlace.set(place, server);
    return server;
  }

  /** Writes the file; each server's program has the server's name. */
  async write(servers: Readonly<Record<string, object>> | string, mode = 0o600): Promise<void> {
    await writeFile(this.file, typeof servers === "string" ? servers : JSON.stringify({ mcpServers: servers }), {
      mode,
    });
    await chmod(this.file, mode);
  }

  async open(options: Partial<McpServersOptions> = {}): Promise<McpServers> {
    this.#opened = await openMcpServers({
      connect: this.connect,
      platform: this.platform,
      file: this.file,
      stateFile: join(this.folder, "mcp-state.json"),
      folders: () => [],
      home: "/home/ada",
      env: { PATH: "/bin" },
      reserved: ["block_edit"],
      signIns: new SignIns({
        sealed: memorySealedValues(),
        begin: async () => ok({ url: "https://sign-in.example/", finish: async () => ok(undefined) }),
        platform: this.platform,
      }),
      ...options,
    });
    await this.settle();
    return this.#opened;
  }

  /** Runs everything that needs no time. */
  async settle(): Promise<void> {
    for (let round = 0; round < 5; round += 1) await this.clock.settle();
  }

  names(): readonly string[] {
    return this.servers.offered().map(({ definition }) => definition.name);
  }

  statusOf(name: string): string {
    return this.servers.states().find((state) => state.name === name)?.status.type ?? "none";
  }

  async end(): Promise<void> {
    await this.#opened?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  readonly connect: ConnectToolServer = async (target, { events, signal, times, clock }) => {
    const fake = this.at(target.type === "stdio" ? target.command : target.url);
    fake.connections += 1;
    fake.targets.push(target);
    if (fake.refuses === "hangs") {
      return new Promise((resolve) => {
        const late = { type: "timeout", message: "it was not ready", retryable: true } as const;
        const cancel = clock.setTimer(times.connectMs, () => resolve(err(late)));
        signal.addEventListener("abort", () => {
          cancel();
          resolve(err({ type: "cancelled", message: "given up", retryable: false }));
        });
      });
    }
    if (fake.refuses !== null) return err(fake.refuses);
    fake.open += 1;
    fake.events = events;
    let isOpen = true;
    return ok({
      async listTools() {
        fake.lists += 1;
        if (fake.throws) throw new Error("a defect");
        return ok([...fake.tools]);
      },
      async call(call) {
        fake.calls.push(call);
        if (fake.throws) throw new Error("a defect");
        if (fake.fails !== null) return err(fake.fails);
        return ok({ ok: true, content: [{ type: "text", text: `did ${call.tool}` }] });
      },
      async listOffers() {
        return fake.fails === null ? ok(fake.offers) : err(fake.fails);
      },
      async read(uri) {
        const found = fake.contents.filter((each) => each.uri === uri);
        return found.length > 0 ? ok(found) : err({ type: "refused", message: "no such resource", retryable: false });
      },
      async prompt(name, values) {
        return ok({ text: `${name} ${JSON.stringify(values)}`, attached: fake.contents });
      },
      async close() {
        if (isOpen) fake.open -= 1;
        isOpen = false;
        if (fake.throws) throw new Error("a defect");
      },
    });
  };
}
