import type { Refusal } from "../../core/base/errors.ts";
import type { RequestId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import { serverLimits } from "./server-limits.ts";

type Answer = Promise<Result<unknown, Refusal>>;

/**
 * Carries a command that changes something out once, though it may come again after a cut: the answer is kept under the client's and the
 * request's id, also while it is still being found. The oldest are forgotten first.
 */
export class Answers {
  readonly #byRequest = new Map<string, Answer>();

  once(clientId: string, requestId: RequestId, carryOut: () => Answer): Answer {
    const key = `${clientId} ${requestId}`;
    const known = this.#byRequest.get(key);
    if (known !== undefined) return known;
    const answer = carryOut();
    this.#byRequest.set(key, answer);
    if (this.#byRequest.size > serverLimits.answersKept) {
      const oldest = this.#byRequest.keys().next();
      if (oldest.done !== true) this.#byRequest.delete(oldest.value);
    }
    // What failed for a reason that passes may be asked again.
    const forgetFailed = (): void => {
      if (this.#byRequest.get(key) === answer) this.#byRequest.delete(key);
    };
    answer.then((result) => {
      if (!result.ok) forgetFailed();
    }, forgetFailed);
    return answer;
  }
}
