import { notByEveryone } from "../access/why-not-allowed.ts";
import { refusal } from "../../core/base/errors.ts";
import type { TurnId } from "../../core/base/ids.ts";
import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import { type SyntaxTool, wireName } from "../../core/syntax/base/tools.ts";
import { judgeArguments } from "../../core/syntax/call/judge-parameters.ts";
import type { ToolFacts } from "../../core/tool/base/facts.ts";
import type { OfferedTool } from "../../core/tool/server/offered-tool.ts";
import { unknownTool } from "../../core/tool/registry.ts";
import { serverAnswer } from "../../core/tool/server/server-answer.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";
import type { Question } from "../../core/turn/state/question.ts";
import type { ToolCall } from "../../core/turn/state/state.ts";
import type { OfferContext, ToolContext, ToolSource } from "../conversation/base/ports.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";
import { refusedAnswer } from "./answer.ts";

type Servers = Pick<McpServers, "offered" | "settled" | "call">;

/** Maximum number of turns whose offered tools are remembered: more than ever run at once. */
const turnsMax = 256;

/** Maximum number of recently offered tools that are remembered. */
const recentMax = 2_000;

/** Opens the tools of connected MCP servers. */
export function createServerTools(servers: Servers): ToolSource {
  return new ServerTools(servers);
}

class ServerTools implements ToolSource {
  readonly #servers: Servers;
  /**
   * The tools that each turn was offered when it began: they do not change during a turn. Newest last.
   */
  readonly #offeredByTurn = new Map<TurnId, readonly OfferedTool[]>();
  /** Recently offered tools, to judge earlier calls of a conversation. */
  readonly #recentByName = new Map<string, OfferedTool>();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  async ready(signal: AbortSignal): Promise<void> {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) resolve();
    await Promise.race([this.#servers.settled(), stopped]);
    signal.removeEventListener("abort", onAbort);
  }

  definitions(context: OfferContext): readonly SyntaxTool[] {
    return this.#offeredTo(context).map(({ definition }) => definition);
  }

  facts(name: string, turnId?: TurnId): ToolFacts | null {
    const found = this.#find(name, turnId ?? null);
    if (found === undefined) return null;
    const { definition, access, reach, idempotent, hash } = found;
    return { name: definition.name, access, reach, idempotent, definitionHash: hash };
  }

  async run({ name, parameters }: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer> {
    // Sub-agents have only Heddle's own tools.
    const tool = context.kind === "sub-agent" ? undefined : this.#find(name, context.turnId);
    if (tool === undefined) return refusedAnswer(unknownTool([], name));
    const agent = context.reach?.agent;
    if (agent?.mayCallServers === false) return refusedAnswer(notByEveryone("use MCP servers"));
    if (agent?.whyNoChange !== undefined && tool.access === "write") return refusedAnswer(agent.whyNoChange);
    // A call by tags was judged as it was read; a native one comes as the provider has read it.
    const judged = judgeArguments(tool.definition, parameters);
    if (!judged.ok) return refusedAnswer(refusal(judged.error.code, {}, judged.error.message));
    const progress = (text: string): void => context.progress(text);
    const { ask } = context;
    const asker = tool.server;
    const asks = ask === undefined ? {} : { ask: (questions: NonEmptyArray<Question>) => ask({ asker, questions }) };
    const result = await this.#servers.call(tool, { parameters, signal, progress, ...asks });
    return result.ok ? serverAnswer(result.value) : refusedAnswer(result.error);
  }

  #offeredTo({ turnId, kind }: OfferContext): readonly OfferedTool[] {
    if (kind === "sub-agent") return [];
    const now = this.#servers.offered();
    if (turnId === undefined) return now;
    const known = this.#offeredByTurn.get(turnId);
    const offered = known ?? now;
    putLast(this.#offeredByTurn, turnId, offered, turnsMax);
    if (known === undefined)
      for (const tool of offered) putLast(this.#recentByName, wireName(tool.definition.name), tool, recentMax);
    return offered;
  }

  /** Finds a tool by name: among those of the turn, those offered now, then those offered recently. */
  #find(name: string, turnId: TurnId | null): OfferedTool | undefined {
    const own = turnId === null ? undefined : this.#offeredByTurn.get(turnId);
    if (own !== undefined) return toolNamed(name, own);
    return toolNamed(name, this.#servers.offered()) ?? this.#recentByName.get(wireName(name));
  }
}

/** Finds a tool by name; dots and hyphens equal underscores, which some models and syntaxes write instead. */
function toolNamed(name: string, offered: readonly OfferedTool[]): OfferedTool | undefined {
  const exact = offered.find(({ definition }) => definition.name === name);
  return exact ?? offered.find(({ definition }) => wireName(definition.name) === wireName(name));
}

/** Moves an entry to the end; evicts the first entry when there are more than `max`. */
function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > max && first !== undefined) map.delete(first);
}
