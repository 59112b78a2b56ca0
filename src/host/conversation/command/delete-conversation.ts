import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { acceptsMessage, isSettled } from "../../../core/turn/precheck.ts";
import { notStored } from "../../base/store-refusal.ts";
import type { Conversation } from "../queue/conversation.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";

/** A conversation that is to be deleted. What is stored of it may be damaged: then nobody works in it. */
export interface DoomedConversation {
  readonly id: RootId;
  readonly conversation: Conversation | "unreadable";
}

/**
 * Takes a conversation out for good, with the agents that worked for it and everything that is their own: one transaction,
 * then everybody who watches one of them is told once. Refused while a run works.
 */
export function deleteConversations(
  { store, blocks, platform }: Pick<ConversationPorts, "store" | "blocks" | "platform">,
  /** First the agents, then the conversation that they worked for. */
  doomed: readonly DoomedConversation[],
  /** `also` is stored with the deletion; `gone` is called when they are gone, before anybody is told. */
  { also, gone }: { readonly also: readonly StoreWrite[]; readonly gone: () => void },
): Promise<Result<void, Refusal>> {
  const open = doomed.flatMap(({ conversation }) => (conversation === "unreadable" ? [] : [conversation]));
  return alone(open, async () => {
    for (const { runs } of open) {
      const busy = runs.find(({ snapshot }) => !isSettled(snapshot.record.state));
      const refused = busy === undefined ? ok(undefined) : acceptsMessage(busy.snapshot.record.state);
      if (!refused.ok) return refused;
    }
    const at = platform.clock.now();
    const ids = doomed.map(({ id }) => id);
    const removed = await blocks.remove(ids, async (documentOf) => {
      const writes = ids.map((id) => ({ type: "delete-root", rootId: id, documentId: documentOf(id), at }) as const);
      const committed = await store.commit([...writes, ...also]);
      if (committed.ok) return ok(undefined);
      // An agent was set to work, or a file put there, by somebody else meanwhile.
      return err(committed.error.code === "CONFLICT" ? refusal("CONFLICT") : notStored(committed.error));
    });
    if (!removed.ok) return removed;
    gone();
    for (const conversation of open) conversation.gone();
    return removed;
  });
}

/** Runs a job while nothing else happens in any of these conversations. */
function alone(
  [first, ...rest]: readonly Conversation[],
  job: () => Promise<Result<void, Refusal>>,
): Promise<Result<void, Refusal>> {
  return first === undefined ? job() : first.command(() => alone(rest, job));
}
