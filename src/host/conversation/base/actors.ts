import type { Actor, ModelActor, SystemActor } from "../../../core/base/actor.ts";
import type { ActorId, RunId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { Message } from "../../../core/message/types.ts";

/** Heddle itself: the actor of results it writes for a tool and of changes nobody requested. */
export const systemActor: SystemActor = { type: "system", id: "heddle" as ActorId, name: "Heddle" };

/** The parts of a turn that identify the model acting in it. */
export interface ActingTurn {
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly model: string;
}

/** Returns the model of a turn as an actor, with the tool call it acts through if there is one. */
export function modelActor(turn: ActingTurn, models: ModelCatalogue, toolCallId?: ToolCallId): ModelActor {
  const { model, runId, turnId } = turn;
  const name = models.find(model)?.info.name ?? model;
  const actor = { type: "model", id: `model:${model}` as ActorId, name, model, runId, turnId } as const;
  return toolCallId === undefined ? actor : { ...actor, toolCallId };
}

/** Returns the author of a message in a turn. */
export function authorOf(message: Message, sender: Actor, turn: ActingTurn, models: ModelCatalogue): Actor {
  switch (message.role) {
    case "user":
      return message.instruction === undefined ? sender : systemActor;
    case "system":
      return sender;
    case "assistant":
      return modelActor(turn, models);
    case "tool":
      return message.synthetic === true ? systemActor : modelActor(turn, models, message.tool_call_id);
  }
}
