import type { RequestId } from "../../../core/base/ids.ts";

/** Returns the stored form of a request id. Clients choose ids independently, so the stored id names the client. */
export function ownRequest(clientId: string, requestId: RequestId): RequestId {
  return `${ownRequestsOf(clientId)}${requestId}` as RequestId;
}

/** Returns the prefix of a client's requests in the store. */
export function ownRequestsOf(clientId: string): string {
  return `${clientId}${idEnd}`;
}

/** Returns the client prefix of a stored request; an empty one if no client made it. */
export function ownRequestsOfAsker(requestId: RequestId): string {
  return requestId.slice(0, requestId.indexOf(idEnd) + 1);
}

/** Occurs in no client id. */
const idEnd = "/";
