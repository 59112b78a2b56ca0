import type { JsonObject } from "../../../core/base/json.ts";
import type { NativeExtras } from "../../../core/message/types.ts";

/** The origin of native extras. */
export interface NativeSource {
  readonly api: string;
  readonly model: string | undefined;
}

/** Returns the native extras of a block as its fields; nothing when there are none. */
export function nativeOf(
  { api, model }: NativeSource,
  data: JsonObject | undefined,
): { readonly native?: NativeExtras } {
  if (data === undefined || Object.keys(data).length === 0) return {};
  return { native: { api, ...(model === undefined ? {} : { model }), data } };
}

/** Returns one native field under its own name; nothing when it is missing. */
export function nativeField(data: JsonObject | undefined, key: string): JsonObject {
  const value = data?.[key];
  return value === undefined ? {} : { [key]: value };
}
