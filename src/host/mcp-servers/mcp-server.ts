import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type {
  ConnectToolServer,
  HttpTarget,
  ServerCall,
  ToolServer,
  ToolServerFailure,
} from "../../core/port/tool-server.ts";
import type { McpServerState, McpToolState } from "../../core/protocol/base/mcp-server-state.ts";
import { offeredTool, type OfferedTool } from "../../core/tool/server/offered-tool.ts";
import type { ServerResult, ServerTool } from "../../core/tool/server/server-tool.ts";
import type { ServerToolNames } from "../../core/tool/server/server-tool-names.ts";
import { reachHash, type KeptServers } from "./kept-servers.ts";
import { exposedPrograms, startFolder } from "./exposed-programs.ts";
import type { McpEntry } from "./read-mcp-config.ts";
import { ServerLink } from "./server-link.ts";
import { targetOf, type FoundTarget } from "./server-target.ts";
import type { SignIns } from "./sign-ins.ts";

/** How one server of the file is opened. */
export interface McpServerOptions {
  readonly entry: McpEntry;
  readonly kept: KeptServers;
  readonly names: ServerToolNames;
  readonly connect: ConnectToolServer;
  readonly platform: Platform;
  readonly home: string;
  /** Returns the folders where agents write now. */
  readonly folders: () => readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signIns: SignIns;
}

/** Maximum length of a tool's description as people see it. UTF-16 units. */
const shownUnitsMax = 600;
/** The same for a tool that changed. */
const saidUnitsMax = 20_000;

/** One server of the file: its connection while it is switched on, and the tools that models may be offered. */
export class McpServer {
  readonly #options: McpServerOptions;
  #names: ServerToolNames;
  #link: ServerLink | null = null;
  #isClosed = false;
  #listed: readonly ServerTool[] = [];
  #tools: readonly JudgedTool[] = [];
  #notes: readonly string[] = [];
  #warnings: readonly string[] = [];

  constructor(options: McpServerOptions) {
    this.#options = options;
    this.#names = options.names;
    this.#start();
  }

  get name(): string {
    return this.entry.name;
  }

  get entry(): McpEntry {
    return this.#options.entry;
  }

  get isEnabled(): boolean {
    return this.#options.kept.enabled(this.name) ?? this.entry.enabled;
  }

  state(): McpServerState {
    const { name, reach } = this.entry;
    return {
      name,
      transport: reach.type,
      added: this.entry.isAdded === true,
      place: reach.type === "stdio" ? programOf(reach.command) : hostOf(reach.url),
      status: this.#link?.status ?? { type: "disabled" },
      signIn: this.#signInState(),
      tools: this.#tools.map(toolState),
      notes: [...this.#warnings, ...this.#notes],
      output: this.#link?.written ?? "",
    };
  }

  #signInState(): McpServerState["signIn"] {
    const { entry, env, home, signIns } = this.#options;
    const found = targetOf(entry, env, home);
    if (!found.ok || found.value.target.type === "stdio" || hasOwnToken(found.value.target)) return "none";
    const { target, oauth } = found.value;
    const signedIn = signIns.of(this.name, target, oauth);
    if (signedIn !== undefined) return "wanted" in signedIn.read() ? "wanted" : "done";
    return this.#link?.isRefused === true ? "wanted" : "none";
  }

  /** Returns the tools that models may be offered; also during a short disconnect, so that requests stay the same. */
  offered(): readonly OfferedTool[] {
    return this.#link?.isExpected === true
      ? this.#tools.flatMap(({ tool, isChanged }) => (isChanged ? [] : [tool]))
      : [];
  }

  async settled(): Promise<void> {
    await this.#link?.settled;
  }

  async call(offered: OfferedTool, call: Omit<ServerCall, "tool">): Promise<Result<ServerResult, Refusal>> {
    const { server, tool, hash } = offered;
    if (this.#link === null) return err(refusal("TOOL_FAILED", { server }, `The server ${server} is switched off.`));
    return this.#link.call({ ...call, tool }, () => {
      const now = this.#tools.find((each) => each.tool.tool === tool);
      return now !== undefined && (now.isChanged || now.tool.hash !== hash) ? changedRefusal(offered) : null;
    });
  }

  /** Returns the view of one of its tools, by the tool's name for models. */
  viewOf(name: string): string | undefined {
    return this.#tools.find(({ tool, isChanged }) => tool.definition.name === name && !isChanged)?.tool.view;
  }

  /** Asks the server something for a person. */
  async ask<Value>(
    question: (server: ToolServer) => Promise<Result<Value, ToolServerFailure>>,
  ): Promise<Result<Value, Refusal>> {
    if (this.#link !== null) return this.#link.ask(question);
    return err(refusal("TOOL_FAILED", { server: this.name }, `The server ${this.name} is switched off.`));
  }

  async setEnabled(enabled: boolean): Promise<void> {
    await this.#options.kept.setEnabled(this.entry, enabled);
    if (enabled) this.#start();
    else await this.#stop();
  }

  /** Closes the connection and starts again; does nothing while the server is switched off. */
  async restart(): Promise<void> {
    await this.#stop();
    this.#start();
  }

  async acceptTool(tool: string, hash: string): Promise<Result<void, Refusal>> {
    const found = this.#tools.find((each) => each.tool.tool === tool);
    if (found === undefined) return err(refusal("NOT_FOUND", { server: this.name, tool }));
    if (found.tool.hash !== hash) return err(refusal("CONFLICT", { server: this.name, tool }));
    await this.#options.kept.know(this.entry, new Map([[tool, hash]]));
    this.#judge();
    return ok(undefined);
  }

  /** The file lists other servers now; tool names must be unique across all of them. */
  rename(names: ServerToolNames): void {
    this.#names = names;
    this.#judge();
  }

  /** Closes the server for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const link = this.#link;
    this.#link = null;
    this.#listed = [];
    this.#judge();
    await link?.close();
  }

  /** Does nothing when the server has been started, switched off or closed meanwhile. */
  #start(): void {
    if (this.#link !== null || this.#isClosed || !this.isEnabled) return;
    const { entry, connect, platform } = this.#options;
    const link: ServerLink = new ServerLink({
      name: entry.name,
      find: () => this.#find(),
      timeoutMs: entry.timeoutMs,
      connect,
      platform,
      onTools: (tools) => {
        if (this.#link === link) this.#take(tools);
      },
    });
    this.#link = link;
    void this.lookWhereItLies();
  }

  /** Fills in the variables, and the sign-in where a person has made one. */
  #find(): Result<FoundTarget, string> {
    const { entry, env, home, signIns } = this.#options;
    const found = targetOf(entry, env, home);
    if (!found.ok || found.value.target.type === "stdio") return found;
    const { target, oauth } = found.value;
    const signIn = hasOwnToken(target) ? undefined : signIns.of(this.name, target, oauth);
    return signIn === undefined ? found : ok({ ...found.value, target: { ...target, signIn } });
  }

  /** Begins a sign-in; returns where the person goes, null if the server wants none. */
  async signIn(origin: string | null): Promise<Result<string | null, Refusal>> {
    const { entry, env, home, signIns } = this.#options;
    const found = targetOf(entry, env, home);
    if (!found.ok) return err(refusal("INVALID_PARAMS", { server: this.name }, `${this.name}: ${found.error}.`));
    const { target, oauth } = found.value;
    if (target.type === "stdio" || hasOwnToken(target)) {
      const message = `${this.name} is not signed in to here: it is a program, or its entry has a token of its own.`;
      return err(refusal("INVALID_PARAMS", { server: this.name }, message));
    }
    const done = (): Promise<void> => this.restart();
    return signIns.begin(this.name, target, { entry: oauth, origin, done });
  }

  async signOut(): Promise<Result<void, Refusal>> {
    const ended = await this.#options.signIns.end(this.name);
    if (ended.ok) await this.restart();
    return ended;
  }

  /** Finds out whether agents could change what this server is started with; people see it as a note. */
  async lookWhereItLies(): Promise<void> {
    const { entry, env, home, folders } = this.#options;
    const found = targetOf(entry, env, home);
    if (!found.ok) return;
    const { target } = found.value;
    const exposed = await exposedPrograms(target, folders());
    const warnings = exposed.map(
      ({ path, folder }) =>
        `${path} lies in the workspace folder ${folder}: agents can write there, and what they write runs when this server is started. Keep it elsewhere.`,
    );
    const startedIn = await startFolder(target, folders());
    if (startedIn !== null)
      warnings.push(
        `It is started in the workspace folder ${startedIn}: programs that agents write there may run instead of the ones named here. Give the server another cwd.`,
      );
    this.#warnings = warnings;
  }

  /** Accepts every tool as first seen, since the owner asked for this server; a later change needs a person. */
  #take(tools: readonly ServerTool[]): void {
    this.#listed = tools;
    this.#judge();
    const { kept } = this.#options;
    const unseen = this.#tools.filter(({ tool }) => kept.hashOf(this.entry, tool.tool) === undefined);
    if (unseen.length === 0) return;
    void kept.know(this.entry, new Map(unseen.map(({ tool }) => [tool.tool, tool.hash])));
    this.#judge();
  }

  #judge(): void {
    const { kept } = this.#options;
    const namesByTool = this.#names.of(
      this.name,
      this.#listed.map(({ name }) => name),
    );
    const place = { server: this.name, reach: reachHash(this.entry), isElsewhere: isElsewhere(this.entry) };
    const tools: JudgedTool[] = [];
    const notes: string[] = [];
    for (const listed of this.#listed) {
      const tool = offeredTool(place, listed, namesByTool.get(listed.name) ?? "");
      if (tool.ok)
        tools.push({ tool: tool.value, isChanged: kept.hashOf(this.entry, listed.name) !== tool.value.hash });
      else notes.push(`${listed.name.slice(0, 100)} is left out: ${tool.error}.`);
    }
    // A server may list them in another order each time.
    this.#tools = tools.toSorted((a, b) => (a.tool.definition.name < b.tool.definition.name ? -1 : 1));
    this.#notes = notes;
  }
}

interface JudgedTool {
  readonly tool: OfferedTool;
  /** The tool differs from what was first seen or accepted. */
  readonly isChanged: boolean;
}

function toolState({ tool, isChanged }: JudgedTool): McpToolState {
  const { definition, access, hash } = tool;
  const { name, description } = definition;
  const view = tool.view === undefined ? {} : { hasView: true as const };
  const state = { name, description: beginning(description, shownUnitsMax), access, changed: null, ...view };
  return isChanged ? { ...state, changed: { tool: tool.tool, hash }, says: wholeSaying(tool) } : state;
}

/**
 * Returns the tool's long description: a change may be anywhere in it, and the person who accepts it must see more than its
 * beginning.
 */
function wholeSaying({ definition: { description, inputSchema }, access, reach, idempotent }: OfferedTool): string {
  const claims = [
    access === "write" ? "may write" : "only reads",
    reach.outward ? "may reach outside" : "reaches nothing outside",
    ...(idempotent ? ["may be run twice"] : []),
  ];
  const schema = JSON.stringify(inputSchema, null, 2);
  return beginning(`${description}\n\nIt ${claims.join(", ")}.\n\nParameters: ${schema}`, saidUnitsMax);
}

function beginning(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  return `${text.slice(0, unitsMax).toWellFormed()}… (${text.length - unitsMax} more characters)`;
}

function changedRefusal({ server, definition }: OfferedTool): Refusal {
  return refusal(
    "TOOL_FAILED",
    { server, reason: "changed" },
    `${definition.name} was not run: the server ${server} has changed the tool's description, and a person has to accept the change first.`,
  );
}

function hasOwnToken({ headers }: HttpTarget): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

function programOf(command: string): string {
  return command.split(/[/\\]/).at(-1) ?? command;
}

/** Whether the server may run on another machine; an address with a variable may. */
function isElsewhere({ reach }: McpEntry): boolean {
  if (reach.type === "stdio") return false;
  const host = URL.canParse(reach.url) ? new URL(reach.url).hostname : "";
  return !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}
