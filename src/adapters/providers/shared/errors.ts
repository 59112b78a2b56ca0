import { isJsonObject } from "../../../core/base/json.ts";
import type { FailureClass, ModelFailure } from "../../../core/model/failure.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "./json-read.ts";
import { namedWindow } from "./named-window.ts";
import { retryDelayMs, shouldRetryHeader } from "./retry-delay.ts";

/** An HTTP answer that is not a reply. */
export interface ErrorReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Wall time of the answer in milliseconds, for delays given as a date. */
  readonly nowMs: number;
}

/** The facts of an error body in any of the providers' forms. */
interface ErrorFacts {
  readonly status?: number;
  /** Code, type, status and reason in one text, lower case, for matching. */
  readonly words: string;
  readonly message: string;
  readonly code?: string;
}

/** Reads an HTTP error reply. */
export function failureOfReply(reply: ErrorReply): ModelFailure {
  const body = parseJson(reply.body);
  const facts = factsOf(body, reply.status);
  const message = facts.message === "" ? plainMessage(reply) : facts.message;
  const failureClass = classify({ ...facts, message });
  const waitMs = retryDelayMs(reply.headers, body, reply.nowMs);
  const windowTokens = failureClass === "context-length" ? namedWindow(body, message) : undefined;
  return {
    class: failureClass,
    message,
    retryable: shouldRetryHeader(reply.headers) ?? isRetryable(failureClass, facts),
    status: reply.status,
    ...(facts.code === undefined ? {} : { providerCode: facts.code }),
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

/** Reads an error from a stream that began with 200, or from the JSON body of a 200. */
export function failureOfEvent(body: unknown): ModelFailure {
  const facts = factsOf(body, undefined);
  const failureClass = classify(facts);
  const windowTokens = failureClass === "context-length" ? namedWindow(body, facts.message) : undefined;
  return {
    class: failureClass,
    message: facts.message === "" ? "The provider reported an error without a message." : facts.message,
    retryable: isRetryable(failureClass, facts),
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(facts.code === undefined ? {} : { providerCode: facts.code }),
  };
}

/** Whether a decoded body has one of the providers' error forms. */
export function isErrorBody(body: unknown): boolean {
  if (Array.isArray(body)) return body.length > 0 && isErrorBody(body[0]);
  if (!isJsonObject(body)) return false;
  const error = body["error"];
  return (
    (error !== undefined && error !== null && error !== false) ||
    body["object"] === "error" ||
    body["type"] === "error" ||
    (body["detail"] !== undefined && body["choices"] === undefined && body["content"] === undefined)
  );
}

/** A failure of the connection itself. */
export function networkFailure(message: string): ModelFailure {
  return { class: "network", message, retryable: true };
}

export const cancelledFailure: ModelFailure = {
  class: "cancelled",
  message: "The request was cancelled.",
  retryable: false,
};

/** The stream ended before the provider marked the reply as complete. */
export const brokenOff: ModelFailure = networkFailure("The provider's stream ended before the reply was complete.");

/** A piece of a stream could not be parsed. */
export const notJson: ModelFailure = networkFailure("The provider sent a piece of a reply that is not JSON.");

function factsOf(body: unknown, status: number | undefined): ErrorFacts {
  // Google's stream endpoint answers with a list of one error.
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  const error = objectAt(outer, "error") ?? outer;
  const flat = textAt(outer, "error");
  const detail = isJsonObject(outer) ? outer["detail"] : undefined;
  // OpenRouter wraps the error of the provider behind it.
  const wrapped = textAt(objectAt(error, "metadata"), "raw");
  const message =
    messageIn(error) ??
    flat ??
    (typeof detail === "string" ? detail : detail === undefined ? undefined : JSON.stringify(detail)) ??
    firstOf(listAt(outer, "errors")) ??
    "";
  const details = listAt(error, "details");
  const reasons = details.flatMap((entry) => [
    textAt(entry, "reason") ?? "",
    ...listAt(entry, "violations").map((violation) => textAt(violation, "quotaId") ?? ""),
  ]);
  const codes = [
    textAt(error, "code"),
    textAt(error, "type"),
    textAt(error, "status"),
    ...reasons,
    flat === undefined ? undefined : textAt(outer, "code"),
  ];
  const named = codes.filter((code) => code !== undefined && code !== "");
  const code = named.find((entry) => entry !== "error" && entry !== "invalid_request_error") ?? named[0];
  const inBody = statusIn(error) ?? numberAt(error, "status_code") ?? numberAt(outer, "raw_status_code");
  const bodyStatus = inBody !== undefined && inBody >= 400 && inBody < 600 ? inBody : undefined;
  const known = status ?? bodyStatus;
  return {
    ...(known === undefined ? {} : { status: known }),
    words: named.join(" ").toLowerCase(),
    message: wrapped === undefined ? message : `${message}: ${wrapped}`,
    ...(code === undefined ? {} : { code }),
  };
}

/** The message of an error. Some gateways nest the whole upstream error in it. */
function messageIn(error: unknown, depth = 0): string | undefined {
  const said = textAt(error, "message") ?? textAt(error, "Message");
  if (said === undefined) {
    const held = objectAt(error, "message");
    return held === undefined ? undefined : (textAt(held, "detail") ?? JSON.stringify(held));
  }
  const inner = said.startsWith("{") && depth < 3 ? parseJson(said) : undefined;
  return inner === undefined ? said : (messageIn(objectAt(inner, "error") ?? inner, depth + 1) ?? said);
}

function firstOf([first]: readonly unknown[]): string | undefined {
  return typeof first === "string" ? first : messageIn(first);
}

/** A status in the body, as a number or its digits. */
function statusIn(error: unknown): number | undefined {
  const digits = textAt(error, "code");
  return numberAt(error, "code") ?? (digits !== undefined && /^[45]\d\d$/.test(digits) ? Number(digits) : undefined);
}

const contextWords =
  /context_length_exceeded|exceed_context_size_error|too_many_prompt_tokens|model_context_window_exceeded|request_too_large/;
const contextMessages: readonly RegExp[] = [
  /prompt (?:is )?too long/i,
  /input is too long/i,
  /maximum (?:context|prompt) length/i,
  /max(?:imum)? context (?:length|window)/i,
  /exceeds? the (?:model'?s? )?(?:maximum )?context/i,
  /exceeds the available context size/i,
  /exceed(?:s|ed)? (?:the )?(?:model )?(?:token|context window) limit/i,
  /context (?:window|size|length) (?:has been |was )?exceed/i,
  /context window exceeds limit/i,
  /(?:greater|longer|larger) than the (?:model'?s )?context/i,
  /input token count .{0,40}exceeds/i,
  /reduce the length of (?:the |your )?(?:messages|prompt|input)/i,
  /too many (?:input |prompt )?tokens(?! per)/i,
  /token limit exceeded/i,
  /increas(?:e|ing) (?:the )?context size/i,
];
const authWords =
  /authentication_error|permission_error|api_key_invalid|invalid_api_key|unauthenticated|permission_denied/;
const quotaWords =
  /insufficient_quota|credit_balance_exhausted|billing|enforced_spend_limit_reached|quota_?exceeded_?daily/;
const quotaMessages =
  /credit balance is too low|exceeded your current quota|insufficient (?:balance|credits?|quota)|(?:requests|tokens) per day|perday|billing/i;
const rateWords = /rate_limit|resource_exhausted|too_many_requests/;
const rateMessages = /rate[- ]limited upstream|rate limit|too many requests/i;
const overloadedWords = /overloaded|server_is_overloaded|\bunavailable\b/;
const overloadedMessages = /high demand|overloaded|server is busy|at capacity/i;
const transcriptMessages =
  /tool_use[`']? ids? (?:were|was) found without|no tool output found|no tool call found for function call output|number of function response parts|function (?:call|response) turn comes|tool_call_id|tool_call_ids|without its required following item|thought_signature|invalid [`']?signature|cannot be modified|ending with a model turn|item with id .* not found|unexpected `?tool_use_id|tool_use[`']? ids must be unique|cannot end with trailing whitespace|assistant message prefill|missing `?reasoning_content|(?:expected|must start with a) `?thinking`? |same number of function calls and responses|unexpected role '\w+' after role|expected last role|response to a prece+ding message with|multiturn requests (?:alternate|ends?)/i;
/** Google says "quota" for every limit; a limit that resets within a minute is a rate limit. */
const shortQuota = /per(?:minute|second)/;
const filterWords = /content_filter|content_policy|safety|moderation/;
const filterMessages = /flagged|moderation/i;

/** llama.cpp answers 500 to requests that need another start of the server; the same request never succeeds. */
const setupMessages = /\bneeds? --jinja\b|requires --jinja|--jinja flag|--mmproj|mmproj is not/i;

/** Returns the first class that fits, in the order of precedence. */
function classify(facts: ErrorFacts): FailureClass {
  const { status, words, message } = facts;
  const aboutRate = rateMessages.test(message);
  if (contextWords.test(words)) return "context-length";
  if (!aboutRate && contextMessages.some((pattern) => pattern.test(message))) return "context-length";
  if (status === 413) return "context-length";
  if (status === 403 && filterMessages.test(message)) return "content-filter";
  if (status === 401 || status === 403 || authWords.test(words)) return "auth";
  if (status === 400 && /incorrect api key/i.test(message)) return "auth";
  if (status === 402 || quotaWords.test(words)) return "quota";
  const isRate = status === 429 || rateWords.test(words);
  if (isRate && quotaMessages.test(message) && !(shortQuota.test(words) && !/perday/.test(words))) return "quota";
  if (/credit balance is too low/i.test(message)) return "quota";
  if (isRate || aboutRate) return "rate-limit";
  if (status === 529 || status === 503 || overloadedWords.test(words) || overloadedMessages.test(message))
    return "overloaded";
  if (transcriptMessages.test(message)) return "transcript";
  if (filterWords.test(words)) return "content-filter";
  if (status === 408 || status === 425) return "network";
  if (status !== undefined && status >= 400 && status < 500) return "invalid-request";
  if (/invalid_request|model_not_found|not_found_error|invalid_argument|tool_use_failed|invalid_model/.test(words))
    return "invalid-request";
  if (setupMessages.test(message)) return "invalid-request";
  if (status !== undefined && status >= 500) return "network";
  if (/api_error|server_error|internal|timeout/.test(words)) return "network";
  return "unknown";
}

function isRetryable(failureClass: FailureClass, facts: ErrorFacts): boolean {
  switch (failureClass) {
    case "rate-limit":
    case "overloaded":
    case "network":
      return true;
    case "invalid-request":
      return facts.status === 409;
    case "cancelled":
    case "context-length":
    case "context-full":
    case "auth":
    case "quota":
    case "transcript":
    case "content-filter":
    case "budget":
    case "unknown":
      return false;
  }
}

/** Returns a message for a body that is empty, an HTML page, or not an error. */
function plainMessage(reply: ErrorReply): string {
  const type = reply.headers.get("content-type") ?? "";
  const said = reply.body.trim();
  if (said === "") return `The server answered ${reply.status} without a body.`;
  if (type.includes("html") || said.startsWith("<")) {
    const title = /<title[^>]*>([^<]{1,200})<\/title>/i.exec(said)?.[1]?.trim();
    return `The server answered ${reply.status} with a web page${title === undefined ? "" : ` (${title})`}; the base URL may be wrong.`;
  }
  return said.slice(0, 500);
}
