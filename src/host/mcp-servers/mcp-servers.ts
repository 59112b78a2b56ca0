import { readFile, stat } from "node:fs/promises";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { stableDeepEqual } from "../../core/base/json.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { ConnectToolServer, ServerCall } from "../../core/port/tool-server.ts";
import type { McpFileState, McpServerState } from "../../core/protocol/base/mcp-server-state.ts";
import type { OfferedTool } from "../../core/tool/server/offered-tool.ts";
import type { ServerResult } from "../../core/tool/server/server-tool.ts";
import { ServerToolNames } from "../../core/tool/server/server-tool-names.ts";
import { KeptServers } from "./kept-servers.ts";
import { folderAround } from "./exposed-programs.ts";
import { McpServer } from "./mcp-server.ts";
import { readMcpConfig, type McpEntry } from "./read-mcp-config.ts";
import type { SignIns } from "./sign-ins.ts";

/** How often the file is checked. Milliseconds. */
const lookMs = 2_000;
/** Maximum number of tools that models are offered of all servers: some providers take no request with more than 128. */
const offeredMax = 100;
/** Maximum size of the file; a usual one has a page or two. */
const fileBytesMax = 1024 * 1024;

export interface McpServersOptions {
  readonly connect: ConnectToolServer;
  readonly platform: Platform;
  /** The file that names the servers, and the file with what is remembered of them. */
  readonly file: string;
  readonly stateFile: string | null;
  /** Returns the folders where agents write now: neither file may be in one. */
  readonly folders: () => readonly string[];
  /** The working folder of programs whose entry names none. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names that no tool of a server gets. */
  readonly reserved: Iterable<string>;
  readonly signIns: SignIns;
}

/** The MCP servers of the owner's file, in their current state. */
export interface McpServers {
  states(): readonly McpServerState[];
  file(): McpFileState;
  /** Returns the tools that models may be offered, in a stable order. */
  offered(): readonly OfferedTool[];
  /** Waits for servers that have just been started, but not long. */
  settled(): Promise<void>;
  /** Runs a call of an offered tool; refused where the tool has changed since. */
  call(tool: OfferedTool, call: Omit<ServerCall, "tool">): Promise<Result<ServerResult, Refusal>>;
  setEnabled(server: string, enabled: boolean): Promise<Result<void, Refusal>>;
  /** Reads the file now, and restarts this server; without a name, each server that is not connected. */
  reload(server?: string): Promise<Result<void, Refusal>>;
  /** Accepts a tool's current description, if the hash still matches it. */
  acceptTool(server: string, tool: string, hash: string): Promise<Result<void, Refusal>>;
  /** Begins a sign-in at a server; `url` null: it wants none. */
  signIn(server: string, origin: string | null): Promise<Result<{ readonly url: string | null }, Refusal>>;
  signOut(server: string): Promise<Result<void, Refusal>>;
  readonly signIns: SignIns;
  /** Checks the file now. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the MCP servers that a file names. Resolves before they are connected; a server that fails affects no other. */
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
  /** The folders when the servers last looked where they lie. */
  #knownFolders = "";
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
      const note = `${beyond} of its tools are left out: models are offered at most ${offeredMax} tools of all servers. Switch some off.`;
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

  async signIn(name: string, origin: string | null): Promise<Result<{ readonly url: string | null }, Refusal>> {
    const server = this.#serversByName.get(name);
    if (server === undefined) return err(unknownServer(name));
    const begun = await server.signIn(origin);
    return begun.ok ? ok({ url: begun.value }) : begun;
  }

  async signOut(name: string): Promise<Result<void, Refusal>> {
    const server = this.#serversByName.get(name);
    return server === undefined ? err(unknownServer(name)) : server.signOut();
  }

  get signIns(): SignIns {
    return this.#options.signIns;
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
    this.#followFolders();
    const read = await this.#read();
    if (!read.ok) {
      // The old content does not count either: the file may have been moved to where others write.
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

  /** Lets each server look again where its programs lie, when the folders have changed. */
  #followFolders(): void {
    const folders = this.#options.folders().join("\n");
    const isSame = folders === this.#knownFolders;
    this.#knownFolders = folders;
    if (isSame) return;
    for (const server of this.#serversByName.values()) void server.lookWhereItLies();
  }

  /** Returns the file's text; empty where there is no file. */
  async #read(): Promise<Result<string, { readonly message: string; readonly isUntrusted: boolean }>> {
    const { file, stateFile, folders } = this.#options;
    try {
      // A missing file is no problem, wherever it would be.
      const found = await stat(file);
      for (const each of stateFile === null ? [file] : [file, stateFile]) {
        const around = await folderAround(each, folders());
        if (around === null) continue;
        const message = `${each} lies in the workspace folder ${around}, where agents write, so its servers are not started. Keep the file elsewhere.`;
        return err({ message, isUntrusted: true });
      }
      if (process.platform !== "win32" && (found.mode & 0o002) !== 0) {
        const message =
          "every user of this machine can write it, so its servers are not started. Take that right away (chmod o-w).";
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
        `${stateFile ?? ""} cannot be read (${reasonOf(problem)}), so no server is started. Delete it to accept every tool as it is now.`,
      );
    }
  }

  /** Replaces the servers; unchanged ones keep running. */
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
      const existing = before.get(entry.name);
      if (existing !== undefined && stableDeepEqual(existing.entry, entry)) {
        existing.rename(names);
        before.delete(entry.name);
        now.set(entry.name, existing);
      } else {
        now.set(entry.name, new McpServer({ ...this.#options, entry, kept, names }));
      }
    }
    this.#serversByName = now;
    await Promise.all([...before.values()].map((server) => server.close()));
  }
}

function unknownServer(name: string): Refusal {
  return refusal("NOT_FOUND", { server: name }, `The file has no server ${JSON.stringify(name.slice(0, 64))}.`);
}
