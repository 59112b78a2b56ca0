import { describe, expect, test } from "vitest";
import { listAt, objectAt, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { type Json, stableDeepEqual } from "../../src/core/base/json.ts";
import { canonicalRequest } from "./canonical-request.ts";
import { type RecordedRequest, recordedRequests, recordingsFolder } from "./recordings.ts";
import { rewritten } from "./rewritten.ts";

const apis: ReadonlySet<string> = new Set(["anthropic", "chat", "responses", "gemini"]);

/** Why a request comes back in another form, and how often: docs/providers.md names each. */
const causes: readonly (readonly [string, (row: RecordedRequest) => boolean])[] = [
  [
    "Gemini's keys with underscores come back in camel case",
    (row) => row.api === "gemini" && /"(?:[a-z]+_)+[a-z]+":/.test(paths(row)),
  ],
  ["results are in the order of their calls (TR3)", hasUnorderedResults],
  ["adjacent replies are one message", hasAdjacentReplies],
  ["an image without a detail asks for `auto`", (row) => /"type":"input_image"/.test(JSON.stringify(row.req))],
  ["a thought that is only a signature has an empty text", (row) => row.api === "gemini" && isSignatureAlone(row)],
];

describe.skipIf(recordingsFolder === null)("20.10 a recorded request that is read and written again", () => {
  const rows = recordedRequests().filter((row) => apis.has(row.api));
  const again = rows.map((row) => ({ row, sent: rewritten(row) }));
  const inexact = again.filter(
    ({ row, sent }) => !stableDeepEqual(row.req as Json, JSON.parse(JSON.stringify(sent)) as Json),
  );
  const changed = inexact.filter(
    ({ row, sent }) => !stableDeepEqual(canonicalRequest(row.api, row.req), canonicalRequest(row.api, sent)),
  );

  test.each([
    ["equivalent", changed, 0.998],
    ["exact up to the order of keys", inexact, 0.97],
  ])("is %s as often as the goal says", (name, different, goal) => {
    const share = (api?: string): number => {
      const isOf = ({ row }: { readonly row: RecordedRequest }): boolean => api === undefined || row.api === api;
      return 1 - different.filter(isOf).length / again.filter(isOf).length;
    };
    const each = [...apis].map((api) => `${api} ${(share(api) * 100).toFixed(2)} %`);
    console.log(`${name}: ${(share() * 100).toFixed(2)} % of ${rows.length}; ${each.join(", ")}`);
    expect(share()).toBeGreaterThanOrEqual(goal);
  });

  test("differs otherwise only for a known reason", () => {
    const tally = new Map<string, number>();
    const unexplained = inexact.flatMap(({ row }) => {
      const cause = causes.find(([, holds]) => holds(row))?.[0];
      if (cause === undefined) return [`${row.api} ${row.host} ${rows.indexOf(row)}`];
      tally.set(cause, (tally.get(cause) ?? 0) + 1);
      return [];
    });
    for (const [cause, count] of tally) console.log(`${count}: ${cause}`);
    expect(unexplained).toEqual([]);
  });
});

/** The conversation of a request as JSON. */
function paths(row: RecordedRequest): string {
  return JSON.stringify(messages(row));
}

function hasAdjacentReplies(row: RecordedRequest): boolean {
  const roles = messages(row).map((message) => textAt(message, "role"));
  return roles.some((role, at) => (role === "assistant" || role === "model") && roles[at - 1] === role);
}

function isSignatureAlone(row: RecordedRequest): boolean {
  const parts = messages(row).flatMap((content) => listAt(content, "parts"));
  return parts.some((part) => textAt(part, "thoughtSignature") !== undefined && Object.keys(Object(part)).length === 2);
}

function messages({ req }: RecordedRequest): readonly unknown[] {
  return [...listAt(req, "messages"), ...listAt(req, "input"), ...listAt(req, "contents")];
}

/** The ids that distinguish calls and results, each in its order. */
function hasUnorderedResults(row: RecordedRequest): boolean {
  const parts = messages(row).flatMap((content) => listAt(content, "parts"));
  const named = (key: string): readonly string[] => parts.flatMap((part) => textAt(objectAt(part, key), "name") ?? []);
  const called = messages(row).flatMap((message) =>
    listAt(message, "tool_calls").map((call) => textAt(call, "id") ?? ""),
  );
  const answered = messages(row).flatMap((message) => textAt(message, "tool_call_id") ?? []);
  return called.join() !== answered.join() || named("functionCall").join() !== named("functionResponse").join();
}
