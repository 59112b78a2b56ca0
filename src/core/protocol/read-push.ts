import type { BlockId, RequestId } from "../base/ids.ts";
import { isJsonObject } from "../base/json.ts";
import { idForm, requestIdForm } from "./base/parts.ts";
import type { UpMessage } from "./base/messages.ts";
import { updateTextUnitsMax, updateTextUnitsMin } from "./up/push.ts";

type Push = Extract<UpMessage, { readonly type: "push" }>;

/**
 * Reads a push, the most frequent message, in a tenth of the schema's time. Accepts exactly what the schema accepts;
 * undefined for everything else.
 */
export function readPush(json: unknown): Push | undefined {
  if (!isJsonObject(json) || json["type"] !== "push") return undefined;
  const { requestId, blockId, update } = json;
  if (!isText<RequestId>(requestId, requestIdForm) || !isText<BlockId>(blockId, idForm)) return undefined;
  if (typeof update !== "string") return undefined;
  if (update.length < updateTextUnitsMin || update.length > updateTextUnitsMax) return undefined;
  return { type: "push", requestId, blockId, update };
}

function isText<Text extends string>(value: unknown, form: RegExp): value is Text {
  return typeof value === "string" && form.test(value);
}
