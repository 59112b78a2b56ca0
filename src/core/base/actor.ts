import type { ActorId, RunId, ToolCallId, TurnId } from "./ids.ts";

/** The author of a mutation; stored with every mutation and shown beside it. */
export type Actor = PersonActor | ModelActor | SystemActor;

/** A person at a page, or a program, under the name they gave. */
export interface PersonActor {
  readonly type: "person";
  readonly id: ActorId;
  readonly name: string;
}

/** A model in a run, with the tool call through which it acts, if any. */
export interface ModelActor {
  readonly type: "model";
  readonly id: ActorId;
  /** Shown name, such as `scribe` or a model's name. */
  readonly name: string;
  readonly model: string;
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly toolCallId?: ToolCallId;
  /** The program that the model works in; absent for a run of Heddle's own. */
  readonly outside?: OutsideProgram;
}

/** The program of an agent that joins from outside. */
interface OutsideProgram {
  /** The protocol by which it joins. */
  readonly via: "mcp" | "acp" | "http";
  /** The name that the program gives itself: a label, which decides nothing; null without one. */
  readonly client: string | null;
  /** The name of the person whose rights it uses. */
  readonly onBehalfOf: string;
}

/** Heddle itself, or another program that wrote to a file: no one to ask. */
export interface SystemActor {
  readonly type: "system";
  readonly id: ActorId;
  readonly name: string;
}
