import type { RootId } from "../../core/base/ids.ts";
import type { ConversationActivity } from "../../core/forest/list.ts";
import type { LastMessage } from "../../core/port/store.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import type { TurnState } from "../../core/turn/state/state.ts";

/** When a message was last added to a conversation, and what happens there now. */
export interface LastActivity {
  readonly at: number;
  readonly activity: ConversationActivity | null;
}

const none: LastActivity = { at: 0, activity: null };

/** What lists show of the messages and runs of conversations, without opening any. */
export class Activities {
  readonly #lastById = new Map<RootId, LastActivity>();

  of(rootId: RootId): LastActivity {
    return this.#lastById.get(rootId) ?? none;
  }

  /** Adds what was stored before; what has been noted since is newer. */
  loaded(stored: readonly LastMessage[]): void {
    for (const { rootId, at } of stored) {
      const known = this.of(rootId);
      if (at !== null && at > known.at) this.#lastById.set(rootId, { ...known, at });
    }
  }

  /** Returns whether lists show something else now. `addedAt` is null when no message was added. */
  note(rootId: RootId, addedAt: number | null, states: readonly TurnState[]): boolean {
    const before = this.of(rootId);
    const next = { at: Math.max(before.at, addedAt ?? 0), activity: activityOf(states) };
    if (next.at === before.at && next.activity === before.activity) return false;
    this.#lastById.set(rootId, next);
    return true;
  }

  forget(rootId: RootId): void {
    this.#lastById.delete(rootId);
  }
}

/** What waits for a person comes before what works, and that before what failed. */
function activityOf(states: readonly TurnState[]): ConversationActivity | null {
  if (states.some(({ type }) => type === "awaiting-approval" || type === "awaiting-answer")) return "waits";
  if (states.some((state) => !isSettled(state))) return "running";
  // An earlier failure of another branch is no news.
  return states.at(-1)?.type === "error" ? "failed" : null;
}
