import type { Clock } from "../../core/port/platform.ts";
import type { AuditFacts } from "../../core/rights/audit.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";

/** What was refused, as the audit log is told of it. */
type RefusedFacts = Pick<AuditFacts, "actor" | "credential" | "address" | "act" | "object"> & {
  readonly outcome: "refused";
};

/** Refusals that came after one that was told, and are told together. */
interface RefusalsTogether extends RefusedFacts {
  readonly after: { readonly times: number };
}

const minuteMs = 60 * 1000;
const hourMs = 60 * minuteMs;
/** How many refusals an hour are told each by itself, whoever they are of. */
export const refusalsPerHourMax = 200;
/** How many kinds of refusals are counted at once. */
const countedMax = 500;
/** As whom those are told that come when too many were told already. */
const many = "many";

interface Counted {
  readonly facts: RefusedFacts;
  object: RefusedFacts["object"];
  times: number;
  windowMs: number;
  cancel: () => void;
}

/**
 * Bounds what the audit log has of refusals, so that nobody fills the disk with what they may not do. The first of a kind (who, from
 * where, what) is told at once; those that follow are counted and told together, after a minute, and after twice as long each
 * time that more came, at most an hour.
 */
export class RefusalBound {
  readonly #clock: Pick<Clock, "now" | "setTimer">;
  readonly #tell: (together: RefusalsTogether) => void;
  readonly #countedByKind = new Map<string, Counted>();
  #hourBegan = 0;
  #inHour = 0;

  constructor(clock: Pick<Clock, "now" | "setTimer">, tell: (together: RefusalsTogether) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Counts a refusal; true: it is told at once, by itself. */
  take(facts: RefusedFacts): boolean {
    const kind = [facts.actor, facts.address, facts.act].join(" ");
    const known = this.#countedByKind.get(kind);
    if (known === undefined && this.#isFull()) return this.#takeWithMany(facts);
    if (known !== undefined) {
      add(known, facts);
      return false;
    }
    this.#inHour += 1;
    this.#open(kind, facts);
    return true;
  }

  /** Tells what was counted, and counts no more. */
  close(): void {
    for (const counted of this.#countedByKind.values()) {
      counted.cancel();
      this.#tellCounted(counted);
    }
    this.#countedByKind.clear();
  }

  #isFull(): boolean {
    const now = this.#clock.now();
    if (now - this.#hourBegan >= hourMs) {
      this.#hourBegan = now;
      this.#inHour = 0;
    }
    return this.#inHour >= refusalsPerHourMax || this.#countedByKind.size >= countedMax;
  }

  #takeWithMany(facts: RefusedFacts): false {
    const [act = ""] = facts.act.split(" ");
    const kind = [many, "", act].join(" ");
    const all = { ...facts, act, actor: many, credential: null, address: null };
    add(this.#countedByKind.get(kind) ?? this.#open(kind, all), all);
    return false;
  }

  #open(kind: string, facts: RefusedFacts): Counted {
    const counted = { facts, object: facts.object, times: 0, windowMs: minuteMs, cancel: (): void => {} };
    this.#countedByKind.set(kind, counted);
    this.#await(kind, counted);
    return counted;
  }

  #await(kind: string, counted: Counted): void {
    counted.cancel = this.#clock.setTimer(counted.windowMs, () => {
      if (counted.times === 0) {
        this.#countedByKind.delete(kind);
        return;
      }
      this.#tellCounted(counted);
      counted.windowMs = Math.min(hourMs, 2 * counted.windowMs);
      this.#await(kind, counted);
    });
  }

  #tellCounted(counted: Counted): void {
    const { facts, object, times } = counted;
    if (times === 0) return;
    counted.times = 0;
    counted.object = facts.object;
    this.#inHour += 1;
    this.#tell({ ...facts, object, after: { times } });
  }
}

function add(counted: Counted, { object }: RefusedFacts): void {
  counted.times += 1;
  if (counted.object !== object) counted.object = workspaceKey;
}
