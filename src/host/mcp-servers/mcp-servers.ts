import { readFile, stat } from "node:fs/promises";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { stableDeepEqual } from "../../core/base/json.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { ConnectToolServer, ServerCall, ToolServer, ToolServerFailure } from "../../core/port/tool-server.ts";
import type { McpFileState, McpServerState } from "../../core/protocol/base/mcp-server-state.ts";
import type { OfferedTool } from "../../core/tool/server/offered-tool.ts";
import type { ServerOffers } from "../../core/tool/server/server-offers.ts";
import type { ServerResult } from "../../core/tool/server/server-tool.ts";
import { ServerToolNames } from "../../core/tool/server/server-tool-names.ts";
import { KeptServers } from "./kept-servers.ts";
import { folderAround } from "./exposed-programs.ts";
import { McpServer } from "./mcp-server.ts";
import type { AddedServers, NewServer } from "./added-servers.ts";
import { readMcpConfig, type McpEntry } from "./read-mcp-config.ts";
import { ServerViews } from "./server-views.ts";
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
  /** What people added in the app; without it nothing can be added. */
  readonly added?: AddedServers;
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
  /** Adds a server and begins to connect it. */
  add(server: NewServer): Promise<Result<void, Refusal>>;
  /** Removes a server that was added, with its values and its sign-in. */
  remove(server: string): Promise<Result<void, Refusal>>;
  /** Connects a server again and waits until it is ready or has failed. */
  test(server: string): Promise<Result<McpServerState, Refusal>>;
  /** Returns what each connected server offers to people; one that fails offers nothing. */
  offers(): Promise<readonly (ServerOffers & { readonly server: string })[]>;
  /** Asks a server something for a person. */
  ask<Value>(
    server: string,
    question: (server: ToolServer) => Promise<Result<Value, ToolServerFailure>>,
  ): Promise<Result<Value, Refusal>>;
  /** Reads the view of a tool's results, and returns the path at which one frame may load it. */
  view(tool: string): Promise<Result<{ readonly path: string }, Refusal>>;
  readonly views: ServerViews;
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
  #entries: readonly McpEntry[] = [];
  /** Whether no agent could have changed the files. */
  #isTrusted = true;
  #problems: readonly string[] = [];
  #addedProblems: readonly string[] = [];
  /** In the file's order. */
  #serversByName: ReadonlyMap<string, McpServer> = new Map();
  /** The folders when the servers last looked where they lie. */
  #knownFolders = "";
  #looking: Promise<void> = Promise.resolve();
  #cancelLook = (): void => {};
  #isClosed = false;

  readonly views: ServerViews;

  constructor(options: McpServersOptions) {
    this.#options = options;
    this.views = new ServerViews(options.platform);
  }

  async start(): Promise<void> {
    this.#addedProblems = (await this.#options.added?.open()) ?? [];
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
    return { path: this.#options.file, problems: [...this.#problems, ...this.#addedProblems] };
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

  add(server: NewServer): Promise<Result<void, Refusal>> {
    return this.#changeAdded(async (added) => {
      if (!this.#serversByName.has(server.name)) return added.add(server);
      const message = `There is a server ${JSON.stringify(server.name)} already. Choose another name, or remove it first.`;
      return err(refusal("CONFLICT", { server: server.name }, message));
    });
  }

  remove(name: string): Promise<Result<void, Refusal>> {
    return this.#changeAdded(async (added) => {
      const found = this.#serversByName.get(name);
      if (found === undefined) return err(unknownServer(name));
      if (found.entry.isAdded !== true) {
        const message = `${name} is in ${this.#options.file}. Remove it there, or switch it off.`;
        return err(refusal("CONFLICT", { server: name }, message));
      }
      const signedOut = await this.#options.signIns.end(name);
      return signedOut.ok ? added.remove(name) : signedOut;
    });
  }

  async test(name: string): Promise<Result<McpServerState, Refusal>> {
    await this.look();
    const server = this.#serversByName.get(name);
    if (server === undefined) return err(unknownServer(name));
    await server.restart();
    await server.settled();
    return ok(this.states().find((state) => state.name === name) ?? server.state());
  }

  /** Runs a change of what was added in the order of the looks, then uses it. */
  #changeAdded(change: (added: AddedServers) => Promise<Result<void, Refusal>>): Promise<Result<void, Refusal>> {
    const { added } = this.#options;
    if (added === undefined) return Promise.resolve(err(refusal("NOT_FOUND", {}, "This workspace keeps no servers.")));
    const changed = this.#looking.then(async () => {
      const done = await change(added);
      if (done.ok && this.#kept !== null) await this.#use(this.#entries);
      return done;
    });
    this.#looking = changed.then(
      () => undefined,
      () => undefined,
    );
    return changed;
  }

  async offers(): Promise<readonly (ServerOffers & { readonly server: string })[]> {
    const ready = [...this.#serversByName.values()].filter((server) => server.state().status.type === "ready");
    const offered = await Promise.all(ready.map((server) => server.ask((each) => each.listOffers())));
    return offered.flatMap((each, at) => (each.ok ? [{ server: ready[at]?.name ?? "", ...each.value }] : []));
  }

  async ask<Value>(
    name: string,
    question: (server: ToolServer) => Promise<Result<Value, ToolServerFailure>>,
  ): Promise<Result<Value, Refusal>> {
    const server = this.#serversByName.get(name);
    return server === undefined ? err(unknownServer(name)) : server.ask(question);
  }

  async view(tool: string): Promise<Result<{ readonly path: string }, Refusal>> {
    for (const server of this.#serversByName.values()) {
      const uri = server.viewOf(tool);
      if (uri === undefined) continue;
      const read = await server.ask((each) => each.read(uri));
      const added = read.ok ? this.views.add(read.value) : read;
      return added.ok ? ok({ path: added.value }) : added;
    }
    return err(refusal("NOT_FOUND", { tool }, "No server has a view for this tool now."));
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
      if (read.error.isUntrusted) await this.#stopAll();
      this.#text = null;
      this.#problems = [read.error.message];
      return;
    }
    if (read.value === this.#text) return;
    this.#isTrusted = true;
    const kept = await this.#openKept();
    if (!kept.ok) {
      this.#problems = [kept.error];
      return;
    }
    this.#text = read.value;
    const { entries, problems } = read.value === "" ? { entries: [], problems: [] } : readMcpConfig(read.value);
    this.#problems = problems;
    if (problems.length > 0) this.#options.platform.logger.warn("mcp-file-problems", { count: problems.length });
    if (entries === null) return;
    this.#entries = entries;
    await this.#use(entries);
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
    const { file, stateFile, added, folders } = this.#options;
    try {
      // A missing file is no problem, wherever it would be.
      const found = await stat(file);
      for (const each of [file, stateFile, added?.file ?? null].filter((path) => path !== null)) {
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

  /** Replaces the servers of the file, beside what was added; unchanged ones keep running. */
  async #use(written: readonly McpEntry[]): Promise<void> {
    const kept = this.#kept;
    if (kept === null || !this.#isTrusted) return;
    const names = new Set(written.map(({ name }) => name));
    const added = this.#options.added?.entries ?? [];
    await this.#run([...written, ...added.filter(({ name }) => !names.has(name))], kept);
  }

  async #stopAll(): Promise<void> {
    this.#isTrusted = false;
    this.#entries = [];
    if (this.#kept !== null) await this.#run([], this.#kept);
  }

  async #run(entries: readonly McpEntry[], kept: KeptServers): Promise<void> {
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
