import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { timeSortedId, type ActorId, type PersonId } from "../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { GrantedKind, GrantedPermit, OAuthClient, OAuthRecords, PermitEnd } from "../../core/port/oauth.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";
import { rights, type Right } from "../../core/rights/token-right.ts";
import type { AccessToken } from "../access/access-tokens.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import { programName } from "./programs.ts";
import type { FactWrite, SignInFacts } from "./sign-in-facts.ts";

const permitForm = v.object({
  id: v.string(),
  person: v.string(),
  clientId: v.string(),
  /** What the program calls itself. */
  clientName: v.string(),
  redirectUris: v.array(v.string()),
  resource: v.string(),
  rights: v.array(v.picklist(rights)),
  refused: v.array(v.string()),
  madeAt: v.number(),
  seenAt: v.number(),
  expiresAt: v.number(),
  /** The network that it was allowed from. */
  address: v.string(),
});

/** What a person allows a program to do as them, until one of them ends it. */
export interface Permit extends Omit<v.InferOutput<typeof permitForm>, "person"> {
  readonly person: PersonId;
}

/** What a person allows. */
export interface NewPermit {
  readonly person: PersonId;
  readonly client: OAuthClient;
  readonly resource: string;
  readonly rights: readonly Right[];
  readonly refused: readonly Right[];
  readonly address: string;
  /** The session in which they allowed it. */
  readonly sessionId: string;
}

const minuteMs = 60 * 1000;
const dayMs = 24 * 60 * minuteMs;
/** A permit ends this long after it was given, however often it is used. Milliseconds. */
const lifeMs = 90 * dayMs;
/** Use is stored this seldom. Milliseconds. */
const seenStepMs = 60 * minuteMs;
const sweepMs = minuteMs;
/** How long the way from a person's answer to the first token may take. Milliseconds. */
const unusedMs = 15 * minuteMs;
const permitsOfPersonMax = 50;
/** Of one permit: access tokens at once, and refresh tokens that were used and are known as such. */
const keptMax: Readonly<Record<GrantedKind, number>> = { code: 1, access: 8, refresh: 200 };

const grantedKinds: readonly GrantedKind[] = ["code", "access", "refresh"];
const factOf = (kind: GrantedKind): `oauth.${GrantedKind}` => `oauth.${kind}`;

type Offered = (resource: string) => readonly Right[];
type Ports = Pick<RightsKeeper, "rights" | "record">;

/** The permits of a team's people, with the codes and tokens of each: all found in memory by the hashes of their secrets. */
export class Permits implements Omit<OAuthRecords, "registered" | "described"> {
  readonly #facts: SignInFacts;
  readonly #keeper: Ports;
  readonly #platform: Platform;
  readonly #offered: Offered;
  readonly #listeners = new Set<(permitId: string) => void>();
  #cancelSweep: () => void = () => {};

  /** `offered`: what a program may ask for at a resource. */
  constructor(
    facts: SignInFacts,
    { keeper, platform, offered }: { readonly keeper: Ports; readonly platform: Platform; readonly offered: Offered },
  ) {
    this.#offered = offered;
    this.#facts = facts;
    this.#keeper = keeper;
    this.#platform = platform;
    this.#awaitSweep();
  }

  /** Returns the permits of a person, newest first. */
  of(person: PersonId): readonly Permit[] {
    return this.#valid()
      .filter((permit) => permit.person === person)
      .toSorted((one, other) => other.madeAt - one.madeAt);
  }

  /** Finds what a program may do that sends this at an address; null for any other text. */
  findToken(secret: string, resource: string): AccessToken | null {
    const hash = sha256Hex(secret);
    const record = this.find("access", hash);
    if (record === null || record["aud"] !== resource || isOver(record, this.#platform.clock.now())) return null;
    const permit = this.#read(record["grantId"]);
    const name = permit === null ? undefined : this.#keeper.rights.people.get(permit.person);
    if (permit === null || name === undefined) return null;
    if (this.#platform.clock.now() - permit.seenAt > seenStepMs) void this.#see(permit);
    const scopes = typeof record["scope"] === "string" ? record["scope"].split(" ") : [];
    return {
      id: permit.id,
      name: programName({ id: permit.clientId, name: permit.clientName }),
      hash,
      rights: permit.rights.filter((right) => scopes.includes(right)),
      scope: null,
      by: { type: "person", id: permit.person as string as ActorId, name },
      createdAt: permit.madeAt,
      expiresAt: permit.expiresAt,
      askable: this.#offered(resource).filter((right) => !scopes.includes(right) && !permit.refused.includes(right)),
    };
  }

  /** Returns for whom a permit is; null: there is none. */
  personOf(permitId: string): PersonId | null {
    return this.#read(permitId)?.person ?? null;
  }

  /** Returns what a permit allows at most; null: there is none, or nobody's any more. */
  grantOf(permitId: string): Grant | null {
    const permit = this.#read(permitId);
    if (permit === null || !this.#keeper.rights.people.has(permit.person)) return null;
    const name = programName({ id: permit.clientId, name: permit.clientName });
    return { id: permit.id, name, rights: permit.rights, scope: null };
  }

  isValid(permitId: string): boolean {
    return this.#read(permitId) !== null;
  }

  /** Notifies of every permit that ends. */
  onEnded(listener: (permitId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async make(given: NewPermit): Promise<Result<Permit, Refusal>> {
    const { clock, random } = this.#platform;
    const { person, client, resource, address, sessionId } = given;
    const madeAt = clock.now();
    const permit: Permit = {
      id: timeSortedId("permit", madeAt, random.bytes(12)),
      person,
      clientId: client.id,
      clientName: client.name,
      redirectUris: [...client.redirectUris],
      resource,
      rights: [...given.rights],
      refused: [...given.refused],
      madeAt,
      seenAt: madeAt,
      expiresAt: madeAt + lifeMs,
      address,
    };
    const facts = { actor: person, credential: sessionId, address, object: permit.id, outcome: "done" } as const;
    const made = await this.#facts.together(
      () => {
        if (this.of(person).length >= permitsOfPersonMax) return err(tooMany());
        return ok([{ kind: "permit", id: permit.id, record: JSON.parse(JSON.stringify(permit)) }]);
      },
      (writes) => this.#keeper.record({ ...facts, act: "permit.given" }, writes),
    );
    return made.ok ? ok(permit) : made;
  }

  /** Ends permits, with all their tokens; what is open in them is closed. `by`: the session whose person ends them. */
  async end(
    permits: readonly Permit[],
    by: { readonly act: string; readonly sessionId: string | null },
  ): Promise<void> {
    for (const { id, person } of permits) {
      const facts = { actor: person, credential: by.sessionId, address: null, object: id, outcome: "done" } as const;
      const ended = await this.#facts.together(
        () => (this.#facts.of("permit").has(id) ? ok(this.#removal(id)) : err(refusal("NOT_FOUND"))),
        (writes) => this.#keeper.record({ ...facts, act: by.act }, writes),
      );
      if (!ended.ok && ended.error.code !== "NOT_FOUND") throw new Error(ended.error.message);
      if (ended.ok) this.#notify(id);
    }
  }

  /** Ends the permits of a person whose account ends or is recovered. */
  endAll(person: PersonId): Promise<void> {
    return this.end(this.of(person), { act: "permit.ended", sessionId: null });
  }

  /** Ends what a program was allowed that an owner removes. */
  endOfClient(clientId: string, sessionId: string): Promise<void> {
    const permits = this.#valid().filter((permit) => permit.clientId === clientId);
    return this.end(permits, { act: "permit.ended", sessionId });
  }

  /** Returns what was read of a program when somebody last allowed it something. */
  readBefore(clientId: string): OAuthClient | null {
    const permit = this.#valid().findLast((each) => each.clientId === clientId);
    return permit === undefined ? null : { id: clientId, name: permit.clientName, redirectUris: permit.redirectUris };
  }

  permit(id: string): GrantedPermit | null {
    const permit = this.#read(id);
    return permit === null ? null : { ...permit, scopes: permit.rights, refusedScopes: permit.refused };
  }

  find(kind: GrantedKind, hash: string): JsonObject | null {
    return this.#facts.of(factOf(kind)).get(hash) ?? null;
  }

  async keep(kind: GrantedKind, hash: string, record: JsonObject): Promise<boolean> {
    const permitId = record["grantId"];
    const kept = await this.#facts.write(() => {
      if (this.#read(permitId) === null) return err(refusal("NOT_FOUND"));
      const of = this.#ofPermit(kind, permitId).filter(([id]) => id !== hash);
      const old = of.slice(0, Math.max(0, of.length + 1 - keptMax[kind]));
      return ok([{ kind: factOf(kind), id: hash, record }, ...old.map(([id]) => removalOf(kind, id))]);
    });
    return this.#isDone(kept);
  }

  async use(kind: GrantedKind, hash: string): Promise<boolean> {
    const used = await this.#facts.write(() => {
      const record = this.find(kind, hash);
      if (record === null || record["consumed"] !== undefined) return err(refusal("NOT_FOUND"));
      const consumed = Math.floor(this.#platform.clock.now() / 1000);
      return ok([{ kind: factOf(kind), id: hash, record: { ...record, consumed } }]);
    });
    if (this.#isDone(used)) return true;
    const permitId = this.find(kind, hash)?.["grantId"];
    if (typeof permitId === "string") await this.endPermit(permitId, "used-twice");
    return false;
  }

  async drop(kind: GrantedKind, hash: string): Promise<void> {
    this.#isDone(await this.#facts.write(() => ok(this.find(kind, hash) === null ? [] : [removalOf(kind, hash)])));
  }

  endPermit(id: string, why: PermitEnd): Promise<void> {
    const permit = this.#read(id);
    return permit === null ? Promise.resolve() : this.end([permit], { act: `permit.${why}`, sessionId: id });
  }

  close(): void {
    this.#cancelSweep();
    this.#listeners.clear();
  }

  /** False: it was not there any more. Everything else that is refused is a failure of the store. */
  #isDone(done: Result<void, Refusal>): boolean {
    if (!done.ok && done.error.code !== "NOT_FOUND") throw new Error(done.error.message);
    return done.ok;
  }

  #removal(id: string): FactWrite[] {
    const tokens = grantedKinds.flatMap((kind) => this.#ofPermit(kind, id).map(([hash]) => removalOf(kind, hash)));
    return [{ kind: "permit", id, record: null }, ...tokens];
  }

  /** Returns the codes or tokens of a permit: those that were used first, in their order. */
  #ofPermit(kind: GrantedKind, permitId: unknown): (readonly [hash: string, record: JsonObject])[] {
    const all = [...this.#facts.of(factOf(kind))].filter(([, { grantId }]) => grantId === permitId);
    // What was not used yet comes last, whenever it was made.
    const time = ({ consumed, iat }: JsonObject): number => Number(consumed ?? Number(iat) + 1e12);
    return all.toSorted(([, one], [, other]) => time(one) - time(other));
  }

  #valid(): readonly Permit[] {
    return [...this.#facts.of("permit").keys()].flatMap((id) => this.#read(id) ?? []);
  }

  /** A record that cannot be read allows nothing. */
  #read(id: unknown): Permit | null {
    const record = typeof id === "string" ? this.#facts.of("permit").get(id) : undefined;
    const read = v.safeParse(permitForm, record);
    if (!read.success || read.output.expiresAt <= this.#platform.clock.now()) return null;
    return { ...read.output, person: read.output.person as PersonId };
  }

  async #see({ id }: Permit): Promise<void> {
    const seenAt = this.#platform.clock.now();
    await this.#facts.write(() => {
      const record = this.#facts.of("permit").get(id);
      return ok(record === undefined ? [] : [{ kind: "permit", id, record: { ...record, seenAt } }]);
    });
  }

  #awaitSweep(): void {
    this.#cancelSweep = this.#platform.clock.setTimer(sweepMs, () => {
      this.#sweep().catch((problem: unknown) =>
        this.#platform.logger.error("permits-not-swept", { problem: String(problem) }),
      );
      this.#awaitSweep();
    });
  }

  /** Removes tokens that ran out, and permits that no token can use any more. */
  async #sweep(): Promise<void> {
    const now = this.#platform.clock.now();
    const over: string[] = [];
    await this.#facts.write(() => {
      const ended = [...this.#facts.of("permit")].filter(([id, { madeAt }]) => {
        const isNew = typeof madeAt === "number" && now - madeAt < unusedMs;
        return this.#read(id) === null || (!isNew && !this.#isUsable(id, now));
      });
      over.push(...ended.map(([id]) => id));
      const tokens = (["access", "refresh"] as const).flatMap((kind) =>
        [...this.#facts.of(factOf(kind))].flatMap(([hash, record]) =>
          isOver(record, now) && !over.some((id) => id === record["grantId"]) ? [removalOf(kind, hash)] : [],
        ),
      );
      return ok([...over.flatMap((id) => this.#removal(id)), ...tokens]);
    });
    for (const id of over) this.#notify(id);
  }

  #isUsable(id: string, now: number): boolean {
    return (["access", "refresh"] as const).some((kind) =>
      this.#ofPermit(kind, id).some(([, record]) => record["consumed"] === undefined && !isOver(record, now)),
    );
  }

  #notify(permitId: string): void {
    for (const listener of this.#listeners) listener(permitId);
  }
}

function isOver(record: JsonObject, now: number): boolean {
  return !isJsonObject(record) || typeof record["exp"] !== "number" || record["exp"] * 1000 <= now;
}

function removalOf(kind: GrantedKind, id: string): FactWrite {
  return { kind: factOf(kind), id, record: null };
}

function tooMany(): Refusal {
  const message = `Nothing was allowed: ${permitsOfPersonMax} programs act for you already. End some in your settings.`;
  return refusal("INVALID_PARAMS", { permits_max: permitsOfPersonMax }, message);
}
