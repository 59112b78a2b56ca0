import * as v from "valibot";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

/** An object with any keys. The validator's own records would silently drop keys such as `constructor`. */
export const anyObject = v.custom<JsonObject>(isJsonObject, "an object");
