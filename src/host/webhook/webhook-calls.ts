import { createHmac } from "node:crypto";
import type { JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { WebhookSender } from "../../core/port/webhook-sender.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { afterAttempt, type WebhookCall } from "./next-attempt.ts";

/** How many calls the log of a webhook keeps; the oldest leave, those that are done first. */
const callsMax = 100;
const timerMsMax = 60 * 60 * 1000;

export interface CallsPorts {
  readonly store: Store;
  readonly platform: Platform;
  readonly sender: WebhookSender;
}

/**
 * The calls of one webhook. A call is stored before it is sent, so that one that waits is sent after a restart too: at least once, under
 * one id. One is sent at a time, oldest first; one that failed lets the others pass until it is due again.
 */
export class WebhookCalls {
  readonly #ports: CallsPorts;
  readonly #hook: { readonly id: string; readonly url: string; readonly secret: () => string | null };
  readonly #onGone: () => void;
  readonly #queue = new SerialQueue();
  readonly #closing = new AbortController();
  #calls: readonly WebhookCall[];
  #cancelTimer: () => void = () => {};
  #isSending = false;
  #isErased = false;

  constructor(
    ports: CallsPorts,
    hook: {
      readonly id: string;
      readonly url: string;
      readonly secret: () => string | null;
      readonly calls: readonly WebhookCall[];
      readonly onGone: () => void;
    },
  ) {
    this.#ports = ports;
    this.#hook = hook;
    this.#calls = hook.calls;
    this.#onGone = hook.onGone;
    void this.#send();
  }

  /** The log, newest first. */
  get log(): readonly WebhookCall[] {
    return this.#calls.toReversed();
  }

  async add(call: WebhookCall): Promise<void> {
    await this.#change((calls) => kept([...calls, call]));
    void this.#send();
  }

  /** Makes a call due now; false if there is none. */
  async retry(id: string): Promise<boolean> {
    if (!this.#calls.some((call) => call.id === id)) return false;
    const now = this.#ports.platform.clock.now();
    const again = (call: WebhookCall): WebhookCall =>
      call.id === id ? { ...call, state: "waiting", attempts: 0, nextAt: now } : call;
    await this.#change((calls) => calls.map(again));
    void this.#send();
    return true;
  }

  /** Drops the calls about what was deleted for good: they hold its title. */
  forget(ids: ReadonlySet<string>): Promise<void> {
    if (!this.#calls.some((call) => isAbout(call, ids))) return Promise.resolve();
    return this.#change((calls) => calls.filter((call) => !isAbout(call, ids)));
  }

  /** Ends; what waits is sent after the next start. */
  close(): void {
    this.#cancelTimer();
    this.#closing.abort();
  }

  /** Ends, and empties the stored log, also of what a call under way has just written there. */
  async erase(): Promise<void> {
    this.close();
    await this.#queue.run(async () => {
      this.#isErased = true;
      this.#calls = [];
      await this.#store({});
    });
  }

  async #send(): Promise<void> {
    if (this.#isSending || this.#closing.signal.aborted) return;
    const { clock } = this.#ports.platform;
    this.#cancelTimer();
    const waiting = this.#calls.filter(({ nextAt }) => nextAt !== null);
    const due = waiting.find(({ nextAt }) => (nextAt ?? 0) <= clock.now());
    if (due === undefined) {
      const next = Math.min(...waiting.map(({ nextAt }) => nextAt ?? Infinity));
      if (next !== Infinity) {
        this.#cancelTimer = clock.setTimer(Math.min(timerMsMax, next - clock.now()), () => void this.#send());
      }
      return;
    }
    const secret = this.#hook.secret();
    if (secret === null) return;
    this.#isSending = true;
    const outcome = await this.#ports.sender.post(
      { url: this.#hook.url, headers: signedHeaders(due, secret, clock.now()), body: due.body },
      this.#closing.signal,
    );
    this.#isSending = false;
    // A call that the end of the server cut off is sent again.
    if (this.#closing.signal.aborted) return;
    const { call: tried, isGone } = afterAttempt(due, outcome, clock.now());
    await this.#change((calls) => calls.map((call) => (call.id === tried.id ? tried : call)));
    if (isGone) this.#onGone();
    else void this.#send();
  }

  #change(change: (calls: readonly WebhookCall[]) => readonly WebhookCall[]): Promise<void> {
    return this.#queue.run(async () => {
      if (this.#isErased) return;
      this.#calls = change(this.#calls);
      await this.#store(JSON.parse(JSON.stringify({ calls: this.#calls })));
    });
  }

  /** Calls go on from memory while the store is away; the next change stores them all. */
  async #store(value: JsonObject): Promise<void> {
    const { store, platform } = this.#ports;
    const key = metaKeys.webhookCalls(this.#hook.id);
    const problem = await store.commit([{ type: "put-meta", key, value }]).then(
      (stored) => (stored.ok ? null : stored.error.code),
      (thrown: unknown) => reasonOf(thrown),
    );
    if (problem !== null) platform.logger.warn("webhook-log-not-stored", { hook: this.#hook.id, problem });
  }
}

/** Returns the headers of Standard Webhooks: an id for all attempts, and a signature over id, time and body. */
function signedHeaders({ id, body }: Pick<WebhookCall, "id" | "body">, secret: string, now: number) {
  const seconds = Math.floor(now / 1000);
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": "Heddle",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  };
}

function isAbout({ body }: WebhookCall, ids: ReadonlySet<string>): boolean {
  const { data = {} } = JSON.parse(body) as { readonly data?: JsonObject };
  return [data["conversation_id"], data["document_id"]].some((id) => typeof id === "string" && ids.has(id));
}

function kept(calls: readonly WebhookCall[]): readonly WebhookCall[] {
  if (calls.length <= callsMax) return calls;
  const oldest = calls.find(({ nextAt }) => nextAt === null) ?? calls[0];
  return calls.filter((call) => call !== oldest);
}
