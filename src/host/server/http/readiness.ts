import type { ServerResponse } from "node:http";
import { sendJson } from "./http-answer.ts";

/** Whether a server should be sent requests, and why: numbers and names, never content. */
export interface Readiness {
  readonly isReady: boolean;
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

export function sendReadiness(response: ServerResponse, { isReady, facts }: Readiness): void {
  sendJson(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not-ready", ...facts });
}
