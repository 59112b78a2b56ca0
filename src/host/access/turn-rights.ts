import type { Actor, PersonActor } from "../../core/base/actor.ts";
import { refusal } from "../../core/base/errors.ts";
import type { ActorId, BlockId, PersonId, RootId, RunId } from "../../core/base/ids.ts";
import type { RunRecord, Store, TurnAskers } from "../../core/port/store.ts";
import type { Chain } from "../../core/rights/object-key.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { NotStoredError } from "../base/store-refusal.ts";
import { programOf, tokenOf, type AccessTokens } from "./access-tokens.ts";
import { chainOf, type ChainPorts, type PlacedConversation } from "./chains.ts";
import { roleTest } from "./member.ts";
import { reachOfAgent, reachOfGrant, withinLimit, type AgentsReach } from "./reach.ts";
import type { RightsKeeper } from "./rights-keeper.ts";

interface TurnPorts {
  /** null where one person owns everything. */
  readonly keeper: Pick<RightsKeeper, "rights"> | null;
  readonly tokens: Pick<AccessTokens, "grantOf" | "isKnown" | "isValid" | "personOfProgram">;
  readonly store: ChainPorts["store"] & Pick<Store, "run" | "meta">;
  readonly folders: ChainPorts["folders"];
}

type AskedRun = Pick<RunRecord, "rootId" | "settings" | "subAgent">;

/**
 * Whom a turn works for, what it may do for them, and whether it may go on: it has the rights of who began it and of all who steered
 * it, within what their tokens allow, at each moment at which it is asked.
 */
export class TurnRights {
  readonly #ports: TurnPorts;

  constructor(ports: TurnPorts) {
    this.#ports = ports;
  }

  /** Returns for whom a turn works that somebody begins or steers: for nobody, where Heddle itself does. */
  askersOf(sender: Actor): TurnAskers {
    if (sender.type !== "person") return {};
    const { keeper } = this.#ports;
    const payer = keeper === null ? null : this.#personOf(sender, keeper);
    const token = tokenOf(sender);
    return { ...(payer === null ? {} : { payer }), ...(token === null ? {} : { tokens: [token] }) };
  }

  /** Returns who pays for a turn: who began it, also where it was begun through a token that was not known then; null: nobody of a team. */
  payerOf({ payer, tokens = [] }: TurnAskers): PersonId | null {
    const { keeper, tokens: known } = this.#ports;
    if (payer !== undefined || keeper === null) return payer ?? null;
    return tokens.map((id) => known.personOfProgram(programOf(id))).find((person) => person !== null) ?? null;
  }

  /** Whether it is known whose the tokens are with which a turn was begun. */
  isKnown({ tokens = [] }: TurnAskers): boolean {
    return tokens.every((id) => this.#ports.tokens.isKnown(id));
  }

  /** Returns what the agent of a turn may know of and change; null: everything. */
  async reach(root: PlacedConversation, asked: TurnAskers): Promise<AgentsReach | null> {
    const { keeper, tokens, ...ports } = this.#ports;
    const people = peopleOf(asked);
    const audience = keeper === null ? null : await this.#audienceOf(root);
    const ofPeople = keeper === null ? null : reachOfAgent(keeper, root, { ...ports, people, audience });
    const limits = await Promise.all((asked.tokens ?? []).map((id) => reachOfGrant(tokens.grantOf(id), root, ports)));
    return limits.reduce<AgentsReach | null>(withinLimit, ofPeople);
  }

  /** Returns the document in whose comments an agent of a conversation answers; null: in none. */
  async #audienceOf({ id, parent }: PlacedConversation): Promise<Chain | null> {
    const kept = await this.#ports.store.meta(metaKeys.commentTalk(parent?.rootId ?? id));
    const blockId = kept?.["blockId"];
    return typeof blockId === "string" ? chainOf({ type: "block", id: blockId as BlockId }, this.#ports) : null;
  }

  /** Returns what the agent of a run may know of and change now; null: everything. */
  async reachOfRun(rootId: RootId, runId: RunId): Promise<AgentsReach | null> {
    const { store, folders } = this.#ports;
    const [root, run] = await Promise.all([store.root(rootId), store.run(runId)]);
    if (root === null || run === null) return reachOfGrant(null, { id: rootId }, { store, folders });
    return this.reach(root, await this.askersOfRun(run));
  }

  /**
   * Returns whose rights a program that answers in a run may be lent; null: nobody's, as where a program began or steered the
   * turn. `speakers` are the authors of the branch, oldest first.
   */
  async lenderOf(runId: RunId, speakers: readonly Actor[]): Promise<PersonActor | null> {
    const run = await this.#ports.store.run(runId);
    const { payer, tokens = [] } = run === null ? {} : await this.askersOfRun(run);
    if (run === null || tokens.length > 0) return null;
    const { keeper } = this.#ports;
    // One person owns everything; which of their names it is, their last message says.
    if (keeper === null) return speakers.findLast(isThemselves) ?? null;
    const name = payer === undefined ? undefined : keeper.rights.people.get(payer);
    return payer === undefined || name === undefined ? null : { type: "person", id: payer as string as ActorId, name };
  }

  /** Returns for whom a run works: a sub-agent also for all for whom the run works that began it. */
  async askersOfRun({ settings = {}, subAgent }: Pick<AskedRun, "settings" | "subAgent">): Promise<TurnAskers> {
    const parent = subAgent === null ? null : await this.#ports.store.run(subAgent.parentRunId);
    return parent === null ? settings : joinedBy(settings, await this.askersOfRun(parent));
  }

  /**
   * Returns whether a run may go on: `ended` where somebody for whom it works may not ask in its conversation any longer, or a token
   * with which they asked is over; `unknown` while such a token is kept where nobody has looked yet.
   */
  async stateOf(run: AskedRun): Promise<"asked" | "ended" | "unknown"> {
    const { keeper, tokens } = this.#ports;
    const asked = await this.askersOfRun(run);
    const ids = asked.tokens ?? [];
    if (ids.some((id) => tokens.isKnown(id) && !tokens.isValid(id))) return "ended";
    const people = peopleOf(asked);
    if (keeper !== null && people.length > 0 && !(await this.#mayAsk(run, people))) return "ended";
    return this.isKnown(asked) ? "asked" : "unknown";
  }

  /** Whether a run may not go on. Throws what passes while that is unknown. */
  async hasEnded(run: AskedRun): Promise<boolean> {
    const state = await this.stateOf(run);
    if (state === "unknown") throw new NotStoredError(refusal("STORE_FAILED"));
    return state === "ended";
  }

  /** Whether who sent a message that waits may still ask: their account and their token are there, and their role is high enough. */
  async mayStillSend(sender: Actor, run: AskedRun): Promise<boolean> {
    const { keeper, tokens } = this.#ports;
    if (sender.type !== "person") return true;
    const token = tokenOf(sender);
    if (token !== null && tokens.isKnown(token) && !tokens.isValid(token)) return false;
    if (keeper === null) return true;
    const person = this.#personOf(sender, keeper);
    // Of a token that nobody has looked at yet it is not known whose it is.
    if (person === null) return token !== null && !tokens.isKnown(token);
    return this.#mayAsk(run, [person]);
  }

  #personOf({ id }: Actor, { rights }: Pick<RightsKeeper, "rights">): PersonId | null {
    const person = id as string as PersonId;
    return rights.people.has(person) ? person : this.#ports.tokens.personOfProgram(id);
  }

  async #mayAsk({ rootId }: AskedRun, people: readonly PersonId[]): Promise<boolean> {
    const { keeper } = this.#ports;
    const chain = await chainOf({ type: "conversation", id: rootId }, this.#ports);
    if (keeper === null || chain === null) return true;
    return people.every((id) => keeper.rights.people.has(id) && roleTest(keeper, id)(chain, "editor"));
  }
}

/** Returns for whom a turn works that somebody joins. */
export function joinedBy<Asked extends TurnAskers>(asked: Asked, by: TurnAskers): Asked {
  const { payer } = asked;
  const others = peopleOf(by).filter((id) => id !== payer);
  const joined = [...new Set([...(asked.joined ?? []), ...others])];
  const tokens = [...new Set([...(asked.tokens ?? []), ...(by.tokens ?? [])])];
  return { ...asked, ...(joined.length === 0 ? {} : { joined }), ...(tokens.length === 0 ? {} : { tokens }) };
}

function isThemselves(actor: Actor): actor is PersonActor {
  return actor.type === "person" && tokenOf(actor) === null;
}

function peopleOf({ payer, joined = [] }: TurnAskers): readonly PersonId[] {
  return payer === undefined ? joined : [payer, ...joined];
}
