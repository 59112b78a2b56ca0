import type { Actor, ModelActor } from "../core/base/actor.ts";
import { assert } from "../core/base/assert.ts";
import { sha256Hex } from "../core/base/hash.ts";
import type { RunId } from "../core/base/ids.ts";
import type { Clock } from "../core/port/platform.ts";
import type { Store } from "../core/port/store.ts";
import type { AgentId } from "../core/text/types.ts";

/** Hands out the numbers that edits are made under: durable before their first use, never reused. */
export interface Agents {
  /** The agent of a page: the same client and person get the same one again, also after a restart. */
  forClient(clientId: string, actor: Actor): Promise<AgentId>;
  /** The agent of a model's run: one a run, so that blame leads to it. */
  forRun(actor: ModelActor): Promise<AgentId>;
  /** Who an agent stands for; undefined for a number that was never handed out. */
  actorOf(agent: AgentId): Actor | undefined;
}

/** Loads every agent of the store; reads stay in memory from then on. */
export async function createAgents(store: Store, clock: Clock): Promise<Agents> {
  const records = await store.agents();
  const actorsByAgent = new Map(records.map((record) => [record.agent, record.actor]));
  const agentsByRun = new Map<RunId, AgentId>();
  for (const { agent, actor } of records) if (actor.type === "model") agentsByRun.set(actor.runId, agent);
  const agentsByKey = new Map<string, Promise<AgentId>>();
  let last = records.reduce((max, record) => Math.max(max, record.agent), 0);

  async function register(actor: Actor, key: string | null): Promise<AgentId> {
    last += 1;
    const agent = last as AgentId;
    const committed = await store.commit([
      { type: "put-agent", agent: { agent, actor, createdAt: clock.now() } },
      ...(key === null ? [] : [{ type: "put-meta", key, value: { agent } } as const]),
    ]);
    // A number whose record may or may not be on disk is spent either way.
    if (!committed.ok) throw new Error(`agent ${agent} could not be stored: ${committed.error.code}`);
    actorsByAgent.set(agent, actor);
    return agent;
  }

  /** Looks up or registers once, however many ask at the same time; a failure is forgotten, so that it can be tried again. */
  function once(key: string, find: () => Promise<AgentId>): Promise<AgentId> {
    const known = agentsByKey.get(key);
    if (known !== undefined) return known;
    const found = find();
    agentsByKey.set(key, found);
    found.catch(() => agentsByKey.delete(key));
    return found;
  }

  return {
    forClient(clientId, actor) {
      const key = `agent-of-client/${sha256Hex(JSON.stringify([clientId, actor.id]))}`;
      return once(key, async () => {
        const stored = await store.meta(key);
        if (stored === null) return register(actor, key);
        const { agent } = stored;
        assert(typeof agent === "number" && actorsByAgent.has(agent as AgentId), `the agent under ${key} is known`);
        return agent as AgentId;
      });
    },
    forRun(actor) {
      return once(`run/${actor.runId}`, async () => {
        const stored = agentsByRun.get(actor.runId);
        if (stored !== undefined) return stored;
        // The record stands for the whole run; each change names its own call.
        const { toolCallId: _call, ...ofRun } = actor;
        const agent = await register(ofRun, null);
        agentsByRun.set(actor.runId, agent);
        return agent;
      });
    },
    actorOf: (agent) => actorsByAgent.get(agent),
  };
}
