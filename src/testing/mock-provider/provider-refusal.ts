import type { RefusalStatus } from "./faults.ts";
import { anthropicError, chatError, geminiError, interactionsError, type WireError } from "./wire-error.ts";

// Each provider's own error body for a status; null where a proxy answers with an empty body or a page.

/** Anthropic's refusals. */
export function anthropicRefusal(status: RefusalStatus): WireError | null {
  const said: Partial<Record<RefusalStatus, readonly [string, string]>> = {
    400: ["invalid_request_error", "max_tokens: Field required"],
    401: ["authentication_error", "invalid x-api-key"],
    403: ["permission_error", "Your API key does not have permission to use the specified resource."],
    404: ["not_found_error", "model: claude-nonexistent"],
    413: ["request_too_large", "Request exceeds the maximum size"],
    429: ["rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute."],
    500: ["api_error", "Internal server error"],
    504: ["timeout_error", "The request timed out while processing."],
    529: ["overloaded_error", "Overloaded"],
  };
  const found = said[status];
  return found === undefined ? null : anthropicError(status, ...found);
}

/** OpenAI's refusals, the same in both formats. */
export function openAiRefusal(status: RefusalStatus): WireError | null {
  switch (status) {
    case 400:
      return chatError(400, "Missing required parameter: 'model'.", {
        code: "missing_required_parameter",
        param: "model",
      });
    case 401:
      return chatError(401, "Incorrect API key provided.", { code: "invalid_api_key" });
    case 403:
      return chatError(403, "Country, region, or territory not supported", {
        type: "request_forbidden",
        code: "unsupported_country_region_territory",
      });
    case 404:
      return chatError(404, "The model `gpt-nonexistent` does not exist or you do not have access to it.", {
        code: "model_not_found",
      });
    case 429:
      return chatError(429, "Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.", {
        type: "requests",
        code: "rate_limit_exceeded",
      });
    case 500:
      return chatError(500, "The server had an error while processing your request. Sorry about that!", {
        type: "server_error",
      });
    case 503:
      return chatError(503, "The engine is currently overloaded, please try again later", {
        type: "server_error",
        code: "server_is_overloaded",
      });
    case 408:
    case 413:
    case 502:
    case 504:
    case 529:
      return null;
  }
}

/** Google's refusals by its first format. */
export function geminiRefusal(status: RefusalStatus): WireError | null {
  const said: Partial<Record<RefusalStatus, readonly [string, string]>> = {
    400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
    401: ["UNAUTHENTICATED", "Request had invalid authentication credentials."],
    403: ["PERMISSION_DENIED", "The caller does not have permission"],
    404: [
      "NOT_FOUND",
      "models/gemini-nonexistent is not found for API version v1beta, or is not supported for generateContent.",
    ],
    429: ["RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
    500: ["INTERNAL", "An internal error has occurred. Please retry."],
    503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
    504: ["DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
  };
  const found = said[status];
  return found === undefined ? null : geminiError(status, ...found);
}

/** Google's refusals by the Interactions format. */
export function interactionsRefusal(status: RefusalStatus): WireError | null {
  const said: Partial<Record<RefusalStatus, readonly [string, string]>> = {
    400: ["invalid_request", "Invalid input at 'input'."],
    401: ["unauthenticated", "Request had invalid authentication credentials."],
    403: ["permission_denied", "The caller does not have permission"],
    404: ["not_found", "The model gemini-nonexistent is not found."],
    429: ["resource_exhausted", "Resource has been exhausted (e.g. check quota)."],
    500: ["internal", "An internal error has occurred. Please retry."],
    503: ["unavailable", "The model is overloaded. Please try again later."],
    504: ["gateway_timeout", "Deadline expired before operation could complete."],
  };
  const found = said[status];
  return found === undefined ? null : interactionsError(status, ...found);
}
