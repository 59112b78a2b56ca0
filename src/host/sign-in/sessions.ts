import * as v from "valibot";
import { sha256Hex } from "../../core/base/hash.ts";
import { timeSortedId, type PersonId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Proof } from "../../core/port/sign-in.ts";
import { newToken } from "../server/http/token.ts";
import type { FactWrite, SignInFacts } from "./sign-in-facts.ts";

const sessionForm = v.object({
  id: v.string(),
  person: v.string(),
  madeAt: v.number(),
  seenAt: v.number(),
  authenticatedAt: v.number(),
  factor: v.picklist([1, 2]),
  /** The browser and system, in words. */
  label: v.string(),
  /** The network that it was made from. */
  address: v.string(),
});

/** One sign-in of a person in one browser. Its secret is in the browser's cookie alone. */
export interface Session extends Omit<v.InferOutput<typeof sessionForm>, "person"> {
  readonly person: PersonId;
  /** SHA-256 of the secret. */
  readonly hash: string;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A session ends when nothing was asked with it for this long. Milliseconds. */
const idleMs = 14 * dayMs;
/** A session ends this long after it was made. Milliseconds. */
export const lifeMs = 90 * dayMs;
/** Use of a session is stored this seldom. Milliseconds. */
const seenStepMs = 5 * 60 * 1000;
/** How often sessions that ran out are ended. Milliseconds. */
const sweepMs = 60 * 1000;

/** The sessions of a team. Found in memory by the hash of their secret. */
export class Sessions {
  readonly #facts: SignInFacts;
  readonly #platform: Platform;
  readonly #listeners = new Set<(sessionId: string) => void>();
  #cancelSweep: () => void = () => {};

  constructor(facts: SignInFacts, platform: Platform) {
    this.#facts = facts;
    this.#platform = platform;
    this.#awaitSweep();
  }

  /** Returns the session of a secret; null where none is valid. */
  find(secret: string): Session | null {
    const session = this.#read(sha256Hex(secret));
    if (session === null || !this.#isValid(session)) return null;
    if (this.#platform.clock.now() - session.seenAt > seenStepMs) void this.#see(session);
    return session;
  }

  /** Returns the sessions of a person that are valid, newest first. */
  of(person: PersonId): readonly Session[] {
    const own = this.#all().filter((session) => session.person === person && this.#isValid(session));
    return own.toSorted((one, other) => other.madeAt - one.madeAt);
  }

  /** When the person of a session proved last who they are; null once it ended. */
  authenticatedAt(sessionId: string): number | null {
    return this.#all().find(({ id }) => id === sessionId)?.authenticatedAt ?? null;
  }

  /**
   * Begins a session, and returns its secret. `current` goes on under the new secret if it is the same person's, so that what
   * they have open stays open; the old secret is worth nothing from then on.
   */
  async begin(
    { loginId, factor, at }: Proof,
    { label, address, current }: { readonly label: string; readonly address: string; readonly current: Session | null },
  ): Promise<string> {
    const { clock, random } = this.#platform;
    const now = clock.now();
    const secret = newToken(random);
    const kept = current?.person === loginId ? current : null;
    const id = kept?.id ?? timeSortedId("session", now, random.bytes(12));
    const record = {
      id,
      person: loginId,
      madeAt: kept?.madeAt ?? now,
      seenAt: now,
      authenticatedAt: Math.min(now, at ?? now),
      factor: kept?.factor === 2 ? 2 : factor,
      label,
      address,
    };
    const begun: FactWrite = { kind: "session", id: sha256Hex(secret), record };
    const replaced = current === null ? [] : [removal(current)];
    const made = await this.#facts.write(() => ok([begun, ...replaced]));
    if (!made.ok) throw new Error(made.error.message);
    if (current !== null && kept === null) this.#notify(current.id);
    return secret;
  }

  /**
   * Gives a session another secret, after its person changed how they sign in, and returns it. What is open in the session
   * stays open. Null: it has ended meanwhile.
   */
  async renew(session: Session, factor: 1 | 2): Promise<string | null> {
    const secret = newToken(this.#platform.random);
    let isOpen = false;
    const made = await this.#facts.write(() => {
      const record = this.#facts.of("session").get(session.hash);
      isOpen = record !== undefined;
      if (record === undefined) return ok([]);
      return ok([{ kind: "session", id: sha256Hex(secret), record: { ...record, factor } }, removal(session)]);
    });
    if (!made.ok) throw new Error(made.error.message);
    return isOpen ? secret : null;
  }

  /** Ends sessions; those that ended already are nothing new. */
  async end(sessions: readonly Session[]): Promise<void> {
    const made = await this.#facts.write(() =>
      ok(sessions.filter(({ hash }) => this.#read(hash) !== null).map((session) => removal(session))),
    );
    if (!made.ok) throw new Error(made.error.message);
    for (const { id } of sessions) this.#notify(id);
  }

  onEnded(listener: (sessionId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#cancelSweep();
    this.#listeners.clear();
  }

  #awaitSweep(): void {
    this.#cancelSweep = this.#platform.clock.setTimer(sweepMs, () => {
      const over = this.#all().filter((session) => !this.#isValid(session));
      const failed = (problem: unknown): void =>
        this.#platform.logger.error("sessions-not-ended", { problem: String(problem) });
      if (over.length > 0) this.end(over).catch(failed);
      this.#awaitSweep();
    });
  }

  async #see(session: Session): Promise<void> {
    const seenAt = this.#platform.clock.now();
    await this.#facts.write(() => {
      const record = this.#facts.of("session").get(session.hash);
      return ok(record === undefined ? [] : [{ kind: "session", id: session.hash, record: { ...record, seenAt } }]);
    });
  }

  #all(): Session[] {
    return [...this.#facts.of("session").keys()].flatMap((hash) => this.#read(hash) ?? []);
  }

  /** A record that cannot be read opens nothing. */
  #read(hash: string): Session | null {
    const read = v.safeParse(sessionForm, this.#facts.of("session").get(hash));
    return read.success ? { ...read.output, person: read.output.person as PersonId, hash } : null;
  }

  #isValid({ seenAt, madeAt }: Session): boolean {
    const now = this.#platform.clock.now();
    return now - seenAt < idleMs && now - madeAt < lifeMs;
  }

  #notify(sessionId: string): void {
    for (const listener of this.#listeners) listener(sessionId);
  }
}

function removal({ hash }: Session): FactWrite {
  return { kind: "session", id: hash, record: null };
}
