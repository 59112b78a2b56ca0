import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import type { AgentActor } from "../../core/protocol/messages.ts";
import type { AgentId } from "../../core/text/types.ts";
import type { Agents } from "../agents.ts";
import type { Workspace } from "../workspace.ts";
import { agentsInText, named } from "./agents-in-text.ts";
import { base64, prepare, preparedChange, preparedChangeNaming, type PreparedMessage } from "./down-frame.ts";

/** The connection that watches. */
export interface WatchReader {
  /** What stands before its own request ids where they are stored. */
  readonly ownRequests: string;
  send(message: PreparedMessage): void;
  /** Runs a join when the connection has room for what it brings. */
  inTurn<Value>(join: () => Promise<Value>): Promise<Value>;
  /** The feed ended by itself: what the connection has may no longer be the whole. */
  terminated(reason: Refusal): void;
}

/** What one connection is told of one block until it is ended. */
export interface BlockWatch {
  /** Resolves when the watch stands, or with the reason why there is none. */
  readonly joined: Promise<Result<void, Refusal>>;
  end(): void;
}

/**
 * Joins a block's feed for a connection, when its turn has come. `known` are the agents that the connection has been told
 * of; it grows.
 */
export function watchBlock(
  { hub, agents }: Pick<Workspace, "hub" | "agents">,
  reader: Omit<WatchReader, "terminated">,
  from: { readonly blockId: BlockId; readonly afterVersion: number; readonly known: Set<AgentId> },
): BlockWatch {
  const send = (message: PreparedMessage): void => reader.send(message);
  let ended = false;
  let stop: (() => void) | null = null;

  async function join(): Promise<Result<void, Refusal>> {
    // Whoever asks again, or no more, is not waited for.
    if (ended) return { ok: true, value: undefined };
    const joined = await hub.watch(from.blockId, from.afterVersion, {
      snapshot(header, document, hash) {
        if (ended) return;
        const { inText, message } = preparedSnapshot({ header, document, hash }, agents);
        for (const { agent } of inText) from.known.add(agent);
        send(message);
      },
      deliver(changes) {
        if (ended) return;
        for (const change of changes) send(message(change));
      },
    });
    if (!joined.ok) return joined;
    if (ended) joined.value();
    else stop = joined.value;
    return { ok: true, value: undefined };
  }

  function message(told: BlockChange): PreparedMessage {
    const change = asAsked(told);
    const news = newAgents(change);
    if (news.length === 0) return preparedChange(change);
    for (const agent of news) from.known.add(agent);
    return preparedChangeNaming(change, named(news, agents));
  }

  /** Whoever asked for a change knows it by the id that they gave; to all others it is nobody's they know. */
  function asAsked(change: BlockChange): BlockChange {
    const { requestId } = change;
    if (requestId === undefined || !requestId.startsWith(reader.ownRequests)) return change;
    return { ...change, requestId: requestId.slice(reader.ownRequests.length) as RequestId };
  }

  function newAgents({ what }: BlockChange): readonly AgentId[] {
    if (what.type !== "text" && what.type !== "created") return nobody;
    if (what.spans.every((span) => from.known.has(span.agent))) return nobody;
    return [...new Set(what.spans.map((span) => span.agent))].filter((agent) => !from.known.has(agent));
  }

  return {
    joined: reader.inTurn(join),
    end() {
      ended = true;
      stop?.();
    },
  };
}

const nobody: readonly AgentId[] = [];

interface Snapshot {
  readonly header: BlockHeader;
  readonly document: Uint8Array;
  readonly hash: string;
}

interface PreparedSnapshot {
  readonly inText: readonly AgentActor[];
  readonly message: PreparedMessage;
}

const preparedByDocument = new WeakMap<Uint8Array, PreparedSnapshot>();

/** A snapshot as everybody who joins before the next change gets it. */
function preparedSnapshot({ header, document, hash }: Snapshot, agents: Agents): PreparedSnapshot {
  const known = preparedByDocument.get(document);
  if (known !== undefined) return known;
  const inText = agentsInText(document, agents);
  const message = prepare({ type: "block-snapshot", header, text: base64(document), hash, agents: inText });
  const prepared = { inText, message };
  preparedByDocument.set(document, prepared);
  return prepared;
}
