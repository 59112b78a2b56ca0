import type { Refusal } from "../../core/base/errors.ts";
import { encodeBase64 } from "../../core/base/base64.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { AgentId } from "../../core/text/types.ts";
import type { Workspace } from "../workspace.ts";
import { agentsInText, named } from "./agents-in-text.ts";
import { prepare, preparedChange, preparedChangeNaming, type PreparedMessage } from "./down-frame.ts";

/** What one connection is told of one block until it is ended. */
export interface BlockWatch {
  /** Resolves when the watch stands, or with the reason why there is none. */
  readonly joined: Promise<Result<void, Refusal>>;
  end(): void;
}

/** Joins a block's feed for a connection. `known` are the agents that the connection has been told of; it grows. */
export function watchBlock(
  { hub, agents }: Pick<Workspace, "hub" | "agents">,
  send: (message: PreparedMessage) => void,
  from: { readonly blockId: BlockId; readonly afterVersion: number; readonly known: Set<AgentId> },
): BlockWatch {
  let ended = false;
  let stop: (() => void) | null = null;

  async function join(): Promise<Result<void, Refusal>> {
    const joined = await hub.watch(from.blockId, from.afterVersion, {
      snapshot(header, document, hash) {
        if (ended) return;
        const inText = agentsInText(document, agents);
        for (const { agent } of inText) from.known.add(agent);
        send(prepare({ type: "block-snapshot", header, text: encodeBase64(document), hash, agents: inText }));
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

  function message(change: BlockChange): PreparedMessage {
    const news = newAgents(change);
    if (news.length === 0) return preparedChange(change);
    for (const agent of news) from.known.add(agent);
    return preparedChangeNaming(change, named(news, agents));
  }

  function newAgents({ what }: BlockChange): readonly AgentId[] {
    if (what.type !== "text" && what.type !== "created") return [];
    return [...new Set(what.spans.map((span) => span.agent))].filter((agent) => !from.known.has(agent));
  }

  return {
    joined: join(),
    end() {
      ended = true;
      stop?.();
    },
  };
}
