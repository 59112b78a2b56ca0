import type { RootId } from "../../../core/base/ids.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { HeddleClient, RunView } from "../../../client/base/types.ts";

/** A sub-agent that waits for a person's decision on a call. */
export interface AskingAgent {
  readonly run: RunView;
  /** Its number among the sub-agents, from 1. */
  readonly place: number;
  readonly of: number;
}

/**
 * Watches the sub-agents of a run while they work: each has a conversation of its own, and may wait there for the person who
 * waits here.
 */
export class AgentsAsking {
  readonly #client: Pick<HeddleClient, "conversation">;
  readonly #changed: () => void;
  readonly #stopsByRoot = new Map<RootId, () => void>();
  #state: TurnState | null = null;
  #last: RunView["runId"] | null = null;

  /** `changed` is called after any change in one of them. */
  constructor(client: Pick<HeddleClient, "conversation">, changed: () => void) {
    this.#client = client;
    this.#changed = changed;
  }

  /** Watches the sub-agents of a run in this state, and no others. */
  follow(state: TurnState | null): void {
    this.#state = state;
    const atWork = new Set(atWorkIn(state).map(({ rootId }) => rootId));
    for (const [rootId, stop] of this.#stopsByRoot) {
      if (atWork.has(rootId)) continue;
      this.#stopsByRoot.delete(rootId);
      stop();
    }
    for (const rootId of atWork) {
      if (this.#stopsByRoot.has(rootId)) continue;
      this.#stopsByRoot.set(rootId, this.#client.conversation(rootId).subscribe(this.#changed));
    }
  }

  /** Returns one that waits for a decision; the same one for as long as it waits. */
  get first(): AskingAgent | null {
    const agents = atWorkIn(this.#state);
    const asking = agents.flatMap(({ rootId, runId, place }): readonly AskingAgent[] => {
      const run = this.#client
        .conversation(rootId)
        .get()
        ?.runs.find((each) => each.runId === runId);
      return run?.state.type === "awaiting-approval" ? [{ run, place, of: this.#count }] : [];
    });
    const first = asking.find(({ run }) => run.runId === this.#last) ?? asking[0] ?? null;
    this.#last = first?.run.runId ?? null;
    return first;
  }

  get #count(): number {
    return this.#state?.type === "awaiting-sub-agents" ? this.#state.agents.length : 0;
  }

  close(): void {
    this.follow(null);
  }
}

interface AtWork {
  readonly rootId: RootId;
  readonly runId: RunView["runId"];
  readonly place: number;
}

/** The sub-agents of a stopped turn are ending, and ask for nothing any more. */
function atWorkIn(state: TurnState | null): readonly AtWork[] {
  if (state?.type !== "awaiting-sub-agents") return [];
  return state.agents.flatMap(({ rootId, runId, outcome }, index) =>
    outcome === null ? [{ rootId, runId, place: index + 1 }] : [],
  );
}
