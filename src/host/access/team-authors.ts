import type { ModelActor, PersonActor } from "../../core/base/actor.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { ActorId, RootId, RunId, TurnId } from "../../core/base/ids.ts";
import type { Reach } from "./reach.ts";
import type { ChainPorts } from "./chains.ts";

// Authors as people of a team see them. An agent that wrote in a document leads to the conversation that it works in, which its
// readers may not know of. A name from before there were accounts is a claim that nobody has proved.

/** Returns an agent by its name alone: which model it is, in which run and by which call is its conversation's. */
export function unnamedAgent({ name, outside }: Pick<ModelActor, "name" | "outside">): ModelActor {
  const hidden = { model: "unknown", runId: "run" as RunId, turnId: "turn" as TurnId };
  const id = `agent:${name}` as ActorId;
  return { type: "model", id, name, ...hidden, ...(outside === undefined ? {} : { outside }) };
}

/** Returns data of a document with every agent by its name alone, and no run, turn or call of one. */
export function withoutRuns(value: unknown): unknown {
  return rewritten(value, (record) => (isAgent(record) ? unnamedAgent(record) : withoutIds(record)));
}

/** Returns an answer about documents without what leads to conversations that somebody may not know of; their agents by name. */
export async function withoutHiddenRuns(answer: object, reach: Reach, store: ChainPorts["store"]): Promise<object> {
  const leads = new Map<string, Lead>();
  rewritten(answer, (record) => {
    const lead = leadIn(record);
    if (lead !== null) leads.set(keyOf(lead), lead);
    return null;
  });
  const hidden = new Set<string>();
  for (const [key, { to, id }] of leads) {
    const rootId = to === "conversation" ? id : (await store[to](id as never))?.rootId;
    const root = rootId === undefined ? null : await store.root(rootId as RootId);
    if (root === null || !reach.conversation(root)) hidden.add(key);
  }
  if (hidden.size === 0) return answer;
  return rewritten(answer, (record) => {
    const lead = leadIn(record);
    return lead !== null && hidden.has(keyOf(lead)) ? lead.without : null;
  }) as object;
}

/** What leads from a record to a conversation, and the record without it. */
interface Lead {
  readonly to: "run" | "node" | "conversation";
  readonly id: string;
  readonly without: object;
}

/** The run of an agent or of a lease that was ended, the message of a revision, the conversation of a thread. */
function leadIn(record: Fields): Lead | null {
  if (isAgent(record)) return { to: "run", id: record.runId, without: unnamedAgent(record) };
  const { cancelledRunId, nodeId, conversationId } = record;
  if (typeof cancelledRunId === "string") {
    return { to: "run", id: cancelledRunId, without: { ...record, cancelledRunId: null } };
  }
  if (typeof nodeId === "string" && "revisionId" in record) {
    return { to: "node", id: nodeId, without: { ...record, nodeId: null } };
  }
  if (typeof conversationId !== "string") return null;
  return { to: "conversation", id: conversationId, without: withoutConversation(record) };
}

function keyOf({ to, id }: Lead): string {
  return `${to} ${id}`;
}

function withoutConversation({ conversationId: _conversation, ...rest }: Fields): Fields {
  return rest;
}

/** Whether a text may name people from before there were accounts. */
export function mayNameUnverified(text: string): boolean {
  return /"person_[0-9a-f]{8}"/u.test(text);
}

/** Returns data in which each person from before there were accounts is marked as unverified. */
export function withUnverifiedNames(value: unknown): unknown {
  if (!has(value, isUnverified)) return value;
  return rewritten(value, (record) =>
    isUnverified(record) ? { ...record, name: `${record.name} (unverified)` } : null,
  );
}

/** Such a person has an id that is made of the name alone. */
function isUnverified(record: Fields): record is Fields & PersonActor {
  const { type, id, name } = record;
  return type === "person" && typeof name === "string" && typeof id === "string" && /^person_[0-9a-f]{8}$/u.test(id);
}

function has(value: unknown, test: (record: Fields) => boolean): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  if (Array.isArray(value)) return value.some((each) => has(each, test));
  return test(value as Fields) || Object.values(value).some((each) => has(each, test));
}

type Fields = Readonly<Record<string, unknown>>;

function isAgent(record: Fields): record is Fields & ModelActor {
  return record["type"] === "model" && typeof record["runId"] === "string" && typeof record["name"] === "string";
}

/** Returns a copy in which `rewrite` replaced objects; null leaves one as it is, with what is in it rewritten. */
function rewritten(value: unknown, rewrite: (record: Fields) => object | null): unknown {
  if (Array.isArray(value)) return value.map((each) => rewritten(each, rewrite));
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const replaced = rewrite(value as Fields);
  // An actor, which is whole.
  if (replaced !== null && "type" in replaced && "name" in replaced) return replaced;
  return Object.fromEntries(Object.entries(replaced ?? value).map(([key, each]) => [key, rewritten(each, rewrite)]));
}

/** Takes the ids of a run, a turn and a call off what is no actor: a lease, or the unit of a change; off a thread that of its talk. */
function withoutIds(record: Fields): Fields | null {
  if ("conversationId" in record) return withoutConversation(record);
  if (!("runId" in record) && !("turnId" in record) && !("toolCallId" in record)) return null;
  const { toolCallId: _call, turnId: _turn, ...rest } = record;
  const id = typeof rest["id"] === "string" ? { id: sha256Hex(rest["id"]).slice(0, 32) } : {};
  return { ...rest, ...id, ...("runId" in rest ? { runId: "run" } : {}) };
}
