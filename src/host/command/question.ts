import type { questionCommands } from "../../core/protocol/command/question.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performQuestion: Performs<keyof typeof questionCommands> = {
  "question.answer": async ({ workspace, actor, remember }, params) =>
    nothing(await workspace.conversations.runs.answerQuestion(actor, params, remember)),
};
