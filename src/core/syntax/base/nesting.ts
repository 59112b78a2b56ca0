import type { Json } from "../../base/json.ts";

/** The deepest nesting of a call's values; recursive code goes no deeper. */
export const nestingMax = 200;

/** Whether a value is nested deeper than that; checks level by level, so that depth costs no stack. */
export function isTooDeep(value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > nestingMax) return true;
    const isLast = depth === nestingMax;
    const deeper: Json[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      for (const inside of Object.values(one)) if (isLast || typeof inside === "object") deeper.push(inside);
    }
    level = deeper;
  }
  return false;
}
