import type { ModelActor, PersonActor } from "../../../core/base/actor.ts";
import { holderOf, type AccessToken } from "../../access/access-tokens.ts";
import type { Member } from "../../access/member.ts";
import type { Reach } from "../../access/reach.ts";
import type { ActorId, BlockId, RootId, RunId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import { outsideRun } from "../../lease/outside-runs.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import type { Right } from "../../../core/rights/token-right.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** Whose rights an outside program uses. */
export interface DoorCaller {
  /** The person that the token belongs to. */
  readonly actor: PersonActor;
  /** The scoped token; null for the workspace's own. */
  readonly token: AccessToken | null;
  /** The person with an account whose token it is; absent where one person owns everything. */
  readonly member?: Member | null;
  /** What they search in, where that is less than what they may know of; absent: all of that. */
  readonly within?: Reach;
  /** Says how to come back with a token that allows these rights; absent where nobody can be asked. */
  readonly stepUp?: (rights: readonly Right[]) => string;
}

/** One call of an outside agent. */
export interface DoorCall {
  /** The door that the call came through. */
  readonly via: "mcp" | "http";
  readonly workspace: Workspace;
  readonly dispatch: Dispatch;
  readonly caller: DoorCaller;
  /** What the caller may know of; null: everything. */
  readonly reach: Reach | null;
  /** The name that the program gives itself: a label, which decides nothing; null without one. */
  readonly client: string | null;
  /** What tells two programs with one token apart. */
  readonly session: string;
  /** The id of the call, for blame. */
  readonly callId: ToolCallId;
  readonly turnId: TurnId;
  readonly signal: AbortSignal;
  /** Returns the names of the people who have a document open; absent where the door does not know. */
  readonly peopleAt?: (blockId: BlockId) => readonly string[];
  /** Reports that the call is still at work. */
  progress(message: string): void;
}

/** Returns the run under which the program acts and holds leases. */
export function runOf({ caller, session }: DoorCall): RunId {
  return outsideRun({ tokenId: tokenIdOf(caller), session });
}

/** Returns the id of the caller's token; the workspace's own has one name. */
export function tokenIdOf({ token }: DoorCaller): string {
  return token?.id ?? "workspace";
}

/** Returns the namespace of the agent's own blocks: that of its token. */
export function rootOfToken(caller: DoorCaller): RootId {
  return `agent_${tokenIdOf(caller)}` as RootId;
}

/** Returns the outside agent as an actor: under the name of its token, or under the name that it gives itself. */
export function agentActor({ via, caller, client, turnId, callId }: DoorCall, runId: RunId): ModelActor {
  const { actor, token } = caller;
  return {
    type: "model",
    id: `agent:${tokenIdOf(caller)}` as ActorId,
    name: token?.name ?? `${client ?? unnamed[via]} (unverified)`,
    model: client ?? "unknown",
    runId,
    turnId,
    toolCallId: callId,
    outside: { via, client, onBehalfOf: actor.name },
  };
}

/** Returns the agent as the author of messages, which it writes in a person's role. */
export function agentPerson({ via, caller, client }: DoorCall): PersonActor {
  if (caller.token !== null) return holderOf(caller.token);
  const name = `${client ?? unnamed[via]} (unverified), for ${caller.actor.name}`;
  return { type: "person", id: "agent_workspace" as ActorId, name };
}

/** What an agent without a name is called. */
const unnamed = { mcp: "An MCP client", http: "A program" } as const;

const labelUnitsMax = 60;

/** Returns a name from outside without what could mislead a reader: control characters, changes of direction, length. */
export function readLabel(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const plain = given.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
  return plain === "" ? null : plain.slice(0, labelUnitsMax);
}
