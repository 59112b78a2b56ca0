import type { Actor } from "../../core/base/actor.ts";
import type { TrashedObject, TrashEntry } from "../../core/forest/trash-entry.ts";
import { pendingEntry, type AuditEntry, type AuditNote } from "../../core/rights/audit.ts";
import { conversationKey, documentKey, workspaceKey, type ObjectKey } from "../../core/rights/object-key.ts";
import type { ApprovalRule } from "../../core/turn/state/approval.ts";

/** Who acts, through which agent's call, and with what they came. */
export type AuditSource = Pick<AuditNote, "actor" | "through" | "credential" | "address">;

/** What was done, and to what. */
export interface AuditAct {
  readonly act: string;
  readonly object: ObjectKey;
  readonly after?: AuditNote["after"];
}

/** An act that was done, as an entry that has no place in the log yet. */
export function noteOf(source: AuditSource, { act, object, after = null }: AuditAct): AuditEntry {
  return pendingEntry({ ...source, act, object, after, outcome: "done" });
}

/** The author of a mutation as who acts. Of an agent it is the model; for whom it acts is known when the entry is stored. */
export function sourceOf(actor: Actor): AuditSource {
  const none = { credential: null, address: null };
  if (actor.type !== "model") return { actor: actor.id, through: null, ...none };
  const { runId, turnId, toolCallId: callId = null } = actor;
  return { actor: actor.id, through: { runId, turnId, callId }, ...none };
}

/** What was done to something in the trash, or on its way into it. */
export function trashAct(done: "deleted" | "restored" | "purged", { id, object }: TrashEntry): AuditAct {
  const [kind, key] = keyOf(object);
  return { act: `${kind}.${done}`, object: key, after: { trashId: id } };
}

/** What a rule for further calls that somebody made allows. */
export function ruleAct(done: "made" | "forgotten", { id, rootId, toolName }: ApprovalRule): AuditAct {
  const object = rootId === null ? workspaceKey : conversationKey(rootId);
  return { act: `approval-rule.${done}`, object, after: { ruleId: id, tool: toolName } };
}

function keyOf(object: TrashedObject): readonly [kind: string, key: ObjectKey] {
  switch (object.type) {
    case "canvas":
    case "file":
      return ["document", documentKey(object.blockId)];
    case "block":
      return ["block", documentKey(object.blockId)];
    case "thread":
      return ["comments", documentKey(object.of)];
    case "conversation":
      return ["conversation", conversationKey(object.rootId)];
    case "branch":
      return ["messages", conversationKey(object.rootId)];
  }
}
