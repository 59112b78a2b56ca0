import * as v from "valibot";
import { fieldOptionsMax, formFieldsMax } from "../../turn/answer/elicited-form.ts";
import { onRun } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { answerUnitsMax, noteUnitsMax } from "../base/limits.ts";
import { described, nothing, runId, textUpTo, toolCallId } from "../base/parts.ts";

const words = v.pipe(
  textUpTo(answerUnitsMax),
  v.check((text) => text.trim() !== "", "a text that is not blank"),
  v.examples(["The second one"]),
);

const answer = v.object({
  // Every option, and the person's own words.
  chosen: v.pipe(
    v.array(words),
    v.maxLength(fieldOptionsMax + 1),
    v.description("Labels of options, or the person's own words; empty only for an optional question."),
  ),
  note: v.exactOptional(textUpTo(noteUnitsMax)),
});

export const questionCommands = {
  "question.answer": command({
    description: "Answers or declines the questions that an agent asks.",
    params: v.object({
      runId,
      callId: described(toolCallId, "The call, as in the run's state `awaiting-answer`."),
      answers: described(
        v.nullable(v.pipe(v.array(answer), v.minLength(1), v.maxLength(formFieldsMax))),
        "One answer per question, in their order; null declines.",
      ),
    }),
    access: onRun("conversation.approve"),
    answer: nothing,
    refusals: ["RUN_NOT_FOUND", "QUESTION_CLOSED", "INVALID_PARAMS"],
  }),
};
