import * as v from "valibot";
import { emptyParams } from "../parts.ts";

const provider = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/));
/** Visible characters, as keys are sent in headers. */
const key = v.pipe(v.string(), v.trim(), v.regex(/^[\x21-\x7e]{8,512}$/, "8 to 512 visible ASCII characters"));

export const providerCommands = {
  "provider.list": emptyParams,
  "provider.set-key": v.object({ provider, key }),
  "provider.remove-key": v.object({ provider }),
};
