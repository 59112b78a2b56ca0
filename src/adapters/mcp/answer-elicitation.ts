import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import { formAnswer, formQuestions } from "../../core/turn/answer/elicited-form.ts";
import type { Elicitation, ElicitationAnswer } from "../../core/turn/answer/elicitation.ts";
import type { Answer, Question } from "../../core/turn/state/question.ts";

/** How often a person is asked where their answers do not fit the form. */
const roundsMax = 3;

const opened = "I have done that";

/**
 * Asks a person through `ask`, which resolves to null when they decline. Answers that do not fit the form are asked for again; after
 * the third time the program is told that the person declined.
 */
export async function answerElicitation(
  elicitation: Elicitation,
  ask: (questions: NonEmptyArray<Question>) => Promise<readonly Answer[] | null>,
): Promise<ElicitationAnswer> {
  if (elicitation.type === "url") {
    const { message, url } = elicitation;
    const options = [{ label: opened }, { label: "No" }];
    const answers = await ask([{ question: message, options, multiple: false, url }]);
    return { action: answers?.[0]?.chosen[0] === opened ? "accept" : "decline" };
  }
  let problem: string | null = null;
  for (let round = 0; round < roundsMax; round += 1) {
    const answers = await ask(formQuestions(elicitation.form, problem));
    if (answers === null) return { action: "decline" };
    const answer = formAnswer(elicitation.form, answers);
    if (answer.type === "content") return { action: "accept", content: answer.content };
    if (answer.type === "declined") return { action: "decline" };
    ({ problem } = answer);
  }
  return { action: "decline" };
}
