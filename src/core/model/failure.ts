/** What a failure was, told apart as far as it matters to a retry or to advice. */
export const failureClasses = [
  "cancelled",
  "context-length",
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

/** The five kinds that a person is told of. */
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
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The kind of a class: the one place where classes are folded into kinds. */
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
    case "transcript":
    case "invalid-request":
    case "content-filter":
      return "invalid-request";
    case "cancelled":
    case "unknown":
      return "unknown";
  }
}
