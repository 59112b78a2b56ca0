import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { acceptsMessage, isSettled } from "../../../core/turn/step/precheck.ts";
import { notStored } from "../../base/store-refusal.ts";
import type { Conversation } from "../queue/conversation.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";

/** A conversation to delete. An unreadable conversation has no runs. */
export interface ConversationToDelete {
  readonly id: RootId;
  readonly conversation: Conversation | "unreadable";
}

/**
 * Moves a conversation to the trash with its sub-agents in one transaction, then notifies each watcher once. Refused while
 * a run works.
 */
export function deleteConversations(
  { store, blocks, platform }: Pick<ConversationPorts, "store" | "blocks" | "platform">,
  /** First the sub-agents, then the conversation they worked for. */
  targets: readonly ConversationToDelete[],
  /** `also` is stored with the deletion; `forget` is called after the commit, before watchers are notified. */
  { also, forget }: { readonly also: readonly StoreWrite[]; readonly forget: () => void },
): Promise<Result<void, Refusal>> {
  const open = targets.flatMap(({ conversation }) => (conversation === "unreadable" ? [] : [conversation]));
  return alone(open, async () => {
    for (const { runs } of open) {
      const busy = runs.find(({ snapshot }) => !isSettled(snapshot.record.state));
      const refused = busy === undefined ? ok(undefined) : acceptsMessage(busy.snapshot.record.state);
      if (!refused.ok) return refused;
    }
    const at = platform.clock.now();
    const ids = targets.map(({ id }) => id);
    // Its live blocks leave memory.
    const removed = await blocks.remove(ids, async () => {
      const writes = ids.map((id) => ({ type: "trash-root", rootId: id, at }) as const);
      const committed = await store.commit([...writes, ...also]);
      if (committed.ok) return ok(undefined);
      // Someone else started a run meanwhile.
      return err(committed.error.code === "CONFLICT" ? refusal("CONFLICT") : notStored(committed.error));
    });
    if (!removed.ok) return removed;
    forget();
    for (const conversation of open) conversation.end();
    return removed;
  });
}

/** Deletes a conversation in the trash for good, with its sub-agents and everything they own. */
export function purgeConversations(
  { store, blocks, platform }: Pick<ConversationPorts, "store" | "blocks" | "platform">,
  /** First the sub-agents, then the conversation they worked for. */
  ids: readonly RootId[],
  also: readonly StoreWrite[],
): Promise<Result<void, Refusal>> {
  const at = platform.clock.now();
  return blocks.remove(ids, async (documentOf) => {
    const writes = ids.map((id) => ({ type: "delete-root", rootId: id, documentId: documentOf(id), at }) as const);
    const committed = await store.commit([...writes, ...also]);
    if (committed.ok) return ok(undefined);
    return err(committed.error.code === "CONFLICT" ? refusal("CONFLICT") : notStored(committed.error));
  });
}

/** Runs a job while the queues of all these conversations are held. */
function alone(
  [first, ...rest]: readonly Conversation[],
  job: () => Promise<Result<void, Refusal>>,
): Promise<Result<void, Refusal>> {
  return first === undefined ? job() : first.command(() => alone(rest, job));
}
