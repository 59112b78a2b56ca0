import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import type { BlockChange } from "../../block/types.ts";
import type { WireChange } from "./messages.ts";

/** A block's change as it is sent. */
export function toWireChange(change: BlockChange): WireChange {
  return { ...change, what: toWireBody(change.what) };
}

/** What it did, as it is sent. `base64` is the platform's own encoder, where it has a faster one. */
export function toWireBody(what: BlockChange["what"], base64 = encodeBase64): WireChange["what"] {
  switch (what.type) {
    case "created":
    case "text":
      return { ...what, update: base64(what.update) };
    case "review":
    case "status":
    case "policy":
    case "metadata":
    case "flags":
    case "deleted":
      return what;
  }
}

/** A block's change as it was before it was sent; undefined when its bytes cannot be read. */
export function fromWireChange(change: WireChange): BlockChange | undefined {
  const { what } = change;
  switch (what.type) {
    case "created":
    case "text": {
      const update = decodeBase64(what.update);
      return update === undefined ? undefined : { ...change, what: { ...what, update } };
    }
    case "review":
    case "status":
    case "policy":
    case "metadata":
    case "flags":
    case "deleted":
      return { ...change, what };
  }
}
