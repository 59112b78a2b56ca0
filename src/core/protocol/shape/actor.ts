import * as v from "valibot";
import type { Actor, ModelActor, PersonActor } from "../../base/actor.ts";
import type { ActorId, RunId, ToolCallId, TurnId } from "../../base/ids.ts";
import { shown, madeId } from "../base/parts.ts";

const actorId = madeId<ActorId>("person_1");
const name = v.pipe(v.string(), v.examples(["Ada"]));

const model = v.object({
  type: v.literal("model"),
  id: actorId,
  name,
  model: shown("openai/gpt-4o"),
  runId: madeId<RunId>("run_01"),
  turnId: madeId<TurnId>("turn_01"),
  toolCallId: v.exactOptional(madeId<ToolCallId>("toolu_01")),
  outside: v.exactOptional(
    v.object({
      via: v.picklist(["mcp", "acp", "http"]),
      client: v.nullable(shown("claude-code 2.1")),
      onBehalfOf: name,
    }),
  ),
});

/** A model in a run, as an answer has it. */
export const modelActor: v.GenericSchema<unknown, ModelActor> = model;

const person = v.object({ type: v.literal("person"), id: actorId, name });

/** A person or a model in a run: who suggests something. */
export const suggestionAuthor: v.GenericSchema<unknown, ModelActor | PersonActor> = v.variant("type", [person, model]);

/** A person, a model or the system, as an answer has it. */
export const actor: v.GenericSchema<unknown, Actor> = v.variant("type", [
  person,
  model,
  v.object({ type: v.literal("system"), id: actorId, name }),
]);
