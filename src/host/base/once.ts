import { sha256Hex } from "../../core/base/hash.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RequestId, RootId } from "../../core/base/ids.ts";
import { canonicalJson, type JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { RequestRecord, Store, StoreWrite } from "../../core/port/store.ts";

/**
 * Gives the writes that record a request's answer. They belong into the transaction of its effect, so that after a crash
 * the record is there exactly when the effect is. `rootId`: the conversation with which the record is deleted, which every
 * answer names that has an id of the conversation, or of a message, a run or a turn in it.
 */
export type Remember<Answer> = (answer: Answer, rootId: RootId | null) => readonly StoreWrite[];

/** For work that no request asked for. */
export const notRemembered: Remember<unknown> = () => [];

/** A request under the id that its client gave it. */
export interface NamedRequest {
  /** See `clientKey`. */
  readonly clientId: string;
  readonly requestId: RequestId;
  /** The name and the parameters of what is asked; JSON. */
  readonly asked: object;
}

/** How long the record of a request is kept: longer than any client repeats a request. Milliseconds. */
export const requestsKeptMs = 7 * 24 * 60 * 60 * 1000;

interface UnderWay {
  readonly paramsHash: string;
  readonly answer: Promise<Result<object, Refusal>>;
}

/**
 * Carries out a request once, however often it comes: again after its answer, again while it is carried out, again after a
 * crash. The repeat gets the first answer; the id with other parameters is refused. A refusal is not recorded: the same
 * request may succeed later.
 */
export class Once {
  readonly #store: Pick<Store, "commit" | "request">;
  readonly #platform: Pick<Platform, "clock" | "logger">;
  readonly #underWayByKey = new Map<string, UnderWay>();

  constructor(store: Pick<Store, "commit" | "request">, platform: Pick<Platform, "clock" | "logger">) {
    this.#store = store;
    this.#platform = platform;
  }

  /** Carries out `work`, or answers as it was answered before. null: the client gave no id, so it is simply done. */
  run<Answer extends object>(
    request: NamedRequest | null,
    work: (remember: Remember<Answer>) => Promise<Result<Answer, Refusal>>,
  ): Promise<Result<Answer, Refusal>> {
    if (request === null) return work(notRemembered);
    const { clientId, requestId } = request;
    const key = `${clientId}/${requestId}`;
    // The id is in what is hashed, so that equal parameters (a provider's key, say) cannot be recognised by their hash.
    const paramsHash = sha256Hex(canonicalJson({ clientId, requestId, asked: request.asked }));
    const underWay = this.#underWayByKey.get(key);
    if (underWay !== undefined) {
      // Of the same parameters, so of the same command: its answer is of the same type.
      return underWay.paramsHash === paramsHash
        ? (underWay.answer as Promise<Result<Answer, Refusal>>)
        : Promise.resolve(err(reused(requestId)));
    }
    const answer = this.#carryOut({ clientId, requestId, paramsHash }, work);
    this.#underWayByKey.set(key, { paramsHash, answer });
    const over = (): boolean => this.#underWayByKey.delete(key);
    answer.then(over, over);
    return answer;
  }

  async #carryOut<Answer extends object>(
    request: Pick<RequestRecord, "clientId" | "requestId" | "paramsHash">,
    work: (remember: Remember<Answer>) => Promise<Result<Answer, Refusal>>,
  ): Promise<Result<Answer, Refusal>> {
    const { clientId, requestId, paramsHash } = request;
    const before = await this.#store.request(clientId, requestId);
    if (before !== null) {
      return before.paramsHash === paramsHash ? ok(before.answer as Answer) : err(reused(requestId));
    }
    let about: RootId | null = null;
    const remember: Remember<Answer> = (answer, rootId) => {
      about = rootId;
      const at = this.#platform.clock.now();
      return [{ type: "put-request", request: { ...request, answer: answer as JsonObject, rootId, at } }];
    };
    const done = await work(remember);
    if (!done.ok) return done;
    // What has its effect outside the store, or found nothing to change, made no transaction that the record could join.
    if ((await this.#store.request(clientId, requestId)) === null) await this.#record(remember(done.value, about));
    return done;
  }

  /** The request is answered though its record cannot be stored: its effect is there. */
  async #record(writes: readonly StoreWrite[]): Promise<void> {
    try {
      const stored = await this.#store.commit(writes);
      if (!stored.ok) this.#platform.logger.warn("request-not-recorded", { code: stored.error.code });
    } catch (problem) {
      this.#platform.logger.warn("request-not-recorded", { reason: reasonOf(problem) });
    }
  }
}

function reused(requestId: RequestId): Refusal {
  return refusal("REQUEST_ID_REUSED", { request_id: requestId });
}
