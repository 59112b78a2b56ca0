import type { Clock } from "../../core/port/platform.ts";
import type { Readiness } from "../server/http/readiness.ts";
import type { ClusterNode } from "./cluster-node.ts";

/** A node is ready while its renewals succeed and it knows a node that owns the workspace. */
export function readinessOf(node: ClusterNode, clock: Clock): Readiness {
  const { phase, incarnation, renewed, identity } = node.state;
  const renewedMs = renewed === null ? null : clock.monotonic() - renewed.monotonicMs;
  const isRenewed = renewedMs !== null && renewedMs <= identity.ttlMs / 2;
  return {
    isReady: phase === "live" && isRenewed && !node.isLate && node.owner !== null,
    facts: {
      phase,
      node: identity.nodeId,
      incarnation: incarnation ?? 0,
      renews: isRenewed,
      owns: node.serving !== null,
    },
  };
}
