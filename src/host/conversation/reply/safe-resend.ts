import { safeRequest } from "../../../adapters/providers/shared/project.ts";
import { stableDeepEqual } from "../../../core/base/json.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import { streamReply, type EndedReply, type ReplyJob } from "./reply-stream.ts";

/** How a reply ended, and whether it came to the safe form of its request. */
export interface ResentReply extends EndedReply {
  readonly resent: boolean;
}

/**
 * Streams one reply. A provider that finds the history broken is asked once more, without what binds the history to the
 * model that wrote it: `onResend` tells of it, because such a refusal is a mistake of ours. Not where something was shown
 * already, nor where the request holds nothing to leave out.
 */
export async function replyOrResend(job: ReplyJob, onResend: (failure: ModelFailure) => void): Promise<ResentReply> {
  const ended = await streamReply(job);
  const { event } = ended;
  const refused = event.type === "response-failed" && event.failure.class === "transcript" && event.partial === null;
  if (!refused || job.signal.aborted) return { ...ended, resent: false };
  const request = safeRequest(job.request);
  if (stableDeepEqual(request, job.request)) return { ...ended, resent: false };
  onResend(event.failure);
  return { ...(await streamReply({ ...job, request })), resent: true };
}
