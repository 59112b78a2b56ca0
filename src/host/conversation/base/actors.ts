import type { Actor, ModelActor, SystemActor } from "../../../core/base/actor.ts";
import type { ActorId, RunId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { Message } from "../../../core/message/types.ts";

/** Heddle itself, where it answers in a tool's place or makes what nobody asked for. */
export const heddle: SystemActor = { type: "system", id: "heddle" as ActorId, name: "Heddle" };

/** A turn as the one who acts in it. */
export interface ActingTurn {
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly model: string;
}

/** The model of a turn as an actor, with the call it acts through where there is one. */
export function modelActor(turn: ActingTurn, models: ModelCatalogue, toolCallId?: ToolCallId): ModelActor {
  const { model, runId, turnId } = turn;
  const name = models.find(model)?.info.name ?? model;
  const actor = { type: "model", id: `model:${model}` as ActorId, name, model, runId, turnId } as const;
  return toolCallId === undefined ? actor : { ...actor, toolCallId };
}

/** Who wrote a message of a turn. */
export function authorOf(message: Message, sender: Actor, turn: ActingTurn, models: ModelCatalogue): Actor {
  switch (message.role) {
    case "user":
      return message.instruction === undefined ? sender : heddle;
    case "system":
      return sender;
    case "assistant":
      return modelActor(turn, models);
    case "tool":
      return message.synthetic === true ? heddle : modelActor(turn, models, message.tool_call_id);
  }
}
