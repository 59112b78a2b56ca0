import * as v from "valibot";
import { runId } from "../parts.ts";

export const runCommands = {
  "run.cancel": v.object({ runId }),
  "run.retry": v.object({ runId }),
  "run.summarize": v.object({ runId }),
  "run.continue": v.object({ runId }),
};
