import type { PersonId } from "../../core/base/ids.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { isPending, type AuditEntry } from "../../core/rights/audit.ts";
import { noteOf, ruleAct, sourceOf, trashAct, type AuditAct } from "./audit-notes.ts";
import type { RightsKeeper } from "./rights-keeper.ts";

type EntryWrite = Extract<StoreWrite, { readonly type: "append-audit" }>;

/** Returns for whom a program from outside acts, by the id under which it writes; null: it is none. */
type PersonOfProgram = (actorId: string) => PersonId | null;

/**
 * A team's store. What is told of an act in its own transaction gets its place in the audit log there; what goes to the trash and
 * rules for further calls are told of by themselves, whoever did it. Commits that tell nothing pass as they are.
 */
export function auditedStore(
  store: Store,
  keeper: Pick<RightsKeeper, "commit">,
  personOfProgram: PersonOfProgram,
): Store {
  const commit: Store["commit"] = async (writes) => {
    if (!writes.some(isTold)) return store.commit(writes);
    const known = writes.filter(isPendingWrite);
    const told = toldBy(writes, known).map((entry): StoreWrite => ({ type: "append-audit", entry }));
    const all = await Promise.all([...writes, ...told].map((write) => withPerson(write, store, personOfProgram)));
    return keeper.commit(all);
  };
  const bound = new Map<string | symbol, unknown>([["commit", commit]]);
  return new Proxy(store, {
    get(target, name) {
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method: unknown = value.bind(target);
      bound.set(name, method);
      return method;
    },
  });
}

function isTold(write: StoreWrite): boolean {
  return write.type === "put-trash" || write.type === "put-approval-rule" || isPendingWrite(write);
}

function isPendingWrite(write: StoreWrite): write is EntryWrite {
  return write.type === "append-audit" && isPending(write.entry);
}

/** Returns what a transaction tells that nobody has told yet. */
function toldBy(writes: readonly StoreWrite[], known: readonly EntryWrite[]): readonly AuditEntry[] {
  const asked = known[0]?.entry;
  return writes.flatMap((write) => {
    if (write.type === "put-approval-rule" && asked !== undefined) return [noteOf(asked, ruleAct("made", write.rule))];
    // An entry that is put again was in the trash already.
    const isNew = !writes.some(
      ({ type, ...other }) => type === "delete-trash" && "id" in other && isSame(write, other),
    );
    if (write.type !== "put-trash" || !isNew) return [];
    const act = trashAct("deleted", write.entry);
    return known.some(({ entry }) => isOf(entry, act)) ? [] : [noteOf(sourceOf(write.entry.by), act)];
  });
}

function isSame(write: StoreWrite, { id }: { readonly id: unknown }): boolean {
  return write.type === "put-trash" && write.entry.id === id;
}

function isOf(entry: AuditEntry, { act, object }: AuditAct): boolean {
  return entry.act === act && entry.object === object;
}

/** Names the person for whom an agent acts: of a turn who began it, of a program from outside whose token it has. */
async function withPerson(
  write: StoreWrite,
  store: Pick<Store, "run">,
  personOfProgram: PersonOfProgram,
): Promise<StoreWrite> {
  if (!isPendingWrite(write)) return write;
  const { actor, through } = write.entry;
  const run = through !== null && actor.startsWith("model:") ? await store.run(through.runId) : null;
  // As a model the program has its name with a colon.
  const person = run?.settings?.payer ?? personOfProgram(actor.replace(/^agent:/u, "agent_"));
  return person === null ? write : { ...write, entry: { ...write.entry, actor: person } };
}
