import type { TextLimits } from "./types.ts";

/** No bounds: for what our own store or server gives, which has been held to them. */
export const trustedLimits: TextLimits = {
  updateBytesMax: Number.MAX_SAFE_INTEGER,
  operationsMax: Number.MAX_SAFE_INTEGER,
  textUnitsMax: Number.MAX_SAFE_INTEGER,
};
