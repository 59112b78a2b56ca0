import type { Attack } from "./attack.ts";
import { churn, silent, unauthenticated } from "./floods.ts";
import { pipelinedAssets, pipelinedPage, unreadAnswers } from "./pipelines.ts";
import { slowReaders } from "./slow-readers.ts";
import { smuggling } from "./smuggling.ts";
import { newIds, rewrites, tinyEdits } from "./unfair.ts";

/** All attacks, by the name on the command line. */
export const attacks: Readonly<Record<string, Attack>> = {
  silent,
  unauthenticated,
  churn,
  "pipelined-page": pipelinedPage,
  "pipelined-assets": pipelinedAssets,
  "unread-answers": unreadAnswers,
  "slow-readers": slowReaders,
  smuggling,
  rewrites,
  "tiny-edits": tinyEdits,
  "new-ids": newIds,
};
