import { sha256Hex } from "../../core/base/hash.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RequestId, RootId } from "../../core/base/ids.ts";
import { canonicalJson, type JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { RequestRecord, Store, StoreWrite } from "../../core/port/store.ts";

/**
 * Returns the writes that record a request's answer. They belong in the transaction of its effect, so that after a
 * crash the record exists exactly if the effect does. `rootId` is the conversation whose deletion deletes the record;
 * every answer with an id of a conversation, or of a message, a run or a turn in it, must name it.
 */
export type Remember<Answer> = (answer: Answer, rootId: RootId | null) => readonly StoreWrite[];

/** For work that no request asked for. */
export const notRemembered: Remember<unknown> = () => [];

/** A request with the id that its client gave it. */
export interface NamedRequest {
  /** See `requestsKey`. */
  readonly clientId: string;
  readonly requestId: RequestId;
  /** The command and its parameters; JSON. */
  readonly asked: object;
}

/** How long the record of a request is stored: longer than any client repeats a request. Milliseconds. */
export const requestsKeptMs = 7 * 24 * 60 * 60 * 1000;

interface UnderWay {
  readonly paramsHash: string;
  readonly answer: Promise<Result<object, Refusal>>;
}

/**
 * Runs a request once, however often it is repeated: after its answer, while it runs, or after a crash. A repeat gets
 * the first answer; the id with other parameters is refused. A refusal is not recorded: the same request may succeed
 * later.
 */
export class Once {
  readonly #store: Pick<Store, "commit" | "request">;
  readonly #platform: Pick<Platform, "clock" | "logger">;
  readonly #underWayByKey = new Map<string, UnderWay>();

  constructor(store: Pick<Store, "commit" | "request">, platform: Pick<Platform, "clock" | "logger">) {
    this.#store = store;
    this.#platform = platform;
  }

  /** Runs `work`, or returns the recorded answer. null: the client gave no id, so the work simply runs. */
  run<Answer extends object>(
    request: NamedRequest | null,
    work: (remember: Remember<Answer>) => Promise<Result<Answer, Refusal>>,
  ): Promise<Result<Answer, Refusal>> {
    if (request === null) return work(notRemembered);
    const { clientId, requestId } = request;
    const key = keyOf(request);
    const paramsHash = paramsHashOf(request);
    const underWay = this.#underWayByKey.get(key);
    if (underWay !== undefined) {
      // Equal hashes mean the same command, so the recorded answer has its type.
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

  /**
   * Returns the answer of an equal request that was carried out or is under way; null if there is none. For a repeat
   * whose object no longer is where the first request found it.
   */
  async answered(request: NamedRequest): Promise<Result<object, Refusal> | null> {
    const paramsHash = paramsHashOf(request);
    const underWay = this.#underWayByKey.get(keyOf(request));
    if (underWay !== undefined) return underWay.paramsHash === paramsHash ? underWay.answer : null;
    const before = await this.#store.request(request.clientId, request.requestId);
    return before?.paramsHash === paramsHash ? ok(before.answer) : null;
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
    // An effect outside the store, or a request that changed nothing, has no transaction for the record to join.
    if ((await this.#store.request(clientId, requestId)) === null) await this.#record(remember(done.value, about));
    return done;
  }

  /** Records a request after its effect; a failure does not matter to the answer, because the effect exists. */
  async #record(writes: readonly StoreWrite[]): Promise<void> {
    try {
      const stored = await this.#store.commit(writes);
      if (!stored.ok) this.#platform.logger.warn("request-not-recorded", { code: stored.error.code });
    } catch (problem) {
      this.#platform.logger.warn("request-not-recorded", { reason: reasonOf(problem) });
    }
  }
}

function keyOf({ clientId, requestId }: NamedRequest): string {
  return `${clientId}/${requestId}`;
}

/** The hash includes the id, so that equal parameters (such as a provider's key) cannot be recognised by their hash. */
function paramsHashOf({ clientId, requestId, asked }: NamedRequest): string {
  return sha256Hex(canonicalJson({ clientId, requestId, asked }));
}

function reused(requestId: RequestId): Refusal {
  return refusal("REQUEST_ID_REUSED", { request_id: requestId });
}
