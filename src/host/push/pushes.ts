import { createECDH } from "node:crypto";
import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { PersonId, RootId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { conversationTitle, type ConversationActivity, type ConversationSummary } from "../../core/forest/list.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { WebhookSender } from "../../core/port/webhook-sender.ts";
import type { CommandParams } from "../../core/protocol/commands.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import { chainOfConversation } from "../access/chains.ts";
import { roleTest } from "../access/member.ts";
import { metaKeys } from "../base/meta-keys.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { notStored } from "../base/store-refusal.ts";
import type { Conversations } from "../conversation/base/types.ts";
import { encryptPush } from "./encrypt-push.ts";
import { pushDue, type PushKind } from "./push-due.ts";
import { vapidAuthorization, type VapidKeys } from "./vapid.ts";

/** One browser of a person. `personId` is null where one person owns everything. */
const storedBrowser = v.object({
  endpoint: v.string(),
  p256dh: v.string(),
  auth: v.string(),
  page: v.string(),
  personId: v.nullable(
    v.pipe(
      v.string(),
      v.transform((id) => id as PersonId),
    ),
  ),
  /** The session that it was subscribed in, and with which it ends; null where one person owns everything. */
  sessionId: v.nullable(v.string()),
});
type PushBrowser = Readonly<v.InferOutput<typeof storedBrowser>>;
const storedBrowsers = v.object({ browsers: v.array(storedBrowser) });
const storedKeys = v.object({ publicKey: v.string(), privateKey: v.string() });

/** Browsers of one person; more are refused. */
const browsersMax = 20;
/** The waits before a push is tried again. Milliseconds. */
const retryDelaysMs = [5_000, 60_000, 600_000] as const;
/** How long a push service keeps a push for a browser that is away. Seconds. */
const keptSeconds = 24 * 60 * 60;
/** A title is cut, so that every push fits into what services take. */
const titleUnitsMax = 200;
const sealedName = "push";
const sealedAddress = "vapid";

/** Whose browser it is. */
export interface PushOwner {
  readonly personId: PersonId | null;
  readonly sessionId: string | null;
}

/** The sessions in which people subscribe their browsers. */
export interface PushSessions {
  /** Whether a session is open. */
  isOpen(sessionId: string): boolean;
  onEnded(listener: (sessionId: string) => void): () => void;
}

export interface PushPorts {
  readonly store: Store;
  readonly platform: Platform;
  readonly sender: WebhookSender;
  readonly sealed: SealedValues;
  readonly conversations: Pick<Conversations, "summaries" | "watchSummaries">;
  readonly team: Pick<RightsKeeper, "rights"> | null;
}

/** Tells people's browsers what agents do, through their push services. Without a browser nothing is watched. */
export class Pushes {
  readonly #ports: PushPorts;
  readonly #queue = new SerialQueue();
  readonly #closing = new AbortController();
  readonly #activities = new Map<RootId, ConversationActivity | null>();
  /** The connections whose page is seen, with their people. */
  readonly #seen = new Map<object, PersonId | null>();
  #browsers: readonly PushBrowser[];
  #stopWatching: (() => void) | null = null;
  #sessions: PushSessions | null = null;
  #stopSessions: () => void = () => {};

  static async open(ports: PushPorts): Promise<Pushes> {
    const read = v.safeParse(storedBrowsers, (await ports.store.meta(metaKeys.pushBrowsers)) ?? {});
    const pushes = new Pushes(ports, read.success ? read.output.browsers : []);
    pushes.#watch();
    return pushes;
  }

  private constructor(ports: PushPorts, browsers: readonly PushBrowser[]) {
    this.#ports = ports;
    this.#browsers = browsers;
  }

  /** The server's public key, made when it is first asked for. */
  publicKey(): Promise<Result<string, Refusal>> {
    return this.#queue.run(async () => {
      const known = this.#keys();
      if (known !== null) return ok(known.publicKey);
      const pair = createECDH("prime256v1");
      pair.setPrivateKey(privateKeyOf(this.#ports.platform));
      const keys = { publicKey: pair.getPublicKey("base64url"), privateKey: pair.getPrivateKey("base64url") };
      const kept = await this.#ports.sealed.set(sealedName, JSON.stringify(keys), sealedAddress);
      return kept.ok ? ok(keys.publicKey) : kept;
    });
  }

  /** Lets each subscription end with its session, also with one that ended while this was not running. */
  follow(sessions: PushSessions): void {
    this.#sessions = sessions;
    this.#stopSessions();
    this.#stopSessions = sessions.onEnded(() => void this.#forgetEnded());
    void this.#forgetEnded();
  }

  subscribe(
    { personId, sessionId }: PushOwner,
    browser: CommandParams<"push.subscribe">,
    also: readonly StoreWrite[],
  ): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const { endpoint } = browser;
      const refused = this.#ports.sender.refusedAddress(endpoint) ?? whyNoKeys(browser);
      if (refused !== null) return err(refusal("INVALID_PARAMS", { endpoint }, `Nothing was subscribed. ${refused}`));
      const others = this.#browsers.filter((other) => other.endpoint !== endpoint);
      if (others.filter((other) => other.personId === personId).length >= browsersMax) {
        const message = `Nothing was subscribed: ${browsersMax} browsers are already. Switch notifications off in some.`;
        return err(refusal("INVALID_PARAMS", { browsers_max: browsersMax }, message));
      }
      return this.#save([...others, { ...browser, personId, sessionId }], also);
    });
  }

  unsubscribe(
    personId: PersonId | null,
    endpoint: string,
    also: readonly StoreWrite[],
  ): Promise<Result<void, Refusal>> {
    return this.#queue.run(() =>
      this.#save(
        this.#browsers.filter((each) => each.endpoint !== endpoint || each.personId !== personId),
        also,
      ),
    );
  }

  /** Notes whether the page of a connection is seen; a connection that ends is not. */
  look(connection: object, personId: PersonId | null, seen: boolean): void {
    if (seen) this.#seen.set(connection, personId);
    else this.#seen.delete(connection);
  }

  close(): void {
    this.#stopWatching?.();
    this.#stopSessions();
    this.#closing.abort();
  }

  #keys(): VapidKeys | null {
    const sealed = this.#ports.sealed.get(sealedName, sealedAddress);
    if (sealed === null) return null;
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), storedKeys), sealed);
    return read.success ? read.output : null;
  }

  #watch(): void {
    if (this.#browsers.length === 0) {
      this.#stopWatching?.();
      this.#stopWatching = null;
      this.#activities.clear();
      return;
    }
    if (this.#stopWatching !== null) return;
    const { conversations, platform } = this.#ports;
    this.#stopWatching = conversations.watchSummaries((summary, isDeleted) => this.#changed(summary, isDeleted));
    conversations.summaries().then(
      (all) => {
        for (const { id, activity = null } of all) if (!this.#activities.has(id)) this.#activities.set(id, activity);
      },
      (problem: unknown) => platform.logger.warn("push-activities-unknown", { reason: reasonOf(problem) }),
    );
  }

  #changed(summary: ConversationSummary, isDeleted: boolean): void {
    const { id, activity = null } = summary;
    const kind = isDeleted ? null : pushDue(this.#activities.get(id), activity);
    if (isDeleted) this.#activities.delete(id);
    else this.#activities.set(id, activity);
    if (kind === null) return;
    const looking = new Set(this.#seen.values());
    for (const browser of this.#browsers) {
      if (looking.has(browser.personId) || !this.#isOpen(browser)) continue;
      if (!this.#mayRead(browser.personId, summary)) continue;
      void this.#send(browser, { kind, rootId: id, title: conversationTitle(summary).slice(0, titleUnitsMax) });
    }
  }

  #mayRead(personId: PersonId | null, summary: ConversationSummary): boolean {
    const { team } = this.#ports;
    if (team === null) return personId === null;
    return personId !== null && roleTest(team, personId)(chainOfConversation(summary), "viewer");
  }

  async #send(
    browser: PushBrowser,
    told: { readonly kind: PushKind; readonly rootId: RootId; readonly title: string },
  ) {
    const { platform, sender } = this.#ports;
    const keys = this.#keys();
    if (keys === null) return;
    const { endpoint } = browser;
    const body = encryptPush(
      Buffer.from(JSON.stringify(told)),
      { p256dh: Buffer.from(browser.p256dh, "base64url"), auth: Buffer.from(browser.auth, "base64url") },
      { privateKey: privateKeyOf(platform), salt: platform.random.bytes(16) },
    );
    for (const delayMs of [...retryDelaysMs, null]) {
      const headers = {
        authorization: vapidAuthorization(keys, { endpoint, contact: contactOf(browser), now: platform.clock.now() }),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        ttl: String(keptSeconds),
        urgency: told.kind === "waits" ? "high" : "normal",
      };
      const outcome = await sender.post({ url: endpoint, headers, body }, this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      if (outcome.type === "answered") {
        const { status } = outcome;
        if (status >= 200 && status < 300) return;
        if (status === 404 || status === 410) return this.#gone(endpoint);
        if (status !== 429 && status < 500) return platform.logger.warn("push-refused", { status });
      } else if (outcome.reason === "address") return platform.logger.warn("push-refused", { reason: outcome.message });
      if (delayMs === null) return platform.logger.warn("push-not-sent", {});
      await new Promise<void>((resolve) => platform.clock.setTimer(delayMs, resolve));
      if (this.#closing.signal.aborted || !this.#browsers.includes(browser)) return;
    }
  }

  /** The push service does not know the browser any more. */
  #gone(endpoint: string): Promise<void> {
    return this.#keep((browser) => browser.endpoint !== endpoint);
  }

  #forgetEnded(): Promise<void> {
    return this.#keep((browser) => this.#isOpen(browser));
  }

  #isOpen({ sessionId }: PushBrowser): boolean {
    return sessionId === null || this.#sessions?.isOpen(sessionId) !== false;
  }

  async #keep(isKept: (browser: PushBrowser) => boolean): Promise<void> {
    await this.#queue.run(async () => {
      const kept = this.#browsers.filter((browser) => isKept(browser));
      return kept.length === this.#browsers.length ? ok(undefined) : this.#save(kept, []);
    });
  }

  async #save(browsers: readonly PushBrowser[], also: readonly StoreWrite[]): Promise<Result<void, Refusal>> {
    const value = { browsers: browsers.map((browser) => ({ ...browser })) };
    const committed = await this.#ports.store.commit([
      { type: "put-meta", key: metaKeys.pushBrowsers, value },
      ...also,
    ]);
    if (!committed.ok) return err(notStored(committed.error));
    this.#browsers = browsers;
    this.#watch();
    return ok(undefined);
  }
}

/** Returns whom a push service may turn to: it wants a https or mailto address. */
function contactOf({ page }: PushBrowser): string {
  return page.startsWith("https://") ? page : "https://localhost";
}

/** Returns a private key of P-256: nearly every 32 bytes are one. */
function privateKeyOf({ random }: Platform): Uint8Array {
  const pair = createECDH("prime256v1");
  for (;;) {
    const bytes = random.bytes(32);
    try {
      pair.setPrivateKey(bytes);
      return bytes;
    } catch {
      // Drawn again.
    }
  }
}

/** Returns why a browser's keys encrypt nothing; null if they do. */
function whyNoKeys({ p256dh, auth }: CommandParams<"push.subscribe">): string | null {
  const chance = { privateKey: Buffer.alloc(32, 1), salt: Buffer.alloc(16) };
  const keys = { p256dh: Buffer.from(p256dh, "base64url"), auth: Buffer.from(auth, "base64url") };
  try {
    encryptPush(Buffer.alloc(0), keys, chance);
    return null;
  } catch {
    return "The browser's key is no point of P-256.";
  }
}
