import type { ModelActor, PersonActor } from "../../core/base/actor.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { ActorId, RunId, TurnId } from "../../core/base/ids.ts";
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

/** Returns an answer with the agents by their names alone whose conversations somebody may not know of. */
export async function withoutHiddenRuns(answer: object, reach: Reach, store: ChainPorts["store"]): Promise<object> {
  const runs = new Set<RunId>();
  rewritten(answer, (record) => {
    if (isAgent(record)) runs.add(record.runId);
    return null;
  });
  const hidden = new Set<RunId>();
  for (const runId of runs) {
    const run = await store.run(runId as never);
    const root = run === null ? null : await store.root(run.rootId);
    if (root === null || !reach.conversation(root)) hidden.add(runId);
  }
  if (hidden.size === 0) return answer;
  return rewritten(answer, (record) =>
    isAgent(record) && hidden.has(record.runId) ? unnamedAgent(record) : null,
  ) as object;
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
  if (replaced !== null && "name" in replaced) return replaced;
  return Object.fromEntries(Object.entries(replaced ?? value).map(([key, each]) => [key, rewritten(each, rewrite)]));
}

/** Takes the ids of a run, a turn and a call off what is no actor: a lease, or the unit of a change. */
function withoutIds(record: Fields): Fields | null {
  if (!("runId" in record) && !("turnId" in record) && !("toolCallId" in record)) return null;
  const { toolCallId: _call, turnId: _turn, ...rest } = record;
  const id = typeof rest["id"] === "string" ? { id: sha256Hex(rest["id"]).slice(0, 32) } : {};
  return { ...rest, ...id, ...("runId" in rest ? { runId: "run" } : {}) };
}
