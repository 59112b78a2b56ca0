import type { ApprovalTier, Budget, CompactionSettings } from "../../../core/forest/run-rules.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { compactAtDefault } from "../../../core/turn/compaction/limits.ts";
import { defaultTier } from "../../../core/turn/judge/judge-call.ts";
import type { RunRules } from "./conversation-ports.ts";

/** The rules of a conversation's runs: its own, else those of the conversation that started it, else the server's. */
export interface EffectiveRules {
  readonly approvals: ApprovalTier;
  readonly budget: Budget;
  readonly compaction: CompactionSettings;
  /** The conversations whose approval rules apply, and whose budget is used. */
  readonly family: readonly [ForestRoot, ...ForestRoot[]];
}

/** Reads the rules of a conversation; `server` is what the server was started with. */
export async function effectiveRules(
  store: Pick<Store, "root">,
  root: ForestRoot,
  server: RunRules = {},
): Promise<EffectiveRules> {
  const parent = root.parent === undefined ? null : await store.root(root.parent.rootId);
  return {
    approvals: root.approvals ?? parent?.approvals ?? server.approvals ?? defaultTier,
    budget: root.budget ?? parent?.budget ?? server.budget ?? {},
    compaction: { ...server.compaction, ...parent?.compaction, ...root.compaction },
    family: parent === null ? [root] : [root, parent],
  };
}

/** Returns the share of the window from which on a conversation's branches are summed up; null for never. */
export function compactAtOf({ at }: CompactionSettings): number | null {
  if (at === "off") return null;
  return at === undefined ? compactAtDefault : at / 100;
}
