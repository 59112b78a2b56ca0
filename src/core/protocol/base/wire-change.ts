import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import type { BlockChange } from "../../block/types.ts";
import type { WireChange } from "./messages.ts";

/** Converts a block's change to its wire form. */
export function toWireChange(change: BlockChange): WireChange {
  return { ...change, body: toWireBody(change.body) };
}

/** What it did, as it is sent. `base64` is the platform's own encoder, where it has a faster one. */
export function toWireBody(body: BlockChange["body"], base64 = encodeBase64): WireChange["body"] {
  switch (body.type) {
    case "created":
    case "text":
      return { ...body, update: base64(body.update) };
    case "review":
    case "status":
    case "policy":
    case "metadata":
    case "flags":
    case "deleted":
    case "restored":
      return body;
  }
}

/** Converts a block's change from its wire form; undefined if its bytes cannot be read. */
export function fromWireChange(change: WireChange): BlockChange | undefined {
  const { body } = change;
  switch (body.type) {
    case "created":
    case "text": {
      const update = decodeBase64(body.update);
      return update === undefined ? undefined : { ...change, body: { ...body, update } };
    }
    case "review":
    case "status":
    case "policy":
    case "metadata":
    case "flags":
    case "deleted":
    case "restored":
      return { ...change, body };
  }
}
