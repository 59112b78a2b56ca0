import type { ActorId, RunId, ToolCallId, TurnId } from "./ids.ts";

/** Who did it: on every mutation, stored with it, shown beside it. */
export type Actor = PersonActor | ModelActor | SystemActor;

/** Somebody at a page or a program, under the name that they gave. */
export interface PersonActor {
  readonly type: "person";
  readonly id: ActorId;
  readonly name: string;
}

/** A model in a run, down to the tool call where it acts by one. */
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

/** Heddle itself, or another program that wrote to a file: nobody who could be asked. */
export interface SystemActor {
  readonly type: "system";
  readonly id: ActorId;
  readonly name: string;
}
