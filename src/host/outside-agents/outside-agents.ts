import type { ForkSessionResponse, NewSessionResponse } from "@agentclientprotocol/sdk/unstable";
import { methods } from "../../adapters/acp/acp-package.ts";
import type { RootId, TurnId } from "../../core/base/ids.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { AskingTurn, LanguageModel, ModelCatalogue, ModelInfo } from "../../core/port/language-model.ts";
import { documentReach, noReach } from "../../core/tool/base/reach.ts";
import type { ToolFacts } from "../../core/tool/base/facts.ts";
import { unknownTool } from "../../core/tool/registry.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";
import { modelActor } from "../conversation/base/actors.ts";
import type { ToolSource } from "../conversation/base/ports.ts";
import { refusedAnswer } from "../tool/answer.ts";
import { agentReach, type AgentCall } from "./agent-call.ts";
import { reasonOf, startAgent, type AgentLink, type AgentProgram } from "./agent-link.ts";
import type { AgentsWorkspace, AttachedAgents } from "./attached-agents.ts";
import { AgentSession, lostWords } from "./agent-session.ts";
import type { AgentEntry } from "./read-agents.ts";
import { handMcp, type HandedMcp, type McpDoor } from "./handed-mcp.ts";
import { SessionFiles } from "./session-files.ts";
import { SessionRecords } from "./session-records.ts";
import { promptOf, toldPath } from "./told-path.ts";

export interface OutsideAgentsOptions {
  readonly agents: readonly AgentEntry[];
  /** Returns the program of an agent, started in a folder. */
  readonly program: (entry: AgentEntry, cwd: string) => AgentProgram;
  /** Heddle's version. */
  readonly version: string;
  /** Where sessions are remembered; null: in memory alone. */
  readonly recordsFile: string | null;
  /** Where agents of conversations without a folder start. */
  readonly home: string;
  /** The program that speaks MCP for agents that cannot use HTTP. */
  readonly mcp: Pick<McpDoor, "command" | "args">;
}

/** How many agents run at once; the one that was idle longest ends for another. */
const linksMax = 16;

/** The agents of other programs, as models of conversations. */
export class OutsideAgents implements AttachedAgents {
  readonly tools: ToolSource;
  readonly #options: OutsideAgentsOptions;
  readonly #records: SessionRecords;
  readonly #sessions = new Map<AgentSession, SessionOf>();
  /** What is asked of each agent in each conversation, one after the other: a fork is made before its session goes on. */
  readonly #asking = new Map<string, Promise<unknown>>();
  readonly #links = new Set<AgentLink>();
  #workspace: AgentsWorkspace | null = null;
  #isClosed = false;
  #url: string | null = null;

  constructor(options: OutsideAgentsOptions) {
    this.#options = options;
    this.#records = new SessionRecords(options.recordsFile);
    this.tools = {
      definitions: () => [],
      facts: (name, turnId) => this.#facts(name, turnId),
      run: async (call, context, signal) => {
        const found = this.#given(call.name, context.turnId);
        if (found === null) return refusedAnswer(unknownTool([], call.name));
        return found.session.run(found.call, context, signal);
      },
    };
  }

  /** Takes the workspace; before, no agent answers. */
  attach(workspace: AgentsWorkspace): void {
    this.#workspace = workspace;
  }

  /** Takes the address of the server, at which agents reach Heddle's own MCP server. */
  listening(url: string): void {
    this.#url = url;
  }

  /** Returns a catalogue with the agents behind its models. */
  over(catalogue: ModelCatalogue): ModelCatalogue {
    const models = new Map(this.#options.agents.map((entry) => [`agent/${entry.id}`, this.#modelOf(entry)]));
    return {
      ...catalogue,
      list: () => [...catalogue.list(), ...[...models.values()].map(({ info }) => info)],
      find: (id) => models.get(id) ?? catalogue.find(id),
      membersOf: (id) => catalogue.membersOf?.(id) ?? null,
      whyNot: (id) => catalogue.whyNot?.(id) ?? `There is no model ${id}.`,
      refresh: async (id) => catalogue.refresh?.(id),
      learnWindow: (id, tokens) => catalogue.learnWindow?.(id, tokens),
    };
  }

  /** Ends every agent and all that they started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#links].map((link) => link.end()));
    await this.#records.settled();
  }

  #modelOf(entry: AgentEntry): LanguageModel {
    const info: ModelInfo = {
      id: `agent/${entry.id}`,
      name: entry.name,
      contextTokensMax: null,
      outputTokensMax: null,
      tools: true,
      thinking: true,
      local: false,
      toolSyntax: "native",
    };
    return {
      info,
      api: "acp",
      stream: (request, signal, asking) =>
        asking === undefined
          ? notForThis()
          : this.#stream(entry, { ends: request.toolChoice === "none", signal, asking }),
    };
  }

  async *#stream(
    entry: AgentEntry,
    { ends, signal, asking }: { readonly ends: boolean; readonly signal: AbortSignal; readonly asking: AskingTurn },
  ): AsyncGenerator<StreamPart> {
    let session: AgentSession;
    try {
      session = await untilAborted(this.#askedInOrder(entry, asking), signal);
    } catch (problem) {
      const message = reasonOf(problem);
      const failed = { class: signal.aborted ? "cancelled" : "unknown", message, retryable: false } as const;
      yield { type: "failed", failure: failed };
      return;
    }
    if (ends) {
      await session.cancel();
      yield { type: "finished", reason: "end-turn", usage: noUsage };
      return;
    }
    yield* session.reply(signal);
    if (session.isAsking) void this.#cancelWithTurn(session, asking);
  }

  #askedInOrder(entry: AgentEntry, asking: AskingTurn): Promise<AgentSession> {
    const key = `${asking.rootId} ${entry.id}`;
    const asked = (this.#asking.get(key) ?? Promise.resolve()).then(() => this.#asked(entry, asking));
    const settled = asked.then(
      () => undefined,
      () => undefined,
    );
    this.#asking.set(key, settled);
    void settled.then(() => {
      if (this.#asking.get(key) === settled) this.#asking.delete(key);
    });
    return asked;
  }

  /** Returns the session that answers, with everything said to it that it does not know. */
  async #asked(entry: AgentEntry, asking: AskingTurn): Promise<AgentSession> {
    const { turnId, path } = asking;
    const workspace = this.#open();
    const model = `agent/${entry.id}`;
    const ids = path.map(({ id }) => id);
    const known = [...this.#sessions].find(([session, of]) => {
      return (
        of.rootId === asking.rootId && of.agent === entry.id && session.lost === null && goesOn(session, asking, model)
      );
    })?.[0];
    const session = known ?? (await this.#resumed(entry, asking)) ?? (await this.#begun(entry, asking));
    const before = session.place;
    const isSameTurn = before?.turnId === turnId;
    if (!isSameTurn && session.isWorking) await session.cancel();
    await this.#lendFor(session, asking);
    if (!isSameTurn && session === known) await this.#forkFor(session, asking, entry);
    session.place = { turnId, path: ids };
    await session.files.turn(modelActor({ runId: asking.runId, turnId, model }, this.over(noModels)));
    const fresh = path.slice(before?.path.length ?? 0);
    const images = session.link.started.agentCapabilities?.promptCapabilities?.image === true;
    const words = await promptOf(before === null ? lastWords(path) : fresh, { blobs: workspace.blobs, images });
    const earlier = before === null ? path.slice(0, path.length - lastWords(path).length) : [];
    const prompt = earlier.length === 0 ? words : [{ type: "text" as const, text: toldPath(earlier) }, ...words];
    if (prompt.length > 0) {
      session.say(prompt);
      const asked = path.findLast(({ message }) => message.role === "user");
      if (asked !== undefined) {
        this.#records.put({ rootId: asking.rootId, agent: entry.id, sessionId: session.id, asked: asked.id });
      }
    } else if (!session.isWorking && !session.hasWords) {
      throw new Error("There is nothing to say to the agent: it has answered already. Send a message");
    }
    return session;
  }

  /** Makes the token that the agent was handed valid for the turn that asks, in place of the session's turn before. */
  async #lendFor(session: AgentSession, asking: AskingTurn): Promise<void> {
    const mcp = this.#sessions.get(session)?.parts.mcp;
    const { place } = session;
    if (place !== null && place.turnId !== asking.turnId) mcp?.endTurn(place.turnId);
    await mcp?.beginTurn(asking);
  }

  /** Several replies at the tip: each but one goes on in a fork of the session, where the agent can fork. Otherwise they are told the path. */
  async #forkFor(session: AgentSession, { rootId, path }: AskingTurn, entry: AgentEntry): Promise<void> {
    const { place, link } = session;
    const last = path.at(-1);
    const of = this.#sessions.get(session);
    const fork = link.started.agentCapabilities?.sessionCapabilities?.fork;
    if (fork === undefined || fork === null || place === null || of === undefined || last === undefined) return;
    const { parts } = of;
    const isAtTip = ([each, { rootId: root }]: readonly [AgentSession, SessionOf]): boolean =>
      root === rootId && !each.isWorking && each.place?.path.at(-1) === place.path.at(-1);
    const wanted = await this.#open().wantedReplies(rootId, last.id);
    for (let ready = [...this.#sessions].filter(isAtTip).length; ready < wanted; ready += 1) {
      const asked = { sessionId: session.id, cwd: parts.cwd, mcpServers: [...parts.mcp.servers] };
      const forked = await link.agent.request(methods.agent.session.fork, asked).then(
        // The package checks the answer, though its types do not say so.
        (answer) => answer as ForkSessionResponse,
        () => null,
      );
      if (forked === null) return;
      this.#add(parts, { id: forked.sessionId, rootId, agent: entry.id }).place = { ...place, turnId: "" as TurnId };
      await askFirst(link, forked, entry.mode);
    }
  }

  /** Loads the session that the conversation had before the process or the agent ended; null where there is none. */
  async #resumed(entry: AgentEntry, asking: AskingTurn): Promise<AgentSession | null> {
    const record = this.#records.of(asking.rootId, entry.id);
    const at = record === null ? -1 : asking.path.findIndex(({ id }) => id === record.asked);
    if (record === null || at === -1) return null;
    const later = asking.path.slice(at + 1);
    const isOwn = later.every((node) => isFrom(node, `agent/${entry.id}`) || node.message.role === "user");
    if (!isOwn) return null;
    // The agent has these words: sending them again would do their work twice.
    if (!later.some(({ message }) => message.role === "user")) throw new Error(lostWords("it was stopped"));
    const parts = await this.#start(entry, asking);
    const { agent, started } = parts.link;
    const { loadSession, sessionCapabilities } = started.agentCapabilities ?? {};
    const params = { sessionId: record.sessionId, cwd: parts.cwd, mcpServers: [...parts.mcp.servers] };
    const session = this.#add(parts, { id: record.sessionId, rootId: asking.rootId, agent: entry.id });
    try {
      const resumes = sessionCapabilities?.resume !== undefined && sessionCapabilities.resume !== null;
      if (resumes) await session.loading(() => agent.request(methods.agent.session.resume, params));
      else if (loadSession === true) await session.loading(() => agent.request(methods.agent.session.load, params));
      else throw new Error("it loads no sessions");
    } catch {
      this.#sessions.delete(session);
      await parts.link.end();
      return null;
    }
    session.place = { turnId: "" as TurnId, path: asking.path.slice(0, at + 1 + ownLength(later)).map(({ id }) => id) };
    return session;
  }

  async #begun(entry: AgentEntry, asking: AskingTurn): Promise<AgentSession> {
    const parts = await this.#start(entry, asking);
    try {
      const begun = await parts.link.agent.request(methods.agent.session.new, {
        cwd: parts.cwd,
        mcpServers: [...parts.mcp.servers],
      });
      const session = this.#add(parts, { id: begun.sessionId, rootId: asking.rootId, agent: entry.id });
      await askFirst(parts.link, begun, entry.mode);
      return session;
    } catch (problem) {
      await parts.link.end();
      throw problem;
    }
  }

  async #start(entry: AgentEntry, asking: AskingTurn): Promise<StartedAgent> {
    const workspace = this.#open();
    const { folderId } = asking;
    const used = folderId === null ? null : await workspace.folders.use(folderId);
    if (used !== null && !used.ok) throw new Error(used.error.message);
    const files = used?.value.files ?? null;
    const cwd = files?.folder ?? this.#options.home;
    await this.#makeRoom();
    const sessions = new Map<string, AgentSession>();
    const of = (id: string): AgentSession => {
      const session = sessions.get(id);
      if (session === undefined) throw new Error("There is no such session here.");
      return session;
    };
    const link = await startAgent(
      this.#options.program(entry, cwd),
      {
        update: ({ sessionId, update }) => sessions.get(sessionId)?.update(update),
        permission: async (request, signal) => of(request.sessionId).permission(request, signal),
        elicit: async (request, signal) =>
          of(String("sessionId" in request ? request.sessionId : "")).elicit(request, signal),
        read: async (request) => of(request.sessionId).read(request),
        write: async (request) => of(request.sessionId).write(request),
      },
      this.#options.version,
    );
    this.#links.add(link);
    void link.lost.then(() => this.#links.delete(link));
    if (this.#isClosed) await link.end();
    const door = this.#url === null ? null : { ...this.#options.mcp, url: this.#url };
    const mcp = await handMcp(door, workspace, { name: entry.name, asking, started: link.started });
    void link.lost.then(() => mcp.end());
    return { link, cwd, sessions, mcp, files };
  }

  #add(
    parts: StartedAgent,
    { id, rootId, agent }: { readonly id: string; readonly rootId: RootId; readonly agent: string },
  ): AgentSession {
    const { hub, replicas, platform, folders } = this.#open();
    const { link } = parts;
    const files = new SessionFiles({ hub, replicas, folders, files: parts.files });
    const name = this.#options.agents.find((entry) => entry.id === agent)?.name ?? agent;
    const session = new AgentSession({ id, link, files, clock: platform.clock, name });
    parts.sessions.set(id, session);
    this.#sessions.set(session, { rootId, agent, parts });
    void link.lost.then(() => this.#sessions.delete(session));
    return session;
  }

  /** Ends the oldest idle agent where too many run. */
  async #makeRoom(): Promise<void> {
    if (this.#links.size < linksMax) return;
    const working = new Set([...this.#sessions.keys()].filter(({ isWorking }) => isWorking).map(({ link }) => link));
    const idle = [...this.#sessions.keys()].find(({ link }) => !working.has(link));
    if (idle === undefined) throw new Error(`${linksMax} agents are at work already. Try again when one is done`);
    await idle.link.end();
  }

  /** Stops the agent when its turn ends while it waits for a decision. */
  async #cancelWithTurn(session: AgentSession, { rootId, runId, turnId }: AskingTurn): Promise<void> {
    const workspace = this.#open();
    let stop = (): void => {};
    const look = async (): Promise<void> => {
      if (session.isAsking && (await workspace.isUnderWay(rootId, runId, turnId))) return;
      stop();
      if (session.isAsking) await session.cancel();
    };
    stop = await workspace.watch(rootId, () => void look());
    await look();
  }

  #given(name: string, turnId: TurnId): { readonly session: AgentSession; readonly call: AgentCall } | null {
    for (const session of this.#sessions.keys()) {
      const call = session.place?.turnId === turnId ? session.givenAs(name) : null;
      if (call !== null) return { session, call };
    }
    return null;
  }

  #facts(name: string, turnId: TurnId | undefined): ToolFacts | null {
    if (!name.startsWith("agent_")) return null;
    const own = {
      name,
      idempotent: false,
      eachCallApart: true,
      definitionHash: sha256Hex(`a call of an agent: ${name}`),
    } as const;
    // For what a context holds.
    if (turnId === undefined) return { ...own, access: "write", reach: agentReach };
    const call = this.#given(name, turnId)?.call;
    if (call === undefined) return null;
    if (call.hasBegun) return { ...own, access: "read", reach: noReach, hasBegun: true };
    return { ...own, access: "write", reach: call.permission === null ? documentReach : agentReach };
  }

  #open(): AgentsWorkspace {
    if (this.#workspace === null || this.#isClosed) throw new Error("The workspace is closed.");
    return this.#workspace;
  }
}

interface StartedAgent {
  readonly link: AgentLink;
  readonly cwd: string;
  readonly mcp: HandedMcp;
  readonly files: WorkspaceFiles | null;
  /** Its sessions by id: the one that was begun, and forks of it. */
  readonly sessions: Map<string, AgentSession>;
}

/** Where a session belongs. */
interface SessionOf {
  readonly rootId: RootId;
  readonly agent: string;
  readonly parts: StartedAgent;
}

const noModels: ModelCatalogue = { list: () => [], find: () => undefined };

/** The modes in which the agents that are known ask before they write, by the beginning of their name. */
const askingModes: Readonly<Record<string, string>> = { claude: "default", codex: "read-only", gemini: "default" };

/** Puts a session into the mode that asks. */
async function askFirst(
  link: AgentLink,
  { sessionId, modes }: NewSessionResponse | ForkSessionResponse,
  wished?: string,
): Promise<void> {
  const name = (link.started.agentInfo?.name ?? "").replace(/^@[^/]*\//u, "");
  const known = Object.entries(askingModes).find(([beginning]) => name.startsWith(beginning))?.[1];
  const modeId = wished ?? known;
  const isOffered = modes?.availableModes.some(({ id }) => id === modeId) === true;
  if (modeId === undefined || (!isOffered && wished === undefined)) return;
  await link.agent.request(methods.agent.session.setMode, { sessionId, modeId });
}

/** Whether a session goes on with a path: it knows its beginning, and what came after is a person's or its own. */
function goesOn({ place, isWorking }: AgentSession, { turnId, path }: AskingTurn, model: string): boolean {
  if (place === null || place.path.length > path.length) return false;
  if (!place.path.every((id, at) => path[at]?.id === id)) return false;
  const fresh = path.slice(place.path.length);
  if (fresh.length === 0) return place.turnId === turnId && isWorking;
  return fresh.every((node) => node.message.role === "user" || isFrom(node, model));
}

/** Whether a message is the agent's, or the result of one of its calls. */
function isFrom({ message, actor, request }: ForestNode, model: string): boolean {
  if (message.role === "assistant")
    return request?.model === model || (actor.type === "model" && actor.model === model);
  return message.role === "tool";
}

/** How many messages of the agent follow before a person's. */
function ownLength(later: readonly ForestNode[]): number {
  const at = later.findIndex(({ message }) => message.role === "user");
  return at === -1 ? later.length : at;
}

/** Returns the person's messages at the end of a path. */
function lastWords(path: readonly ForestNode[]): readonly ForestNode[] {
  const at = path.findLastIndex(({ message }) => message.role !== "user");
  return path.slice(at + 1);
}

async function* notForThis(): AsyncGenerator<StreamPart> {
  await Promise.resolve();
  const message = "An agent of another program keeps its own context and sums it up by itself.";
  yield { type: "failed", failure: { class: "invalid-request", message, retryable: false } };
}

function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  work.catch(() => undefined);
  signal.addEventListener("abort", () => reject(new Error("Stopped.")), { once: true });
  if (signal.aborted) reject(new Error("Stopped."));
  return Promise.race([work, promise]);
}
