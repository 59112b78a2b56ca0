import type { Attack } from "./attack.ts";
import { churn, silent, unauthenticated } from "./floods.ts";
import { frames } from "./frames.ts";
import { pipelinedAssets, pipelinedPage, unreadAnswers } from "./pipelines.ts";
import { slowReaders } from "./slow-readers.ts";
import { smuggling } from "./smuggling.ts";
import { stoppedProcess } from "./stopped.ts";
import { newIds, rewrites, tinyEdits } from "./unfair.ts";

/** All attacks on a running server, by the name on the command line. */
export const attacks: Readonly<Record<string, Attack>> = {
  silent,
  unauthenticated,
  churn,
  "pipelined-page": pipelinedPage,
  "pipelined-assets": pipelinedAssets,
  "unread-answers": unreadAnswers,
  "slow-readers": slowReaders,
  smuggling,
  frames,
  "stopped-process": stoppedProcess,
  rewrites,
  "tiny-edits": tinyEdits,
  "new-ids": newIds,
};
