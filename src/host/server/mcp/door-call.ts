import type { ModelActor, PersonActor } from "../../../core/base/actor.ts";
import type { ActorId, RootId, RunId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import { outsideRun } from "../../lease/outside-runs.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** Whose rights an outside program uses. */
export interface DoorCaller {
  /** The person that the token belongs to. */
  readonly actor: PersonActor;
  readonly tokenId: string;
  /** The name that a person gave the token; null for the workspace's own. */
  readonly tokenName: string | null;
}

/** One call of an outside agent. */
export interface DoorCall {
  readonly workspace: Workspace;
  readonly dispatch: Dispatch;
  readonly caller: DoorCaller;
  /** The name that the program gives itself: a label, which decides nothing; null without one. */
  readonly client: string | null;
  /** What tells two programs with one token apart. */
  readonly session: string;
  /** The id of the call, for blame. */
  readonly callId: ToolCallId;
  readonly turnId: TurnId;
  readonly signal: AbortSignal;
  /** Reports that the call is still at work. */
  progress(message: string): void;
}

/** Returns the run under which the program acts and holds leases. */
export function runOf({ caller: { tokenId }, session }: DoorCall): RunId {
  return outsideRun({ tokenId, session });
}

/** Returns the namespace of the agent's own blocks: that of its token. */
export function rootOfToken({ tokenId }: DoorCaller): RootId {
  return `agent_${tokenId}` as RootId;
}

/** Returns the outside agent as an actor: under the name of its token, or under the name that it gives itself. */
export function agentActor({ caller, client, turnId, callId }: DoorCall, runId: RunId): ModelActor {
  const { actor, tokenId, tokenName } = caller;
  return {
    type: "model",
    id: `agent:${tokenId}` as ActorId,
    name: tokenName ?? `${client ?? "An MCP client"} (unverified)`,
    model: client ?? "unknown",
    runId,
    turnId,
    toolCallId: callId,
    outside: { via: "mcp", client, onBehalfOf: actor.name },
  };
}

/** Returns the agent as the author of messages, which it writes in a person's role. */
export function agentPerson(call: DoorCall): PersonActor {
  const { caller, client } = call;
  const name = caller.tokenName ?? `${client ?? "An MCP client"} (unverified)`;
  return { type: "person", id: `agent_${caller.tokenId}` as ActorId, name: `${name}, for ${caller.actor.name}` };
}

const labelUnitsMax = 60;

/** Returns a name from outside without what could mislead a reader: control characters, changes of direction, length. */
export function readLabel(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const plain = given.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
  return plain === "" ? null : plain.slice(0, labelUnitsMax);
}
