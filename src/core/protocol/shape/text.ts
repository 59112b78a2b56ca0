import * as v from "valibot";
import type { ReplicaId } from "../../text/types.ts";

/** The number of an editing replica. */
export const agentNumber = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.transform((number) => number as ReplicaId),
);

const unit = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** One unit of a text, by the replica that wrote it. */
export const opId = v.object({ replica: agentNumber, seq: unit });

/** A run of units of one replica. */
export const opSpan = v.object({ replica: agentNumber, seq: unit, length: unit });
