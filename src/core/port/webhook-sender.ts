/** What is posted to an address: of a webhook, or of a push service. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * What came of it: the status of the answer, or why there is none. `address`: the address may not be used, so nothing was sent;
 * `unreachable`: no answer came.
 */
export type WebhookOutcome =
  | { readonly type: "answered"; readonly status: number }
  | { readonly type: "failed"; readonly reason: "address" | "unreachable" | "timeout"; readonly message: string };

/** Posts to addresses outside. */
export interface WebhookSender {
  /** Returns why an address may not be used, as far as its text says; null if it may. */
  refusedAddress(url: string): string | null;
  /** Never rejects. Follows no redirect and reads no answer beyond its status. */
  post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome>;
}
