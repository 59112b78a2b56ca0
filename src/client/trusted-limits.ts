import type { TextLimits } from "../core/text/types.ts";

/** What a client holds the server's texts to: nothing, because the server has held them to its own bounds. */
export const trustedLimits: TextLimits = {
  updateBytesMax: Number.MAX_SAFE_INTEGER,
  operationsMax: Number.MAX_SAFE_INTEGER,
  textUnitsMax: Number.MAX_SAFE_INTEGER,
};
