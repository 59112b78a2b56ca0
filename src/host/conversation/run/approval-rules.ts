import type { Refusal } from "../../../core/base/errors.ts";
import { timeSortedId, type RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { ApprovalRule } from "../../../core/turn/state/approval.ts";
import { notRemembered, type Remember } from "../../base/once.ts";
import { notStored } from "../../base/store-refusal.ts";
import { SerialQueue } from "../../base/serial-queue.ts";

/** Limit of rules per conversation, and of rules for all; the oldest is dropped. */
export const approvalRulesMax = 500;

/** The rules that people made for further calls, in one conversation or in all. Changes run one after another. */
export class ApprovalRules {
  readonly #store: Pick<Store, "approvalRules" | "commit">;
  readonly #platform: Pick<Platform, "clock" | "random">;
  readonly #queue = new SerialQueue();

  constructor(store: Pick<Store, "approvalRules" | "commit">, platform: Pick<Platform, "clock" | "random">) {
    this.#store = store;
    this.#platform = platform;
  }

  /** Returns the rules of any of these conversations, or (for none) the rules for all; oldest first. */
  async rules(rootIds: readonly RootId[]): Promise<readonly ApprovalRule[]> {
    const lists = await Promise.all([null, ...rootIds].map((rootId) => this.#store.approvalRules(rootId)));
    return lists.flat().toSorted((a, b) => a.createdAt - b.createdAt);
  }

  newId(): string {
    const { clock, random } = this.#platform;
    return timeSortedId("rule", clock.now(), random.bytes(12));
  }

  /** Stores a rule in the transaction that `job` commits. It replaces an equal rule. */
  add<Value>(rule: ApprovalRule, job: (writes: readonly StoreWrite[]) => Promise<Value>): Promise<Value> {
    return this.#queue.run(async () => {
      const known = await this.#store.approvalRules(rule.rootId);
      const others = known.filter((other) => !saysTheSame(rule, other));
      const kept = new Set(others.slice(1 - approvalRulesMax));
      const dropped = known.filter((other) => !kept.has(other));
      return job([
        ...dropped.map(({ id }) => ({ type: "delete-approval-rule", id }) as const),
        { type: "put-approval-rule", rule },
      ]);
    });
  }

  /** Succeeds if there is no such rule. */
  async forget(id: string, remember: Remember<Record<never, never>> = notRemembered): Promise<Result<void, Refusal>> {
    const committed = await this.#store.commit([{ type: "delete-approval-rule", id }, ...remember({}, null)]);
    return committed.ok ? ok(undefined) : err(notStored(committed.error));
  }
}

function saysTheSame(a: ApprovalRule, b: ApprovalRule): boolean {
  return (
    a.toolName === b.toolName &&
    a.definitionHash === b.definitionHash &&
    a.call?.argumentsHash === b.call?.argumentsHash
  );
}
