import type { ToolCallId } from "../../../core/base/ids.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { Clock } from "../../../core/port/platform.ts";
import type { Answer, Question } from "../../../core/turn/state/question.ts";
import type { Activity } from "../base/activities.ts";
import type { Reports } from "../base/conversation-ports.ts";

/** How long a program's question waits for a person before it counts as declined. Milliseconds. */
const answerMs = 10 * 60_000;

interface Asked {
  readonly callId: ToolCallId;
  readonly asker: string;
  readonly questions: NonEmptyArray<Question>;
}

/** The questions that programs ask in the midst of a run's calls: one at a time, and each waits for one answer. */
export class AskingCalls {
  readonly #reports: Pick<Reports, "event">;
  readonly #clock: Clock;
  #open: { readonly callId: ToolCallId; readonly end: (answers: readonly Answer[] | null) => void } | null = null;
  #before: Promise<unknown> = Promise.resolve();

  constructor(reports: Pick<Reports, "event">, clock: Clock) {
    this.#reports = reports;
    this.#clock = clock;
  }

  /** Resolves with a person's answers; null when they decline, do not answer in time, or the call is stopped. */
  ask(activity: Activity, asked: Asked): Promise<readonly Answer[] | null> {
    const answered = this.#before.then(() => this.#ask(activity, asked));
    this.#before = answered;
    return answered;
  }

  /** Ends the open question of a call. */
  answer(callId: ToolCallId, answers: readonly Answer[] | null): void {
    if (this.#open?.callId === callId) this.#open.end(answers);
  }

  #ask(activity: Activity, { callId, ...asked }: Asked): Promise<readonly Answer[] | null> {
    const { signal } = activity.controller;
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const end = (answers: readonly Answer[] | null): void => {
        cancelTimer();
        signal.removeEventListener("abort", onAbort);
        this.#open = null;
        resolve(answers);
      };
      const onAbort = (): void => end(null);
      signal.addEventListener("abort", onAbort, { once: true });
      const cancelTimer = this.#clock.setTimer(answerMs, () =>
        this.#reports.event(activity, { type: "question-answered", callId, answers: null }),
      );
      this.#open = { callId, end };
      this.#reports.event(activity, { type: "question-asked", callId, ...asked });
    });
  }
}
