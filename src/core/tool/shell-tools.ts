import * as v from "valibot";
import { documentReach } from "./reach.ts";
import type { ToolSpec } from "./types.ts";

/** Seconds that a command may take where nothing else is asked, and at most. */
export const commandSeconds = { usual: 120, max: 600 };

export const bash = {
  name: "bash",
  description:
    "Runs a command in the workspace folder with bash, in a sandbox: it can read programs and the folder, write in the folder and in $TMPDIR (which stays; /tmp is emptied after each command), and has no input and no network but what the instructions name. Returns exit_code and output, of both streams; of long output the beginning and the end. Whatever it starts in the background ends with it.",
  input: v.strictObject({
    command: v.pipe(v.string(), v.nonEmpty(), v.maxLength(30_000), v.description("What bash is to run.")),
    time_limit_s: v.exactOptional(
      v.pipe(
        v.number(),
        v.safeInteger(),
        v.minValue(1),
        v.maxValue(commandSeconds.max),
        v.description(`Seconds after which it is ended; default ${commandSeconds.usual}.`),
      ),
    ),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  eachCallApart: true,
  forSubAgents: true,
} as const satisfies ToolSpec;

/** The same where commands may connect to hosts that the owner has named. */
export const bashOnline = { ...bash, reach: { ...documentReach, outward: true } } as const satisfies ToolSpec;
