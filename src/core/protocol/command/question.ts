import * as v from "valibot";
import { optionsMax, questionsMax } from "../../tool/ask-user.ts";
import { answerUnitsMax, noteUnitsMax } from "../limits.ts";
import { runId, textUpTo, toolCallId } from "../parts.ts";

const words = v.pipe(
  textUpTo(answerUnitsMax),
  v.check((text) => text.trim() !== "", "a text that is not blank"),
);

const answer = v.object({
  // Every option, and words of one's own.
  chosen: v.pipe(v.array(words), v.minLength(1), v.maxLength(optionsMax + 1)),
  note: v.exactOptional(textUpTo(noteUnitsMax)),
});

export const questionCommands = {
  "question.answer": v.object({
    runId,
    callId: toolCallId,
    answers: v.nullable(v.pipe(v.array(answer), v.minLength(1), v.maxLength(questionsMax))),
  }),
};
