import * as v from "valibot";
import { errorTable, type ErrorCode } from "../../../core/base/errors.ts";
import { shown, described } from "../../../core/protocol/base/parts.ts";

/** The JSON of a refusal. */
const refusalAnswer = v.object({
  code: described(v.picklist(Object.keys(errorTable) as readonly ErrorCode[]), "What went wrong."),
  message: shown(errorTable.INVALID_PARAMS.sentence, "What happened and what to do, for people."),
  details: v.exactOptional(described(v.record(v.string(), v.unknown()), "The facts, such as the invalid field.")),
});

/** The body of a refused request, and the data of the event that ends a stream early. */
export const refusedBody = v.object({ error: refusalAnswer });
