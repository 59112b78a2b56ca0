import type { JsonObject } from "../../../core/base/json.ts";
import type { NativeExtras } from "../../../core/message/types.ts";

/** Where extras come from. */
export interface NativeSource {
  readonly api: string;
  readonly model: string | undefined;
}

/** The extras of a block, as the fields of it; nothing where there is nothing to keep. */
export function nativeOf(
  { api, model }: NativeSource,
  data: JsonObject | undefined,
): { readonly native?: NativeExtras } {
  if (data === undefined || Object.keys(data).length === 0) return {};
  return { native: { api, ...(model === undefined ? {} : { model }), data } };
}

/** One field of extras under its own name; nothing where they do not have it. */
export function nativeField(data: JsonObject | undefined, key: string): JsonObject {
  const value = data?.[key];
  return value === undefined ? {} : { [key]: value };
}
