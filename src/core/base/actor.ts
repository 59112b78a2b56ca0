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
}

/** Heddle itself, or another program that wrote to a file: no one to ask. */
export interface SystemActor {
  readonly type: "system";
  readonly id: ActorId;
  readonly name: string;
}
