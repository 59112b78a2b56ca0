import * as v from "valibot";
import type { PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { timeSortedId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { CommandAnswer, CommandParams } from "../../core/protocol/commands.ts";
import { webhookEvents, type SentEvent } from "../../core/protocol/command/webhook.ts";
import { metaKeys } from "../base/meta-keys.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import type { Remember } from "../base/once.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { notStored } from "../base/store-refusal.ts";

import type { WebhookCall } from "./next-attempt.ts";
import { watchEvents, type EventSources, type HappenedEvent } from "./watch-events.ts";
import { WebhookCalls, type CallsPorts } from "./webhook-calls.ts";

const stored = v.object({
  id: v.string(),
  url: v.string(),
  events: v.array(v.picklist(webhookEvents)),
  createdAt: v.number(),
  createdBy: v.string(),
  isGone: v.boolean(),
});
type Webhook = Readonly<v.InferOutput<typeof stored>>;
const storedList = v.object({ webhooks: v.array(v.unknown()) });
const storedCalls = v.object({ calls: v.array(v.record(v.string(), v.unknown())) });

const webhooksMax = 50;

interface WebhookPorts extends CallsPorts, EventSources {
  readonly sealed: SealedValues;
}

/** The webhooks of a workspace. Without any, nothing is watched. */
export class Webhooks {
  readonly #ports: WebhookPorts;
  readonly #queue = new SerialQueue();
  readonly #callsById = new Map<string, WebhookCalls>();
  #hooks: readonly Webhook[] = [];
  #stopWatching: (() => void) | null = null;

  /** Opens the webhooks and sends what waits since the last stop. */
  static async open(ports: WebhookPorts): Promise<Webhooks> {
    const read = v.safeParse(storedList, (await ports.store.meta(metaKeys.webhooks)) ?? {});
    const rows = read.success ? read.output.webhooks : [];
    const hooks = rows.flatMap((row) => {
      const hook = v.safeParse(stored, row);
      return hook.success ? [hook.output] : [];
    });
    const webhooks = new Webhooks(ports);
    for (const hook of hooks) {
      const log = v.safeParse(storedCalls, (await ports.store.meta(metaKeys.webhookCalls(hook.id))) ?? {});
      webhooks.#begin(hook, log.success ? (log.output.calls as unknown as WebhookCall[]) : []);
    }
    webhooks.#hooks = hooks;
    webhooks.#watch();
    return webhooks;
  }

  private constructor(ports: WebhookPorts) {
    this.#ports = ports;
  }

  list(): CommandAnswer<"webhook.list">["webhooks"] {
    return this.#hooks.map(({ id, url, events, createdAt, createdBy, isGone }) => ({
      webhookId: id,
      url,
      events,
      createdAt,
      createdBy,
      off: isGone ? "gone" : this.#ports.sealed.get(sealedName(id), url) === null ? "no-secret" : null,
    }));
  }

  create(
    by: PersonActor,
    { url, events, secret }: CommandParams<"webhook.create">,
    remember: Remember<{ readonly webhookId: string }>,
  ): Promise<Result<{ readonly webhookId: string }, Refusal>> {
    return this.#queue.run(async () => {
      const { platform, sender, sealed } = this.#ports;
      const refused = sender.refusedAddress(url);
      if (refused !== null) return err(refusal("INVALID_PARAMS", { url }, `No webhook was made. ${refused}`));
      if (this.#hooks.length >= webhooksMax) {
        const message = `No webhook was made: there are ${webhooksMax} already. Delete some.`;
        return err(refusal("INVALID_PARAMS", { webhooks_max: webhooksMax }, message));
      }
      const { clock, random } = platform;
      const id = timeSortedId("hook", clock.now(), random.bytes(12));
      const hook = { id, url, events: [...new Set(events)], createdAt: clock.now(), createdBy: by.name, isGone: false };
      const kept = await sealed.set(sealedName(id), secret, url);
      if (!kept.ok) return kept;
      const saved = await this.#save([...this.#hooks, hook], remember({ webhookId: id }, null));
      if (!saved.ok) return saved;
      this.#begin(hook, []);
      this.#watch();
      return ok({ webhookId: id });
    });
  }

  delete(webhookId: string, remember: Remember<object>): Promise<Result<Record<never, never>, Refusal>> {
    return this.#queue.run(async () => {
      const calls = this.#callsById.get(webhookId);
      if (calls === undefined) return err(noWebhook(webhookId));
      const others = this.#hooks.filter(({ id }) => id !== webhookId);
      const emptied = { type: "put-meta", key: metaKeys.webhookCalls(webhookId), value: {} } as const;
      const saved = await this.#save(others, [...remember({}, null), emptied]);
      if (!saved.ok) return saved;
      this.#callsById.delete(webhookId);
      await calls.erase();
      await this.#ports.sealed.remove(sealedName(webhookId));
      this.#watch();
      return ok({});
    });
  }

  log(webhookId: string): Result<CommandAnswer<"webhook.log">, Refusal> {
    const calls = this.#callsById.get(webhookId);
    if (calls === undefined) return err(noWebhook(webhookId));
    return ok({ calls: calls.log.map(({ body: _body, ...call }) => call) });
  }

  /** Sends a call of the log again; null: sends a test. */
  async send(webhookId: string, id: string | null): Promise<Result<{ readonly id: string }, Refusal>> {
    const calls = this.#callsById.get(webhookId);
    if (calls === undefined) return err(noWebhook(webhookId));
    if (id === null) {
      const call = this.#newCall("test", {});
      await calls.add(call);
      return ok({ id: call.id });
    }
    return (await calls.retry(id))
      ? ok({ id })
      : err(refusal("NOT_FOUND", { id }, "The log has no call with this id."));
  }

  /** Drops what the logs hold of things that were deleted for good. */
  async forget(ids: readonly string[]): Promise<void> {
    const gone = new Set(ids);
    await Promise.all([...this.#callsById.values()].map((calls) => calls.forget(gone)));
  }

  close(): void {
    this.#stopWatching?.();
    for (const calls of this.#callsById.values()) calls.close();
  }

  #begin(hook: Webhook, calls: readonly WebhookCall[]): void {
    const { id, url } = hook;
    const secret = (): string | null => (this.#isGone(id) ? null : this.#ports.sealed.get(sealedName(id), url));
    this.#callsById.set(
      id,
      new WebhookCalls(this.#ports, { id, url, secret, calls, onGone: () => void this.#gone(id) }),
    );
  }

  #isGone(webhookId: string): boolean {
    return this.#hooks.some(({ id, isGone }) => id === webhookId && isGone);
  }

  /** An address that answers 410 is called no more. */
  #gone(webhookId: string): Promise<Result<void, Refusal>> {
    return this.#queue.run(() =>
      this.#save(
        this.#hooks.map((hook) => (hook.id === webhookId ? { ...hook, isGone: true } : hook)),
        [],
      ),
    );
  }

  #watch(): void {
    if (this.#hooks.length === 0) {
      this.#stopWatching?.();
      this.#stopWatching = null;
    } else {
      this.#stopWatching ??= watchEvents(this.#ports, (happened) => this.#happened(happened));
    }
  }

  #happened({ event, data }: HappenedEvent): void {
    for (const { id, events, isGone } of this.#hooks) {
      if (!isGone && events.includes(event)) void this.#callsById.get(id)?.add(this.#newCall(event, data));
    }
  }

  #newCall(event: SentEvent, data: JsonObject): WebhookCall {
    const { clock, random } = this.#ports.platform;
    const at = clock.now();
    return {
      id: timeSortedId("evt", at, random.bytes(12)),
      event,
      at,
      body: JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data }),
      state: "waiting",
      attempts: 0,
      nextAt: at,
      status: null,
      problem: null,
    };
  }

  async #save(hooks: readonly Webhook[], also: ReturnType<Remember<object>>): Promise<Result<void, Refusal>> {
    const value = JSON.parse(JSON.stringify({ webhooks: hooks }));
    const committed = await this.#ports.store.commit([{ type: "put-meta", key: metaKeys.webhooks, value }, ...also]);
    if (!committed.ok) return err(notStored(committed.error));
    this.#hooks = hooks;
    return ok(undefined);
  }
}

function sealedName(webhookId: string): string {
  return `webhook:${webhookId}`;
}

function noWebhook(webhookId: string): Refusal {
  return refusal("NOT_FOUND", { webhook_id: webhookId }, "No webhook has this id. List the webhooks to see the ids.");
}
