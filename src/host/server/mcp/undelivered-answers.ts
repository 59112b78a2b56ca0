import type { ServerResponse } from "node:http";
import type { Clock } from "../../../core/port/platform.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";

/** How long an answer that reached nobody is kept. Milliseconds. */
const keptMs = 60_000;
const keptMax = 1_000;

/**
 * Answers of calls that changed something and whose connection closed before they were sent: the same request, sent once more by the
 * program or by what is between, is answered with them. In memory: after a restart a program asks what became of its call.
 */
export class UndeliveredAnswers {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #byKey = new Map<string, { readonly answer: Promise<ToolAnswer>; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Performs a call, unless the answer of the same request was not delivered; `response` is where this answer goes. */
  run(key: string, response: ServerResponse, perform: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    this.#dropOld();
    const earlier = this.#byKey.get(key)?.answer;
    // It is given once: what comes after an answer is a call of its own.
    this.#byKey.delete(key);
    // What was refused or stopped changed nothing.
    const answer = earlier === undefined ? perform() : earlier.then((each) => (each.ok ? each : perform()), perform);
    const keep = (): void => {
      if (!response.writableFinished) this.#keep(key, answer);
    };
    if (response.destroyed) keep();
    else response.once("close", keep);
    return answer;
  }

  #keep(key: string, answer: Promise<ToolAnswer>): void {
    answer.catch(() => undefined);
    this.#dropOld();
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size >= keptMax && oldest !== undefined) this.#byKey.delete(oldest);
    this.#byKey.set(key, { answer, until: this.#clock.monotonic() + keptMs });
  }

  #dropOld(): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#byKey) {
      if (until > now) return;
      this.#byKey.delete(key);
    }
  }
}
