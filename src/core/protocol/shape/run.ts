import * as v from "valibot";
import type { RunStatus } from "../../turn/state/feed.ts";
import type { TurnState } from "../../turn/state/state.ts";
import { shown, described, time } from "../base/parts.ts";
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
  queued: described(v.boolean(), "Whether a message waits."),
  liveBlocks: described(v.array(madeBlockId), "The blocks of the current reply."),
});
