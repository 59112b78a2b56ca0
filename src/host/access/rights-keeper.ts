import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { Store, StoreRefusal, StoreWrite } from "../../core/port/store.ts";
import { auditEntry, isPending, type AuditEntry, type AuditFacts } from "../../core/rights/audit.ts";
import { changeRights, type RightsChange } from "../../core/rights/change-rights.ts";
import { decide, type Asker, type Decision, type Question } from "../../core/rights/decide.ts";
import { workspaceKey, type Chain, type ObjectKey } from "../../core/rights/object-key.ts";
import { rowKey, type RightsRow } from "../../core/rights/rights-row.ts";
import { noRights, ownersOf, withRows, type Rights } from "../../core/rights/rights.ts";
import type { Verb } from "../../core/rights/verb-table.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { RefusalBound } from "./refusal-bound.ts";
import { notStored } from "../base/store-refusal.ts";

/** Who asks for a change of rights, and through what. */
interface RightsAsker {
  readonly asker: Extract<Asker, { readonly type: "person" }>;
  /** The id of the session or token. */
  readonly credential: string | null;
  /** The network address, shortened to its network. */
  readonly address: string | null;
}

/** A change of rights that somebody asks for. */
export interface RightsRequest extends RightsAsker {
  readonly verb: Verb;
  /** The object, with all that it lies in. */
  readonly chain: Chain;
  readonly changes: NonEmptyArray<RightsChange>;
  /** What is stored with it, all or nothing. */
  readonly also?: readonly StoreWrite[];
  /** Whom the audit log names; the asker if absent. */
  readonly actor?: PersonId;
}

type Ports = Pick<Store, "rights" | "auditHead" | "commit">;

/**
 * Who may do what in a workspace now. A change is decided, stored with its entry in the audit log, and only then in force;
 * one that was decided by older rights than the stored ones is decided again.
 */
export class RightsKeeper {
  readonly #store: Ports;
  readonly #clock: Pick<Clock, "now">;
  readonly #refusals: RefusalBound;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Set<() => void>();
  #rights: Rights = noRights;
  #seq = 0;
  #lastEntry: AuditEntry | null = null;

  static async open(store: Ports, clock: Pick<Clock, "now" | "setTimer">): Promise<RightsKeeper> {
    const keeper = new RightsKeeper(store, clock);
    await keeper.#refresh();
    return keeper;
  }

  private constructor(store: Ports, clock: Pick<Clock, "now" | "setTimer">) {
    this.#store = store;
    this.#clock = clock;
    // Its failure is the store's, which everybody is told of who writes.
    this.#refusals = new RefusalBound(clock, (together) => void this.#append(together).catch(() => undefined));
  }

  /** Tells the audit log what was refused and only counted. */
  async close(): Promise<void> {
    this.#refusals.close();
    await this.#queue.drained();
  }

  /** Who may do what; replaced by each change. */
  get rights(): Rights {
    return this.#rights;
  }

  decide(asker: Asker, question: Omit<Question, "now">): Decision {
    return decide(this.#rights, asker, { ...question, now: this.#clock.now() });
  }

  /** Notifies of every change, once it is in force: what was allowed before may be allowed no longer. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes somebody the first owner. Refused once there is an owner. */
  begin(id: PersonId, name: string, also: readonly StoreWrite[] = []): Promise<Result<void, Refusal>> {
    const changes: readonly RightsChange[] = [
      { type: "person-added", id, name },
      { type: "role-set", object: workspaceKey, subject: { type: "person", id }, role: "owner" },
    ];
    return this.#make(
      () => {
        if (ownersOf(this.#rights).length === 0) return ok(changes);
        const message = "This workspace has an owner already. Nothing was changed; ask an owner for an invitation.";
        return err(refusal("FORBIDDEN", {}, message));
      },
      { actor: id, credential: null, address: null, act: "workspace.begin", object: workspaceKey },
      also,
    );
  }

  /** Makes changes, all or none, if the one who asks may. */
  async change({
    asker,
    credential,
    address,
    verb,
    chain,
    changes,
    also = [],
    actor = asker.id,
  }: RightsRequest): Promise<Result<void, Refusal>> {
    const [object] = chain;
    const facts = { actor, credential, address, act: verb, object };
    return this.#make(
      () => {
        const refused = refusalOf(this.decide(asker, { verb, chain }), object);
        return refused === null ? ok(changes) : err(refused);
      },
      facts,
      also,
    );
  }

  /** Makes somebody the owner of what Heddle made for them, and closes it to everybody else. */
  closeFor(owner: PersonId, object: ObjectKey): Promise<Result<void, Refusal>> {
    const change: RightsChange = { type: "inherits-set", object, inherits: false, by: owner };
    const facts = { actor: owner, credential: null, address: null, act: "conversation.share", object };
    return this.#make(() => ok([change]), facts, []);
  }

  /**
   * Adds an entry to the audit log for what is no change of rights, with what it is about, all or nothing. Of many refusals the
   * first has an entry, and the others one together.
   */
  async record(
    facts: Pick<AuditFacts, "actor" | "credential" | "address" | "act" | "object" | "outcome">,
    also: readonly StoreWrite[] = [],
  ): Promise<Result<void, Refusal>> {
    const { outcome, ...what } = facts;
    if (outcome === "refused" && also.length === 0 && !this.#refusals.take({ ...what, outcome })) return ok(undefined);
    return this.#append({ ...facts, after: null }, also);
  }

  #append(
    facts: Pick<AuditFacts, "actor" | "credential" | "address" | "act" | "object" | "outcome" | "after">,
    also: readonly StoreWrite[] = [],
  ): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const rest = { at: this.#clock.now(), through: null, rightsSeq: this.#seq, before: null };
        const entry = auditEntry(this.#lastEntry, { ...facts, ...rest });
        const made = await this.#store.commit([...also, { type: "append-audit", entry }]);
        if (made.ok) {
          this.#lastEntry = entry;
          return ok(undefined);
        }
        if (made.error.code !== "CONFLICT" || made.error.index < also.length) return err(notStored(made.error));
        await this.#refresh();
      }
      return err(refusal("CONFLICT"));
    });
  }

  /**
   * Commits writes among which are entries without a place in the log: they follow the last one, in their order. A commit that
   * another process's entry came before is tried again.
   */
  commit(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>> {
    return this.#queue.run(async () => {
      for (let tries = 1; ; tries += 1) {
        let last = this.#lastEntry;
        const placed = writes.map((write): StoreWrite => {
          if (write.type !== "append-audit" || !isPending(write.entry)) return write;
          last = auditEntry(last, { ...write.entry, at: this.#clock.now(), rightsSeq: this.#seq });
          return { type: "append-audit", entry: last };
        });
        const made = await this.#store.commit(placed);
        if (made.ok) this.#lastEntry = last;
        const isLate = !made.ok && made.error.code === "CONFLICT" && writes[made.error.index]?.type === "append-audit";
        if (!isLate || tries === triesMax) return made;
        await this.#refresh();
      }
    });
  }

  #make(
    judge: () => Result<readonly RightsChange[], Refusal>,
    facts: Pick<AuditFacts, "actor" | "credential" | "address" | "act" | "object">,
    also: readonly StoreWrite[],
  ): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const judged = judge();
        const rows = judged.ok ? rowsOf(this.#rights, judged.value) : judged;
        if (!rows.ok && !this.#refusals.take({ ...facts, outcome: "refused" })) return err(rows.error);
        const made = await this.#commit(rows.ok ? rows.value : [], facts, also);
        if (!made.ok && made.error.code !== "CONFLICT") return err(notStored(made.error));
        if (made.ok) return rows.ok ? ok(undefined) : err(rows.error);
        // Another process was first: what was true then may be true no longer.
        await this.#refresh();
      }
      return err(refusal("CONFLICT"));
    });
  }

  /** Stores what was decided with its entry of the audit log. CONFLICT: other rights or another entry came in between. */
  async #commit(
    rows: readonly RightsRow[],
    facts: Pick<AuditFacts, "actor" | "credential" | "address" | "act" | "object">,
    also: readonly StoreWrite[],
  ): Promise<Result<void, StoreRefusal>> {
    const seq = this.#seq + 1;
    const isDone = rows.length > 0;
    const entry = auditEntry(this.#lastEntry, {
      ...facts,
      at: this.#clock.now(),
      through: null,
      outcome: isDone ? "done" : "refused",
      rightsSeq: isDone ? seq : this.#seq,
      before: null,
      after: isDone ? { rows: JSON.parse(JSON.stringify(rows.map(withoutSecret))) } : null,
    });
    const writes = isDone ? [...also, { type: "put-rights", seq, rows } as const] : [];
    const committed = await this.#store.commit([...writes, { type: "append-audit", entry }]);
    if (!committed.ok) return committed;
    this.#lastEntry = entry;
    if (!isDone) return committed;
    this.#seq = seq;
    this.#rights = withRows(this.#rights, rows);
    for (const listener of this.#listeners) listener();
    return committed;
  }

  async #refresh(): Promise<void> {
    const later = await this.#store.rights(this.#seq);
    this.#lastEntry = await this.#store.auditHead();
    if (later.length === 0) return;
    this.#rights = withRows(
      this.#rights,
      later.map(({ row }) => row),
    );
    this.#seq = later.at(-1)?.seq ?? this.#seq;
    for (const listener of this.#listeners) listener();
  }
}

/** How often a change is decided again because another process changed rights meanwhile. */
const triesMax = 5;

/** Returns the rows of several changes, each decided by what the ones before it made; a row that changes twice counts once. */
function rowsOf(rights: Rights, changes: readonly RightsChange[]): Result<readonly RightsRow[], Refusal> {
  const rowsByKey = new Map<string, RightsRow>();
  let now = rights;
  for (const change of changes) {
    const rows = changeRights(now, change);
    if (!rows.ok) return rows;
    for (const row of rows.value) rowsByKey.set(rowKey(row), row);
    now = withRows(now, rows.value);
  }
  return ok([...rowsByKey.values()]);
}

function refusalOf(decision: Decision, object: string): Refusal | null {
  switch (decision) {
    case "allowed":
      return null;
    case "hidden":
      return refusal("NOT_FOUND", { object });
    case "refused":
      return refusal("FORBIDDEN", { object }, "Your role does not allow this. Nothing was changed; ask an owner.");
    case "reauthenticate":
      return refusal("REAUTHENTICATE");
  }
}

/** The hashes of a link's secret and of the proof of its password are of no use in a log. */
function withoutSecret(row: RightsRow): RightsRow {
  if (row.type !== "link") return row;
  const { proofHash: _, ...rest } = row;
  return { ...rest, hash: "" };
}
