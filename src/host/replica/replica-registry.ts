import type { Actor, ModelActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { RunId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { AgentId } from "../../core/text/types.ts";
import { clientKey } from "../base/client-key.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notStored } from "../base/store-refusal.ts";

/**
 * Assigns the numbers of editing replicas: stored before their first use, never reused. `forClient` and `forRun` reject
 * where a new number cannot be stored.
 */
export interface Agents {
  /** Returns the number of a page: the same client and person get the same one again, also after a restart. */
  forClient(clientId: string, actor: Actor): Promise<AgentId>;
  /** Returns the number of a model's run: one for each run, so that blame leads to it. */
  forRun(actor: ModelActor): Promise<AgentId>;
  /**
   * Returns the number of the server replica that writes for a page: the page numbers its own operations, so nobody else may
   * make one under its number.
   */
  handOf(agent: AgentId): Promise<Result<AgentId, Refusal>>;
  /** Returns the page that a server replica writes for; any other number owns itself. */
  ownerOf(agent: AgentId): Promise<AgentId>;
  /** Returns whose number this is; undefined for a number that was never assigned. */
  actorOf(agent: AgentId): Actor | undefined;
}

/** Loads every number of the store; later reads need only memory. */
export async function createAgents(store: Store, clock: Clock): Promise<Agents> {
  const records = await store.agents();
  const actorsByAgent = new Map(records.map((record) => [record.agent, record.actor]));
  const agentsByRun = new Map<RunId, AgentId>();
  for (const { agent, actor } of records) if (actor.type === "model") agentsByRun.set(actor.runId, agent);
  const foundByKey = new Map<string, Promise<Result<AgentId, Refusal>>>();
  let last = records.reduce((max, record) => Math.max(max, record.agent), 0);

  async function register(
    actor: Actor,
    metaOf: (agent: AgentId) => readonly MetaWrite[],
  ): Promise<Result<AgentId, Refusal>> {
    for (;;) {
      // The number counts as used, whether or not its record reached the disk.
      last += 1;
      const agent = last as AgentId;
      const committed = await store.commit([
        { type: "put-agent", agent: { agent, actor, createdAt: clock.now() } },
        ...metaOf(agent),
      ]);
      if (committed.ok) {
        actorsByAgent.set(agent, actor);
        return ok(agent);
      }
      // The number belongs to a client whose record cannot be read.
      if (committed.error.code !== "CONFLICT") return err(notStored(committed.error));
    }
  }

  /**
   * Runs one lookup or registration per key, however many callers wait; a failure is dropped, so that the next call tries
   * again.
   */
  function once(key: string, find: () => Promise<Result<AgentId, Refusal>>): Promise<Result<AgentId, Refusal>> {
    const known = foundByKey.get(key);
    if (known !== undefined) return known;
    const found = find();
    foundByKey.set(key, found);
    const forget = (): boolean => foundByKey.delete(key);
    found.then((result) => result.ok || forget(), forget);
    return found;
  }

  /** Returns the number stored under a key; null where there is none, or its record cannot be read. */
  async function agentUnder(key: string): Promise<AgentId | null> {
    const agent = (await store.meta(key))?.["agent"];
    return typeof agent === "number" && actorsByAgent.has(agent as AgentId) ? (agent as AgentId) : null;
  }

  return {
    async forClient(clientId, actor) {
      const key = metaKeys.agentOfClient(clientKey(clientId, actor));
      const found = await once(key, async () => {
        const known = await agentUnder(key);
        return known === null ? register(actor, (agent) => [agentMeta(key, agent)]) : ok(known);
      });
      // The store has the number now; a thousand clients that came once need no memory here.
      foundByKey.delete(key);
      return stored(found);
    },
    async forRun(actor) {
      const found = await once(`run/${actor.runId}`, async () => {
        const stored = agentsByRun.get(actor.runId);
        if (stored !== undefined) return ok(stored);
        // The record is for the whole run; each change names its own call.
        const { toolCallId: _call, ...ofRun } = actor;
        const registered = await register(ofRun, () => []);
        if (registered.ok) agentsByRun.set(actor.runId, registered.value);
        return registered;
      });
      return stored(found);
    },
    handOf(owner) {
      const key = metaKeys.handOfAgent(owner);
      return once(key, async () => {
        const known = await agentUnder(key);
        if (known !== null) return ok(known);
        const actor = must(actorsByAgent.get(owner), `the agent ${owner} is known`);
        return register(actor, (hand) => [agentMeta(key, hand), agentMeta(metaKeys.ownerOfAgent(hand), owner)]);
      });
    },
    async ownerOf(agent) {
      return (await agentUnder(metaKeys.ownerOfAgent(agent))) ?? agent;
    },
    actorOf: (agent) => actorsByAgent.get(agent),
  };
}

function stored(found: Result<AgentId, Refusal>): AgentId {
  if (!found.ok) throw new Error(`an agent could not be stored: ${found.error.code}`);
  return found.value;
}

type MetaWrite = Extract<StoreWrite, { type: "put-meta" }>;

function agentMeta(key: string, agent: AgentId): MetaWrite {
  return { type: "put-meta", key, value: { agent } };
}
