import { approvalRuleQueries } from "./tables/approval-rules.ts";
import { trashQueries } from "./tables/trash.ts";
import { blockQueries } from "./tables/blocks.ts";
import { bookmarkQueries } from "./tables/bookmarks.ts";
import { folderQueries } from "./tables/folders.ts";
import { conversationQueries } from "./tables/conversations.ts";
import { feedQueries } from "./tables/feed.ts";
import { leaseQueries } from "./tables/leases.ts";
import { logStartQueries } from "./tables/log-starts.ts";
import { messageQueries } from "./tables/messages.ts";
import { registryQueries } from "./tables/registry.ts";
import { requestQueries } from "./tables/requests.ts";
import { revisionQueries } from "./tables/revisions.ts";
import { runEventQueries } from "./tables/run-events.ts";
import { runQueries } from "./tables/runs.ts";
import { snapshotQueries } from "./tables/snapshots.ts";
import { suggestionQueries } from "./tables/suggestions.ts";
import { rightsQueries } from "./tables/rights.ts";
import { signInQueries } from "./tables/sign-in.ts";
import { threadQueries } from "./tables/threads.ts";
import { waitingQueries } from "./tables/waiting-messages.ts";

/** Every query of the store, by name. */
export const queries = {
  ...conversationQueries,
  ...messageQueries,
  ...runQueries,
  ...runEventQueries,
  ...waitingQueries,
  ...feedQueries,
  ...blockQueries,
  ...snapshotQueries,
  ...logStartQueries,
  ...revisionQueries,
  ...suggestionQueries,
  ...threadQueries,
  ...trashQueries,
  ...bookmarkQueries,
  ...folderQueries,
  ...requestQueries,
  ...approvalRuleQueries,
  ...rightsQueries,
  ...signInQueries,
  ...registryQueries,
  ...leaseQueries,
} as const;
