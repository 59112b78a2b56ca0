import type { FailureClass } from "../../../../src/core/model/failure.ts";

interface FailureWords {
  readonly title: string;
  /** What a person can do about it, besides the buttons. */
  readonly advice: string;
  /** Whether the settings hold what can be wrong. */
  readonly inSettings?: boolean;
}

const failures: Record<FailureClass, FailureWords> = {
  auth: {
    title: "The provider refused the key",
    advice: "Check the key in Settings or in the server’s environment, or switch to another model.",
    inSettings: true,
  },
  quota: {
    title: "The provider’s quota is used up",
    advice: "Check the plan and the billing with the provider, or switch to another model.",
  },
  "rate-limit": {
    title: "The provider is limiting requests",
    advice: "Wait a moment and retry, or switch to another model.",
  },
  overloaded: {
    title: "The provider is overloaded",
    advice: "Wait a moment and retry, or switch to another model.",
  },
  network: {
    title: "The provider gave no complete answer",
    advice: "Retry; if it happens again, check the connection and the provider’s address, or switch to another model.",
    inSettings: true,
  },
  "context-full": {
    title: "The conversation leaves no room for a reply",
    advice:
      "Leave messages out or sum earlier ones up (the eye above the conversation), or switch to a model with a larger context.",
  },
  "context-length": {
    title: "The conversation is too long for this model",
    advice:
      "Leave messages out or sum earlier ones up (the eye above the conversation), or switch to a model with a larger context.",
  },
  transcript: {
    title: "The provider did not accept the history",
    advice: "Switch to another model, or edit an earlier message and send it again.",
  },
  "invalid-request": {
    title: "The provider did not accept the request",
    advice: "Check the model’s name and address, switch to another model, or edit the message and send it again.",
    inSettings: true,
  },
  "content-filter": {
    title: "The provider’s filter stopped the request",
    advice: "Edit the message and send it again, or switch to another model.",
  },
  budget: {
    title: "A budget is used up",
    advice: "The details say whose. Raise it under Permissions and usage, or ask an owner of the team, then retry.",
  },
  cancelled: { title: "The request was cancelled", advice: "Retry, or switch to another model." },
  unknown: {
    title: "The provider failed",
    advice: "Retry, or switch to another model. The details contain the provider’s message.",
  },
};

/** What happened, in a few words. */
export function errorTitle(failure: { readonly detail: FailureClass }): string {
  return failures[failure.detail].title;
}

/** Whether a failure is one that the settings can mend. */
export function mendedInSettings(failure: { readonly detail: FailureClass }): boolean {
  return failures[failure.detail].inSettings === true;
}

/** What a person can do about a failure, besides the buttons. */
export function errorAdvice(failure: { readonly detail: FailureClass }): string {
  return failures[failure.detail].advice;
}
