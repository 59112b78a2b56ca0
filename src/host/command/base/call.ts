import type { PersonActor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { CommandAnswer, CommandName, CommandParams } from "../../../core/protocol/commands.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { Author } from "../../document/record/types.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import type { Grant } from "../../../core/protocol/base/grant.ts";
import type { AuditAct, AuditSource } from "../../access/audit-notes.ts";
import type { Asking, Member } from "../../access/member.ts";
import type { Reach } from "../../access/reach.ts";
import type { Remember } from "../../base/once.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** The caller of a command, with its replica. */
export interface Caller {
  readonly actor: PersonActor;
  /** The namespace of request ids: the page's, or that of all of a person's programs over HTTP. */
  readonly clientId: string;
  /** The agent that the caller's page edits as: undo and redo of its own edits go by it. */
  readonly replica: ReplicaId;
  /** What the caller's token allows; absent for the workspace's own. */
  readonly grant?: Grant | null;
  /** The person with an account who calls; absent where one person owns everything. */
  readonly member?: Member | null;
  /** What a search of theirs looks in, where that is less than what they may know of. */
  readonly within?: Reach | null;
}

/** What a command is performed with, besides its parameters. */
export interface CommandCall<Answer> {
  readonly workspace: Workspace;
  readonly actor: PersonActor;
  /** Returns the caller as the author of one undo unit. */
  readonly author: () => Author;
  /** What the caller may know of; null: everything. */
  readonly reach: Reach | null;
  /** Returns whether the caller may do something else too. */
  readonly may: (access: Access) => Promise<boolean>;
  /** Who calls, for what is decided one by one. */
  readonly asking: Asking;
  /** Returns the writes that record the answer; they belong in the transaction of the command's effect. */
  readonly remember: Remember<Answer>;
  /** Returns the writes that tell the audit log what was done, for the same transaction; none where nobody has an account. */
  readonly noted: (act: AuditAct, through?: AuditSource["through"]) => readonly StoreWrite[];
}

/** How a command is performed. */
type Perform<Name extends CommandName> = (
  call: CommandCall<CommandAnswer<Name>>,
  params: CommandParams<Name>,
) => Promise<Result<CommandAnswer<Name>, Refusal>>;

/** How each of these commands is performed. A missing command is a compile error. */
export type Performs<Names extends CommandName> = { readonly [Name in Names]: Perform<Name> };

/** The answer of a command that returns nothing. */
export function nothing(result: Result<unknown, Refusal>): Result<Record<never, never>, Refusal> {
  return result.ok ? ok({}) : result;
}
