import type { RequestId } from "../../../core/base/ids.ts";

/** Clients number their requests without knowing of each other: a request as it is stored says whose it is. */
export function ownRequest(clientId: string, requestId: RequestId): RequestId {
  return `${ownRequestsOf(clientId)}${requestId}` as RequestId;
}

/** What stands before all requests of a client where they are stored. */
export function ownRequestsOf(clientId: string): string {
  return `${clientId}${idEnd}`;
}

/** The same of the client that made this request; of nobody's, what is no client's. */
export function ownRequestsOfAsker(requestId: RequestId): string {
  return requestId.slice(0, requestId.indexOf(idEnd) + 1);
}

/** Stands in no client id. */
const idEnd = "/";
