import * as v from "valibot";
import type { Actor, PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import {
  timeSortedId,
  type ActorId,
  type BlockId,
  type FolderId,
  type PersonId,
  type RootId,
} from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { Grant, GrantScope } from "../../core/protocol/base/grant.ts";
import { rights, type Right } from "../../core/rights/token-right.ts";
import { metaKeys } from "../base/meta-keys.ts";
import type { Remember } from "../base/once.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { notStored } from "../base/store-refusal.ts";
import { LentTokens } from "./lent-tokens.ts";
import type { AgentsReach } from "./reach.ts";

/** A scoped token; the token itself is known to its holder alone. */
export interface AccessToken extends Grant {
  readonly hash: string;
  /** The person whose rights it uses. */
  readonly by: PersonActor;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** What its program may ask its person for, who was not asked for it yet; absent: it cannot ask. */
  readonly askable?: readonly Right[];
  /** Returns what its holder may know of and change besides; null: what the token allows. Absent: the same always. */
  readonly narrowedTo?: () => Promise<AgentsReach | null>;
}

export interface NewToken {
  readonly name: string;
  /** SHA-256 of the token. */
  readonly hash: string;
  readonly rights: readonly Right[];
  readonly scope: GrantScope | null;
  readonly expiresAt: number | null;
}

/** Tokens that are kept elsewhere, and end as these do. */
interface OtherTokens {
  /** Returns for whom a token acts; null: it is not valid. */
  personOf(tokenId: string): PersonId | null;
  /** Returns what a token allows at most; null: it is not valid. */
  grantOf(tokenId: string): Grant | null;
  isValid(tokenId: string): boolean;
  onEnded(listener: (tokenId: string) => void): () => void;
}

const ids = v.array(v.string());
const stored = v.object({
  id: v.string(),
  name: v.string(),
  hash: v.string(),
  rights: v.array(v.picklist(rights)),
  scope: v.nullable(v.object({ folderIds: ids, rootIds: ids, canvasIds: ids })),
  by: v.object({ id: v.string(), name: v.string() }),
  createdAt: v.number(),
  expiresAt: v.nullable(v.number()),
});
const storedList = v.object({ tokens: v.array(v.unknown()) });

/** What the ids begin with under which programs write. */
const programPrefix = "agent_";
/** A program that came with the workspace's own token. */
const workspaceToken = "workspace";
/** What the ids of these tokens begin with. */
const ownPrefix = "token_";

const tokensMax = 1_000;
/** The longest wait of a timer; tokens that live longer are looked at again then. Milliseconds. */
const timerMsMax = 24 * 60 * 60 * 1000;

/** The scoped tokens of a workspace. A change is stored before it takes effect; lookups need only memory. */
export class AccessTokens {
  /** Those of programs that Heddle runs itself. */
  readonly lent = new LentTokens((tokenId) => this.#notify(tokenId));
  readonly #store: Store;
  readonly #platform: Platform;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Set<(tokenId: string) => void>();
  readonly #joinListeners = new Set<() => void>();
  #tokens: readonly AccessToken[];
  #cancelTimer: () => void = () => {};
  #others: OtherTokens | null = null;

  static async open(store: Store, platform: Platform): Promise<AccessTokens> {
    const read = v.safeParse(storedList, (await store.meta(metaKeys.accessTokens)) ?? {});
    const rows = read.success ? read.output.tokens : [];
    // One that cannot be read opens nothing.
    const tokens = rows.flatMap((row) => {
      const token = v.safeParse(stored, row);
      return token.success ? [asToken(token.output)] : [];
    });
    return new AccessTokens(store, platform, tokens);
  }

  private constructor(store: Store, platform: Platform, tokens: readonly AccessToken[]) {
    this.#store = store;
    this.#platform = platform;
    this.#tokens = tokens;
    this.#awaitExpiry();
  }

  /** Returns the tokens that are valid now, oldest first. */
  list(): readonly AccessToken[] {
    const now = this.#platform.clock.now();
    return this.#tokens.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  }

  /** Finds a valid token by what its holder sends; null for any other text. */
  find(secret: string): AccessToken | null {
    // Equality of hashes: how long it takes says nothing about the token.
    const hash = sha256Hex(secret);
    return this.list().find((token) => token.hash === hash) ?? null;
  }

  /** Finds a valid token by what its holder sends to an address: one that was lent opens the door for agents alone. */
  findAt(secret: string, address: string): AccessToken | null {
    const isDoor = /^\/mcp(?:[/?]|$)/u.test(address);
    return this.find(secret) ?? (isDoor ? this.lent.find(secret) : null);
  }

  /** Returns whether a token is still valid, here or among the others. */
  isValid(tokenId: string): boolean {
    return this.#isOwn(tokenId) || this.lent.holderOf(tokenId) !== null || this.#others?.isValid(tokenId) === true;
  }

  /** Returns the person for whom a program acts, by the id under which it writes; null: its token has ended. */
  personOfProgram(actorId: string): PersonId | null {
    const tokenId = actorId.startsWith(programPrefix) ? actorId.slice(programPrefix.length) : "";
    const by = this.list().find(({ id }) => id === tokenId)?.by ?? this.lent.holderOf(tokenId);
    return by === null ? (this.#others?.personOf(tokenId) ?? null) : (by.id as string as PersonId);
  }

  /** Returns what a token allows at most, here or among the others; null: it is not valid. */
  grantOf(tokenId: string): Grant | null {
    const own = this.list().find(({ id }) => id === tokenId) ?? this.lent.grantOf(tokenId);
    return own ?? this.#others?.grantOf(tokenId) ?? null;
  }

  /** Whether it can be said of a token whether it is valid: of one that is kept elsewhere only once that has been opened. */
  isKnown(tokenId: string): boolean {
    return tokenId.startsWith(ownPrefix) || this.#others !== null;
  }

  #isOwn(tokenId: string): boolean {
    return this.list().some(({ id }) => id === tokenId);
  }

  /** Lets tokens that are kept elsewhere end as these do: what is open with one is closed in that moment. */
  join(others: OtherTokens): void {
    this.#others = others;
    others.onEnded((tokenId) => this.#notify(tokenId));
    for (const listener of this.#joinListeners) listener();
  }

  /** Notifies once those that are kept elsewhere are known. */
  onJoined(listener: () => void): () => void {
    this.#joinListeners.add(listener);
    return () => this.#joinListeners.delete(listener);
  }

  /** Notifies of every token that is revoked or expires. */
  onEnded(listener: (tokenId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  create(
    by: PersonActor,
    token: NewToken,
    remember: Remember<{ readonly tokenId: string }>,
  ): Promise<Result<{ readonly tokenId: string }, Refusal>> {
    return this.#queue.run(async () => {
      const { clock, random } = this.#platform;
      const valid = this.list();
      const isTaken = valid.some(({ hash }) => hash === token.hash);
      if (isTaken || valid.length >= tokensMax) {
        const message = isTaken
          ? "No token was made: there is one with this hash. Make another of fresh random bytes."
          : `No token was made: there are ${tokensMax} already. Revoke some.`;
        return err(refusal("INVALID_PARAMS", { tokens_max: tokensMax }, message));
      }
      const id = timeSortedId("token", clock.now(), random.bytes(12));
      const answer = { tokenId: id };
      const saved = await this.#save([...valid, { ...token, id, by, createdAt: clock.now() }], remember(answer, null));
      return saved.ok ? ok(answer) : saved;
    });
  }

  revoke(tokenId: string, remember: Remember<Record<never, never>>): Promise<Result<Record<never, never>, Refusal>> {
    return this.#queue.run(async () => {
      if (!this.#isOwn(tokenId)) {
        return err(
          refusal("NOT_FOUND", { token_id: tokenId }, "No token has this id. List the tokens to see the ids."),
        );
      }
      const saved = await this.#save(
        this.list().filter(({ id }) => id !== tokenId),
        remember({}, null),
      );
      if (saved.ok) this.#notify(tokenId);
      return saved.ok ? ok({}) : saved;
    });
  }

  close(): void {
    this.#cancelTimer();
    this.#listeners.clear();
    this.#joinListeners.clear();
  }

  async #save(tokens: readonly AccessToken[], also: ReturnType<Remember<object>>): Promise<Result<void, Refusal>> {
    const value = JSON.parse(JSON.stringify({ tokens }));
    const committed = await this.#store.commit([{ type: "put-meta", key: metaKeys.accessTokens, value }, ...also]);
    if (!committed.ok) return err(notStored(committed.error));
    this.#tokens = tokens;
    this.#awaitExpiry();
    return ok(undefined);
  }

  #awaitExpiry(): void {
    this.#cancelTimer();
    const { clock } = this.#platform;
    const next = Math.min(...this.#tokens.map(({ expiresAt }) => expiresAt ?? Infinity));
    if (next === Infinity) return;
    const delay = Math.min(timerMsMax, Math.max(0, next - clock.now()));
    this.#cancelTimer = clock.setTimer(delay, () => {
      const valid = this.list();
      const ended = this.#tokens.filter((token) => !valid.includes(token));
      this.#tokens = valid;
      for (const { id } of ended) this.#notify(id);
      this.#awaitExpiry();
    });
  }

  #notify(tokenId: string): void {
    for (const listener of this.#listeners) listener(tokenId);
  }
}

/** Returns the id of the token through which somebody writes; null: they write themselves, or are no person. */
export function tokenOf({ type, id }: Actor): string | null {
  const token = type === "person" && id.startsWith(programPrefix) ? id.slice(programPrefix.length) : workspaceToken;
  return token === workspaceToken ? null : token;
}

/** Returns the id under which a program writes that has a token. */
export function programOf(tokenId: string): ActorId {
  return `${programPrefix}${tokenId}` as ActorId;
}

/** Returns the holder of a token as the author of what it does: the program, on behalf of the person. */
export function holderOf({ id, name, by }: AccessToken): PersonActor {
  return { type: "person", id: programOf(id), name: `${name}, for ${by.name}` };
}

function asToken(token: v.InferOutput<typeof stored>): AccessToken {
  const { scope, by } = token;
  return {
    ...token,
    by: { type: "person", id: by.id as ActorId, name: by.name },
    scope:
      scope === null
        ? null
        : {
            folderIds: scope.folderIds as FolderId[],
            rootIds: scope.rootIds as RootId[],
            canvasIds: scope.canvasIds as BlockId[],
          },
  };
}
