import type { SentEvent } from "../../core/protocol/command/webhook.ts";
import type { WebhookOutcome } from "../../core/port/webhook-sender.ts";

/** One call of a webhook, as its log keeps it. */
export interface WebhookCall {
  readonly id: string;
  readonly event: SentEvent;
  readonly at: number;
  readonly body: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  /** When it is due; null where nothing is. */
  readonly nextAt: number | null;
  readonly status: number | null;
  readonly problem: string | null;
}

/** The waits before each further attempt, in milliseconds: about 9 hours in all. */
export const retryDelaysMs: readonly number[] = [5_000, 30_000, 120_000, 600_000, 3_600_000, 7_200_000, 21_600_000];

/** Returns a call after an attempt. `isGone`: its address wants no more calls. */
export function afterAttempt(
  call: WebhookCall,
  outcome: WebhookOutcome,
  now: number,
): { readonly call: WebhookCall; readonly isGone: boolean } {
  const attempts = call.attempts + 1;
  const status = outcome.type === "answered" ? outcome.status : null;
  if (status !== null && status >= 200 && status < 300) {
    return { call: { ...call, attempts, state: "delivered", nextAt: null, status, problem: null }, isGone: false };
  }
  const problem =
    outcome.type === "failed"
      ? outcome.message
      : outcome.status >= 300 && outcome.status < 400
        ? `It answered ${outcome.status}; redirects are not followed.`
        : `It answered ${outcome.status}.`;
  const isGone = status === 410;
  const delay = isGone ? undefined : retryDelaysMs[attempts - 1];
  const tried = { ...call, attempts, status, problem };
  return delay === undefined
    ? { call: { ...tried, state: "failed", nextAt: null }, isGone }
    : { call: { ...tried, state: "waiting", nextAt: now + delay }, isGone };
}
