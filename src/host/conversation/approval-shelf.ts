import * as v from "valibot";
import type { Refusal } from "../../core/base/errors.ts";
import { timeSortedId, type RootId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { ApprovalRule } from "../../core/turn/approval.ts";
import { notStored } from "../store-refusal.ts";
import { SerialQueue } from "../serial-queue.ts";

const ruleShape = v.object({
  id: v.string(),
  toolName: v.string(),
  definitionHash: v.string(),
  call: v.nullable(v.object({ argumentsHash: v.string(), shown: v.string() })),
  createdAt: v.number(),
  createdBy: v.string(),
});
const listShape = v.object({ rules: v.array(v.unknown()) });

/** How many rules count in one conversation, or everywhere; the oldest gives way. */
export const approvalRulesMax = 500;

/** What people allowed for good, in the store's settings: one list for each conversation, and one for all. */
export class ApprovalShelf {
  readonly #store: Pick<Store, "meta" | "commit">;
  readonly #platform: Pick<Platform, "clock" | "random">;
  readonly #queue = new SerialQueue();

  constructor(store: Pick<Store, "meta" | "commit">, platform: Pick<Platform, "clock" | "random">) {
    this.#store = store;
    this.#platform = platform;
  }

  /** Those that count in any of these conversations, or (none) those that count in all; oldest first. */
  async rules(rootIds: readonly RootId[]): Promise<readonly ApprovalRule[]> {
    const lists = await Promise.all([null, ...rootIds].map((rootId) => this.#list(rootId)));
    return lists.flat().toSorted((a, b) => a.createdAt - b.createdAt);
  }

  /** An id for a new rule; it says where the rule counts. */
  newId(rootId: RootId | null): string {
    const { clock, random } = this.#platform;
    const id = timeSortedId("rule", clock.now(), random.bytes(12));
    return rootId === null ? id : `${id}/${rootId}`;
  }

  /** Keeps a rule with whatever else is stored by the job, all or none. It takes the place of one that says the same. */
  remember<Value>(rule: ApprovalRule, job: (write: StoreWrite) => Promise<Value>): Promise<Value> {
    return this.#queue.run(async () => {
      const others = (await this.#list(rule.rootId)).filter((other) => !saysTheSame(rule, other));
      return job(this.#write(rule.rootId, [...others.slice(1 - approvalRulesMax), rule]));
    });
  }

  /** A rule that is not there is forgotten already. */
  forget(ruleId: string): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const slash = ruleId.indexOf("/");
      const rootId = slash === -1 ? null : (ruleId.slice(slash + 1) as RootId);
      const rules = await this.#list(rootId);
      const left = rules.filter(({ id }) => id !== ruleId);
      if (left.length === rules.length) return ok(undefined);
      const committed = await this.#store.commit([this.#write(rootId, left)]);
      return committed.ok ? ok(undefined) : err(notStored(committed.error));
    });
  }

  async #list(rootId: RootId | null): Promise<readonly ApprovalRule[]> {
    const list = v.safeParse(listShape, await this.#store.meta(keyOf(rootId)));
    if (!list.success) return [];
    // What cannot be read allows nothing.
    return list.output.rules.flatMap((value) => {
      const rule = v.safeParse(ruleShape, value);
      return rule.success ? [{ ...rule.output, rootId }] : [];
    });
  }

  #write(rootId: RootId | null, rules: readonly ApprovalRule[]): StoreWrite {
    const value: JsonObject = { rules: rules.map(asJson) };
    return { type: "put-meta", key: keyOf(rootId), value };
  }
}

function saysTheSame(a: ApprovalRule, b: ApprovalRule): boolean {
  return (
    a.toolName === b.toolName &&
    a.definitionHash === b.definitionHash &&
    a.call?.argumentsHash === b.call?.argumentsHash
  );
}

function asJson({ id, toolName, definitionHash, call, createdAt, createdBy }: ApprovalRule): JsonObject {
  return { id, toolName, definitionHash, call: call === null ? null : { ...call }, createdAt, createdBy };
}

function keyOf(rootId: RootId | null): string {
  return `approval-rules/${rootId ?? "always"}`;
}
