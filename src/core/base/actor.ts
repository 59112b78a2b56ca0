import type { ActorId, RunId, ToolCallId, TurnId } from "./ids.ts";

/** Who did it: on every mutation, stored with it, shown beside it. */
export type Actor = PersonActor | ModelActor | SystemActor;

export interface PersonActor {
  readonly type: "person";
  readonly id: ActorId;
  readonly name: string;
}

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

export interface SystemActor {
  readonly type: "system";
  readonly id: ActorId;
  readonly name: string;
}
