import * as v from "valibot";
import type { RunStatus } from "../../turn/state/feed.ts";
import type { TurnState } from "../../turn/state/state.ts";
import type { UserMessage } from "../../message/types.ts";
import type { WaitingMessage } from "../../turn/state/waiting.ts";
import { shown, described, jsonObject, time } from "../base/parts.ts";
import { actor } from "./actor.ts";
import { madeBlockId, madeNodeId, madeRunId, madeTurnId } from "./forest.ts";

/** core/turn/SPEC.md describes the fields of each state; readers distinguish states by type. */
const state = v.pipe(
  v.looseObject({ type: v.pipe(v.string(), v.examples(["idle"])) }),
  v.description("The state of the turn machine; each type has fields of its own."),
  v.transform((value) => value as unknown as TurnState),
);

/** The status of a run. */
export const runStatus: v.GenericSchema<unknown, RunStatus> = v.object({
  type: v.literal("run-changed"),
  runId: madeRunId,
  headNodeId: described(v.nullable(madeNodeId), "The last message of its branch."),
  turnId: v.nullable(madeTurnId),
  state,
  since: time,
  contextUsed: described(v.nullable(v.number()), "The used share of the model's context, from 0."),
  model: shown("openai/gpt-4o"),
  queued: described(v.boolean(), "Whether a message waits that is sent by itself."),
  liveBlocks: described(v.array(madeBlockId), "The blocks of the current reply."),
});

/** A message that waits for a run. */
export const waitingMessage: v.GenericSchema<unknown, WaitingMessage> = v.object({
  id: described(madeNodeId, "The id that its node will have."),
  runId: madeRunId,
  place: v.number(),
  version: described(v.number(), "Rises with each change; a change names the version it was made on."),
  state: described(
    v.picklist(["waiting", "held"]),
    "`held`: not sent by itself, after a stop, an error or while edited.",
  ),
  deliver: v.picklist(["steer", "queue"]),
  message: v.pipe(
    v.looseObject({ role: v.literal("user") }),
    v.transform((value) => value as unknown as UserMessage),
  ),
  actor,
  settings: v.exactOptional(
    v.object({
      model: v.exactOptional(v.string()),
      maxTokens: v.exactOptional(v.number()),
      temperature: v.exactOptional(v.number()),
      outputSchema: v.exactOptional(jsonObject),
      completions: v.exactOptional(v.number()),
    }),
  ),
  at: time,
});
