import type { PersonActor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { CommandName } from "../../../core/protocol/commands.ts";
import type { ReadCommand } from "../../../core/protocol/read-command.ts";
import { noteOf, type AuditSource } from "../../access/audit-notes.ts";
import { chainOf } from "../../access/chains.ts";
import type { Asking, Member } from "../../access/member.ts";
import { notStored } from "../../base/store-refusal.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { CommandCall } from "./call.ts";
import { accessOf } from "./questions.ts";

/** What the audit log of a team calls what these commands do, also where they are refused. */
const acts: { readonly [Name in CommandName]?: string } = {
  "block.delete": "document.deleted",
  "file.delete": "document.deleted",
  "comment.delete": "comments.deleted",
  "message.delete": "messages.deleted",
  "conversation.delete": "conversation.deleted",
  "trash.restore": "trash.restored",
  "trash.purge": "trash.purged",
  "folder.remove": "folder.removed",
  "canvas.arrange": "document.moved",
  "canvas.move-folder": "folder.moved",
  "file.move": "document.moved",
  "comment.export": "export.document",
  "conversation.trace": "export.trace",
  "approval.answer": "approval.answered",
  "approval.forget": "approval-rule.forgotten",
};

/** Returns the writes that tell the audit log what somebody did; none where nobody has an account. */
export function notedBy(
  { team }: Pick<Workspace, "team">,
  actor: PersonActor,
  member: Member | null,
): CommandCall<object>["noted"] {
  if (team === null || member === null) return () => [];
  const source = sourceOfMember(actor, member);
  return (act, through = null) => [{ type: "append-audit", entry: noteOf({ ...source, through }, act) }];
}

/** Who asks, and with what they came. */
function sourceOfMember({ id }: Pick<PersonActor, "id">, member: Member | null): AuditSource {
  const { credential = null, network = null } = member ?? {};
  return { actor: member?.id ?? id, through: null, credential, address: network };
}

/** Tells the audit log of what changes nothing, before it is answered: no export leaves without its entry. */
export async function tellNow(
  { store }: Pick<Workspace, "store">,
  noted: readonly StoreWrite[],
): Promise<Result<void, Refusal>> {
  const told = noted.length === 0 ? ok(undefined) : await store.commit(noted);
  return told.ok ? ok(undefined) : err(notStored(told.error));
}

/** Adds an entry for what somebody may see and may not do. What they may not know of leaves none, as what does not exist. */
export async function noteRefusal(
  workspace: Workspace,
  command: ReadCommand,
  { actor, asking, lacks }: { readonly actor: PersonActor; readonly asking: Asking; readonly lacks: Refusal },
): Promise<void> {
  const { team } = workspace;
  const act = acts[command.name];
  if (team === null || act === undefined || lacks.code !== "FORBIDDEN") return;
  const chain = await chainOf(accessOf(command)[1], workspace);
  const { through: _through, ...source } = sourceOfMember(actor, asking.member ?? null);
  await team.record({ ...source, act, object: chain?.[0] ?? "workspace", outcome: "refused" });
}
