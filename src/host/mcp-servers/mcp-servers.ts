import { readFile, stat } from "node:fs/promises";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { stableDeepEqual } from "../../core/base/json.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { ConnectToolServer, ServerCall } from "../../core/port/tool-server.ts";
import type { McpFileState, McpServerState } from "../../core/protocol/base/mcp-server-state.ts";
import type { OfferedTool } from "../../core/tool/offered-tool.ts";
import type { ServerResult } from "../../core/tool/server-tool.ts";
import { ServerToolNames } from "../../core/tool/server-tool-names.ts";
import { KeptServers } from "./kept-servers.ts";
import { liesIn } from "./lies-in.ts";
import { McpServer } from "./mcp-server.ts";
import { readMcpConfig, type McpEntry } from "./read-mcp-config.ts";

/** How often the file is looked at, in milliseconds. */
const lookMs = 2_000;
/** How many tools of servers models are offered in all: some providers take no request with more than 128. */
const offeredMax = 100;
/** A file of servers is a page or two. */
const fileBytesMax = 1024 * 1024;

export interface McpServersOptions {
  readonly connect: ConnectToolServer;
  readonly platform: Platform;
  /** The file that names the servers, and the one in which what is remembered of them is kept. */
  readonly file: string;
  readonly stateFile: string | null;
  /** The workspace folder, where agents write: neither file may lie in it. */
  readonly workspaceFolder: string | null;
  /** Where programs are started of which the file does not say it. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names that no tool of a server gets. */
  readonly reserved: Iterable<string>;
}

/** The servers of tools that the owner has written down, as they are now. */
export interface McpServers {
  states(): readonly McpServerState[];
  file(): McpFileState;
  /** What models may be offered, in an order that does not change by itself. */
  offered(): readonly OfferedTool[];
  /** Waits for servers that have just been started, but not long. */
  settled(): Promise<void>;
  /** Carries out a call of a tool that was offered; refused where it is another tool by now. */
  call(tool: OfferedTool, call: Omit<ServerCall, "tool">): Promise<Result<ServerResult, Refusal>>;
  setEnabled(server: string, enabled: boolean): Promise<Result<void, Refusal>>;
  /** Reads the file now, and starts this server anew; without a name, each that is not connected. */
  reload(server?: string): Promise<Result<void, Refusal>>;
  /** From now on the tool is what it says now, if that is still what the hash names. */
  acceptTool(server: string, tool: string, hash: string): Promise<Result<void, Refusal>>;
  /** Looks at the file now. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the MCP servers that a file names. It resolves before they are connected; a server that fails affects no
 * other.
 */
export async function openMcpServers(options: McpServersOptions): Promise<McpServers> {
  const servers = new FileMcpServers(options);
  await servers.start();
  return servers;
}

class FileMcpServers implements McpServers {
  readonly #options: McpServersOptions;
  #kept: KeptServers | null = null;
  #text: string | null = null;
  #problems: readonly string[] = [];
  /** In the file's order. */
  #serversByName: ReadonlyMap<string, McpServer> = new Map();
  #looking: Promise<void> = Promise.resolve();
  #cancelLook = (): void => {};
  #isClosed = false;

  constructor(options: McpServersOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.look();
    this.#lookLater();
  }

  states(): readonly McpServerState[] {
    return [...this.#serversByName.values()].map((server) => {
      const state = server.state();
      const beyond = server.offered().length - this.#offeredOf(server).length;
      if (beyond === 0) return state;
      const note = `${beyond} of its tools are left out: models are offered ${offeredMax} of all servers. Switch some off.`;
      return { ...state, notes: [...state.notes, note] };
    });
  }

  file(): McpFileState {
    return { path: this.#options.file, problems: this.#problems };
  }

  offered(): readonly OfferedTool[] {
    return [...this.#serversByName.values()].flatMap((server) => server.offered()).slice(0, offeredMax);
  }

  #offeredOf({ name }: McpServer): readonly OfferedTool[] {
    return this.offered().filter(({ server }) => server === name);
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#serversByName.values()].map((server) => server.settled()));
  }

  async call(tool: OfferedTool, call: Omit<ServerCall, "tool">): Promise<Result<ServerResult, Refusal>> {
    const server = this.#serversByName.get(tool.server);
    if (server !== undefined) return server.call(tool, call);
    return err(refusal("TOOL_FAILED", { server: tool.server }, `There is no server ${tool.server} any more.`));
  }

  async setEnabled(name: string, enabled: boolean): Promise<Result<void, Refusal>> {
    const server = this.#serversByName.get(name);
    return server === undefined ? err(unknownServer(name)) : ok(await server.setEnabled(enabled));
  }

  async reload(name?: string): Promise<Result<void, Refusal>> {
    await this.look();
    if (name !== undefined && !this.#serversByName.has(name)) return err(unknownServer(name));
    const chosen = [...this.#serversByName.values()].filter((server) =>
      name === undefined ? server.state().status.type === "failed" : server.name === name,
    );
    await Promise.all(chosen.map((server) => server.restart()));
    return ok(undefined);
  }

  async acceptTool(name: string, tool: string, hash: string): Promise<Result<void, Refusal>> {
    const server = this.#serversByName.get(name);
    return server === undefined ? err(unknownServer(name)) : server.acceptTool(tool, hash);
  }

  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    await this.#looking;
    await Promise.all([...this.#serversByName.values()].map((server) => server.close()));
    await this.#kept?.close();
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#cancelLook = this.#options.platform.clock.setTimer(lookMs, () => {
      void this.look().finally(() => this.#lookLater());
    });
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    const read = await this.#read();
    if (!read.ok) {
      // Not even what it said before: somebody may have moved it to where others write.
      if (read.error.isUntrusted) await this.#use([]);
      this.#text = null;
      this.#problems = [read.error.message];
      return;
    }
    if (read.value === this.#text) return;
    const kept = await this.#openKept();
    if (!kept.ok) {
      this.#problems = [kept.error];
      return;
    }
    this.#text = read.value;
    const { entries, problems } = read.value === "" ? { entries: [], problems: [] } : readMcpConfig(read.value);
    this.#problems = problems;
    if (problems.length > 0) this.#options.platform.logger.warn("mcp-file-problems", { count: problems.length });
    if (entries !== null) await this.#use(entries);
  }

  /** The file's text; empty where there is none. */
  async #read(): Promise<Result<string, { readonly message: string; readonly isUntrusted: boolean }>> {
    const { file, stateFile, workspaceFolder } = this.#options;
    try {
      // Where it is not there, nothing is to be said of where it would be.
      const found = await stat(file);
      for (const each of stateFile === null ? [file] : [file, stateFile]) {
        if (workspaceFolder === null || !(await liesIn(each, workspaceFolder))) continue;
        const message = `${each} lies in the workspace folder, where agents write: what it names is not started. Keep it elsewhere.`;
        return err({ message, isUntrusted: true });
      }
      if (process.platform !== "win32" && (found.mode & 0o002) !== 0) {
        const message =
          "everybody on this machine can write it: what it names is not started. Take that right away (chmod o-w).";
        return err({ message, isUntrusted: true });
      }
      if (found.size > fileBytesMax) return err({ message: "it is larger than a megabyte", isUntrusted: false });
      return ok(await readFile(file, "utf8"));
    } catch (problem) {
      const isMissing = errorCodeOf(problem) === "ENOENT";
      return isMissing ? ok("") : err({ message: reasonOf(problem), isUntrusted: false });
    }
  }

  async #openKept(): Promise<Result<KeptServers, string>> {
    const { stateFile, platform } = this.#options;
    try {
      this.#kept ??= await KeptServers.open(stateFile, (problem) =>
        platform.logger.error("mcp-state-not-written", { reason: reasonOf(problem) }),
      );
      return ok(this.#kept);
    } catch (problem) {
      return err(
        `${stateFile ?? ""} cannot be read (${reasonOf(problem)}); no server is started. Delete it to take every tool as it is now.`,
      );
    }
  }

  /** These are the servers now: those that are as they were go on undisturbed. */
  async #use(entries: readonly McpEntry[]): Promise<void> {
    const kept = this.#kept;
    if (kept === null) return;
    const names = new ServerToolNames(
      entries.map(({ name }) => name),
      this.#options.reserved,
    );
    const before = new Map(this.#serversByName);
    const now = new Map<string, McpServer>();
    for (const entry of entries) {
      const standing = before.get(entry.name);
      if (standing !== undefined && stableDeepEqual(standing.entry, entry)) {
        standing.rename(names);
        before.delete(entry.name);
        now.set(entry.name, standing);
      } else {
        now.set(entry.name, new McpServer({ ...this.#options, entry, kept, names }));
      }
    }
    this.#serversByName = now;
    await Promise.all([...before.values()].map((server) => server.close()));
  }
}

function unknownServer(name: string): Refusal {
  return refusal("NOT_FOUND", { server: name }, `There is no server ${JSON.stringify(name.slice(0, 64))} in the file.`);
}
