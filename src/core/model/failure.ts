/** Classes of failures, as fine as a retry or advice to a person needs. */
export const failureClasses = [
  "cancelled",
  "context-length",
  "context-full",
  "auth",
  "quota",
  "rate-limit",
  "overloaded",
  "transcript",
  "invalid-request",
  "content-filter",
  "network",
  "budget",
  "unknown",
] as const;
export type FailureClass = (typeof failureClasses)[number];

/** The five kinds of failures that a person sees. */
export type ErrorKind = "auth" | "rate-limit" | "network" | "invalid-request" | "unknown";

/** Why a request to a model failed. A value, never an exception. */
export interface ModelFailure {
  readonly class: FailureClass;
  readonly message: string;
  readonly retryable: boolean;
  /** HTTP status, where one came. */
  readonly status?: number;
  /** The provider's own error code or type. */
  readonly providerCode?: string;
  /** The model's window in tokens, where a refusal of a request that was too long names it. */
  readonly windowTokens?: number;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Returns the kind of a class: the only place where classes map to kinds. */
export function errorKind(failure: FailureClass): ErrorKind {
  switch (failure) {
    case "auth":
      return "auth";
    case "quota":
    case "rate-limit":
    case "budget":
      return "rate-limit";
    case "overloaded":
    case "network":
      return "network";
    case "context-length":
    case "context-full":
    case "transcript":
    case "invalid-request":
    case "content-filter":
      return "invalid-request";
    case "cancelled":
    case "unknown":
      return "unknown";
  }
}
