import type { PersonActor } from "../../core/base/actor.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { TurnId } from "../../core/base/ids.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";
import { withinLimit, type AgentsReach } from "./reach.ts";

/** A turn of an agent that Heddle runs as a program of its own. */
interface LentTurn {
  readonly turnId: TurnId;
  /** Who began it. */
  readonly by: PersonActor;
  /** Returns what the agent may know of and change at this moment; null: what the token allows. */
  readonly reach: () => Promise<AgentsReach | null>;
}

/** A token as its lender has it. */
export interface LentToken {
  /** Makes it valid for a turn. */
  beginTurn(turn: LentTurn): void;
  isFor(turnId: TurnId): boolean;
  /** The turn is over, or works for others besides. */
  endTurn(turnId: TurnId): void;
  /** Ends it for good. */
  end(): void;
}

interface Lent {
  readonly grant: Grant & { readonly hash: string; readonly createdAt: number };
  readonly turns: Map<TurnId, LentTurn>;
}

/**
 * Tokens that are lent to programs which Heddle runs itself. Each is valid for the turns on which its program works, with
 * the rights of who began them, and not between them or where they are of different people. None is stored: with the
 * process that lent them they are gone.
 */
export class LentTokens {
  readonly #lentById = new Map<string, Lent>();
  readonly #notify: (tokenId: string) => void;

  /** `notify` is told of each token that is valid no longer, or for another person. */
  constructor(notify: (tokenId: string) => void) {
    this.#notify = notify;
  }

  lend(grant: Lent["grant"]): LentToken {
    const { id } = grant;
    const lent: Lent = { grant, turns: new Map() };
    this.#lentById.set(id, lent);
    const changing = (change: () => void): void => {
      const before = holderOf(lent)?.id;
      change();
      if (before !== undefined && holderOf(lent)?.id !== before) this.#notify(id);
    };
    return {
      beginTurn: (turn) => changing(() => lent.turns.set(turn.turnId, turn)),
      isFor: (turnId) => lent.turns.has(turnId),
      endTurn: (turnId) => changing(() => lent.turns.delete(turnId)),
      end: () => {
        changing(() => lent.turns.clear());
        this.#lentById.delete(id);
      },
    };
  }

  /** Finds a valid token by what its holder sends. */
  find(secret: string) {
    const hash = sha256Hex(secret);
    const lent = [...this.#lentById.values()].find(({ grant }) => grant.hash === hash);
    const by = lent === undefined ? null : holderOf(lent);
    if (lent === undefined || by === null) return null;
    return { ...lent.grant, by, expiresAt: null, narrowedTo: () => reachOf(lent) };
  }

  /** Returns who has a token at this moment; null: nobody. */
  holderOf(tokenId: string): PersonActor | null {
    const lent = this.#lentById.get(tokenId);
    return lent === undefined ? null : holderOf(lent);
  }

  /** Returns what a token allows at most; null: it is not valid. */
  grantOf(tokenId: string): Grant | null {
    return this.holderOf(tokenId) === null ? null : (this.#lentById.get(tokenId)?.grant ?? null);
  }
}

/** Which turn a call is of is not known, so one token is never valid for two people. */
function holderOf({ turns }: Lent): PersonActor | null {
  const [first, ...others] = [...turns.values()];
  return first !== undefined && others.every(({ by }) => by.id === first.by.id) ? first.by : null;
}

async function reachOf({ turns }: Lent): Promise<AgentsReach | null> {
  const all = await Promise.all([...turns.values()].map(({ reach }) => reach()));
  return all.reduce((most, each) => (each === null ? most : withinLimit(most, each)), null);
}
