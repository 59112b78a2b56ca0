import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";

/** Returns the refusal that the answer of a call holds, with all its facts in `details`. */
export function refusalOfAnswer({ content, code = "TOOL_FAILED" }: Pick<ToolAnswer, "content" | "code">): Refusal & {
  readonly details: NonNullable<Refusal["details"]>;
} {
  const { message, details, revision_id: revision } = content;
  return {
    code,
    message: typeof message === "string" ? message : errorTable[code].sentence,
    details: {
      ...(isJsonObject(details) ? details : {}),
      ...(revision === undefined ? {} : { revision_id: revision }),
    },
  };
}
