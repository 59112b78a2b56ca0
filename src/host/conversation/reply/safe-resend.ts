import { safeRequest } from "../../../adapters/providers/shared/project.ts";
import { stableDeepEqual } from "../../../core/base/json.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import { streamReply, type EndedReply, type ReplyJob } from "./reply-stream.ts";

/** How a reply ended, and whether its request was resent in the safe form. */
export interface ResentReply extends EndedReply {
  readonly resent: boolean;
}

/** A server that does not know the beginning of a reply may call the request invalid. */
function isRefused(failure: ModelFailure, { request }: ReplyJob): boolean {
  return failure.class === "transcript" || (request.prefill === true && failure.class === "invalid-request");
}

/**
 * Streams one reply. If the provider rejects the history, resends it once without the parts bound to the model that wrote
 * it, and calls `onResend`, because such a rejection is a defect of Heddle. Not after something was shown, nor if the
 * request has no such parts.
 */
export async function replyOrResend(job: ReplyJob, onResend: (failure: ModelFailure) => void): Promise<ResentReply> {
  const ended = await streamReply(job);
  const { event } = ended;
  const refused = event.type === "response-failed" && event.partial === null && isRefused(event.failure, job);
  if (!refused || job.signal.aborted) return { ...ended, resent: false };
  const request = safeRequest(job.request);
  if (stableDeepEqual(request, job.request)) return { ...ended, resent: false };
  onResend(event.failure);
  return { ...(await streamReply({ ...job, request })), resent: true };
}
