import type { TextLimits } from "./types.ts";

/** No limits: for data from our own store or server, which was checked when it arrived. */
export const trustedLimits: TextLimits = {
  updateBytesMax: Number.MAX_SAFE_INTEGER,
  operationsMax: Number.MAX_SAFE_INTEGER,
  textUnitsMax: Number.MAX_SAFE_INTEGER,
};
