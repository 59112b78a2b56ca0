import { listAt, objectAt, textAt } from "./json-read.ts";

/** The longest wait that a server can request, in milliseconds. */
const serverWaitMaxMs = 60_000;

/** Returns the milliseconds that the provider asks to wait, capped; undefined when it asks for none. */
export function retryDelayMs(headers: Headers, body: unknown, nowMs: number): number | undefined {
  const wait =
    positive(plainNumber(headers.get("retry-after-ms"))) ??
    retryAfter(headers.get("retry-after"), nowMs) ??
    googleDelay(body) ??
    openAiReset(headers) ??
    anthropicReset(headers, nowMs);
  if (wait === undefined) return undefined;
  return Math.min(Math.max(0, Math.ceil(wait)), serverWaitMaxMs);
}

/** The provider's own decision on a retry, which overrides Heddle's. */
export function shouldRetryHeader(headers: Headers): boolean | undefined {
  const said = headers.get("x-should-retry");
  return said === "true" ? true : said === "false" ? false : undefined;
}

function plainNumber(said: string | null): number | undefined {
  return said !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(said) ? Number(said) : undefined;
}

/** Proxies write a wait of 0 milliseconds beside the real wait in seconds. */
function positive(wait: number | undefined): number | undefined {
  return wait === 0 ? undefined : wait;
}

function retryAfter(said: string | null, nowMs: number): number | undefined {
  if (said === null) return undefined;
  const seconds = plainNumber(said);
  if (seconds !== undefined) return seconds * 1000;
  // A date starts with a day's name; anything else (a negative number, a word) requests no wait.
  const at = /^\s*[A-Za-z]{3}/.test(said) ? Date.parse(said) : Number.NaN;
  return Number.isNaN(at) ? undefined : at - nowMs;
}

function googleDelay(body: unknown): number | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  for (const detail of listAt(objectAt(outer, "error"), "details")) {
    const delay = textAt(detail, "retryDelay");
    if (delay !== undefined) return duration(delay);
  }
  return undefined;
}

function openAiReset(headers: Headers): number | undefined {
  const waits = ["requests", "tokens"].flatMap((what) => {
    if (plainNumber(headers.get(`x-ratelimit-remaining-${what}`)) !== 0) return [];
    const wait = duration(headers.get(`x-ratelimit-reset-${what}`) ?? "");
    return wait === undefined ? [] : [wait];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function anthropicReset(headers: Headers, nowMs: number): number | undefined {
  const waits = ["requests", "tokens", "input-tokens", "output-tokens"].flatMap((what) => {
    if (plainNumber(headers.get(`anthropic-ratelimit-${what}-remaining`)) !== 0) return [];
    const at = Date.parse(headers.get(`anthropic-ratelimit-${what}-reset`) ?? "");
    return Number.isNaN(at) ? [] : [at - nowMs];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration as OpenAI and Google write it, such as `6m0s`, `12ms`, `1.5s`. */
function duration(said: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(said)) return undefined;
  let total = 0;
  for (const [, amount, unit] of said.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g))
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  return total;
}
