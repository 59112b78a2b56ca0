import * as v from "valibot";
import type { BlockId, RunId } from "../../base/ids.ts";
import { actor, replicaActor, change, header, serverId, suggestion, thread, whole } from "./shapes.ts";

export const blockSnapshotMessage = v.object({
  type: v.literal("block-snapshot"),
  header,
  text: v.string(),
  hash: v.string(),
  replicas: v.array(replicaActor),
});

export const blockChangeMessage = v.object({
  type: v.literal("block-change"),
  change,
  replicas: v.exactOptional(v.array(replicaActor)),
});

export const leaseChangedMessage = v.object({
  type: v.literal("lease-changed"),
  canvasId: serverId<BlockId>(),
  epoch: whole,
  at: v.number(),
  held: v.nullable(
    v.object({
      runId: serverId<RunId>(),
      holderName: v.string(),
      since: v.number(),
      renewedAt: v.number(),
      expiresAt: v.number(),
    }),
  ),
});

export const suggestionsMessage = v.object({
  type: v.literal("suggestions"),
  canvasId: serverId<BlockId>(),
  whole: v.boolean(),
  suggestions: v.array(suggestion),
});

export const threadsMessage = v.object({
  type: v.literal("threads"),
  blockId: serverId<BlockId>(),
  /** Whether these are all threads of the document; otherwise those that changed. */
  whole: v.boolean(),
  threads: v.array(thread),
});

export const presenceOfMessage = v.object({
  type: v.literal("presence"),
  blockId: serverId<BlockId>(),
  clientId: v.string(),
  actor,
  selection: v.nullable(v.object({ anchor: whole, head: whole })),
});
