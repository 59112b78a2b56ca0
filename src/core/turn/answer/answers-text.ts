import type { Answer, Question } from "../state/question.ts";

/**
 * Returns a person's answers as a model reads them: one line `question = answer` each, with the note and the chosen
 * preview.
 */
export function answersText(questions: readonly Question[], answers: readonly Answer[]): string {
  return questions.flatMap((question, index) => linesOf(question, answers[index])).join("\n");
}

function linesOf({ question, options }: Question, answer: Answer | undefined): readonly string[] {
  if (answer === undefined) return [];
  const previews = options.flatMap(({ label, preview }) =>
    preview !== undefined && answer.chosen.includes(label) ? [`preview of ${label}:\n${preview}`] : [],
  );
  return [
    `${question} = ${answer.chosen.join(", ")}`,
    ...(answer.note === undefined || answer.note.trim() === "" ? [] : [`note: ${answer.note.trim()}`]),
    ...previews,
  ];
}
