import type { Refusal } from "../../../core/base/errors.ts";
import type { RunId } from "../../../core/base/ids.ts";
import type { Result } from "../../../core/base/result.ts";
import { notRemembered } from "../../base/once.ts";
import type { ConversationJob, OpenedConversations } from "./opened-conversations.ts";
import type { ResolveSettings } from "./resolve-settings.ts";
import type { Runs } from "../base/types.ts";

/** Routes what people ask of runs to the conversation that holds them. */
export class ConversationRuns implements Runs {
  readonly #opened: OpenedConversations;
  readonly #settingsFor: ResolveSettings;

  constructor(opened: OpenedConversations, settingsFor: ResolveSettings) {
    this.#opened = opened;
    this.#settingsFor = settingsFor;
  }

  cancel: Runs["cancel"] = (actor, { runId, reason }, remember = notRemembered) =>
    this.#opened.ofRun(runId, ({ runs }) => runs.cancel(actor, runId, reason, remember));

  retry: Runs["retry"] = async (actor, { runId }, remember = notRemembered) => {
    const settings = await this.#settingsFor({});
    return settings.ok
      ? this.#changing(runId, ({ runs }) => runs.retry(actor, runId, settings.value, remember))
      : settings;
  };

  summarize: Runs["summarize"] = async (actor, { runId }, remember = notRemembered) => {
    const settings = await this.#settingsFor({});
    return settings.ok
      ? this.#changing(runId, ({ runs }) => runs.summarize(actor, runId, settings.value, remember))
      : settings;
  };

  continue: Runs["continue"] = ({ runId }, remember = notRemembered) =>
    this.#changing(runId, ({ runs }) => runs.continueRun(runId, remember));

  answerQuestion: Runs["answerQuestion"] = (actor, answer, remember = notRemembered) =>
    this.#opened.ofRun(answer.runId, ({ runs }) => runs.answerQuestion(actor, answer, remember));

  #changing<Value>(runId: RunId, job: ConversationJob<Value>): Promise<Result<Value, Refusal>> {
    return this.#opened.ofRun(runId, (opened) => this.#opened.changing(opened.conversation.root.id, () => job(opened)));
  }
}
