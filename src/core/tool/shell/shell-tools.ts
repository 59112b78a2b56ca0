import * as v from "valibot";
import { documentReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

/** The time limit of a command in seconds: the default, and the maximum. */
export const commandSeconds = { usual: 120, max: 600 };

export const bash = {
  name: "bash",
  description:
    "Runs a command in the workspace folder with bash, in a sandbox: it can read programs and the folder, write in the folder and in $TMPDIR (which stays; /tmp is emptied after each command), and has no input and no network except for hosts that the instructions name. Returns exit_code and output, of both streams; long output is cut in the middle. Background processes end with the command.",
  input: v.strictObject({
    command: v.pipe(v.string(), v.nonEmpty(), v.maxLength(30_000), v.description("The command for bash.")),
    time_limit_s: v.exactOptional(
      v.pipe(
        v.number(),
        v.safeInteger(),
        v.minValue(1),
        v.maxValue(commandSeconds.max),
        v.description(`Seconds after which the command is ended; default ${commandSeconds.usual}.`),
      ),
    ),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  eachCallApart: true,
  forSubAgents: true,
} as const satisfies ToolSpec;

/** The same tool when commands may connect to hosts that the owner has named. */
export const bashOnline = { ...bash, reach: { ...documentReach, outward: true } } as const satisfies ToolSpec;
