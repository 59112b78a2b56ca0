import { describe, expect, test } from "vitest";
import { listAt, objectAt, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { stableDeepEqual } from "../../src/core/base/json.ts";
import { canonicalRequest } from "./canonical-request.ts";
import { type RecordedRequest, recordedRequests, recordingsFolder } from "./recordings.ts";
import { rewritten } from "./rewritten.ts";

const apis: ReadonlySet<string> = new Set(["anthropic", "chat", "responses", "gemini"]);

/** Intended reasons for a request to come back changed. */
const causes: readonly (readonly [string, (row: RecordedRequest) => boolean])[] = [
  ["results are in the order of their calls (TR3)", hasUnorderedResults],
  ["an empty reply is dropped", hasEmptyReply],
  ["arguments that are not an object are dropped", (row) => JSON.stringify(row.req).includes('"arguments":"null"')],
  ["the name of an assistant is dropped", (row) => messages(row).some((each) => isNamedAssistant(each))],
];

describe.skipIf(recordingsFolder === null)("a recorded request that is read and written again", () => {
  const rows = recordedRequests().filter((row) => apis.has(row.api));
  const changed = rows.filter(
    (row) => !stableDeepEqual(canonicalRequest(row.api, row.req), canonicalRequest(row.api, rewritten(row))),
  );

  test("keeps its meaning in at least 99 of 100 cases", () => {
    const share = 1 - changed.length / rows.length;
    console.log(
      `${rows.length - changed.length} of ${rows.length} requests come back equal: ${(share * 100).toFixed(2)} %`,
    );
    expect(share).toBeGreaterThanOrEqual(0.99);
  });

  test("differs otherwise only for a known reason", () => {
    const tally = new Map<string, number>();
    const unexplained = changed.flatMap((row) => {
      const cause = causes.find(([, holds]) => holds(row))?.[0];
      if (cause === undefined) return [`${row.api} ${row.host} ${rows.indexOf(row)}`];
      tally.set(cause, (tally.get(cause) ?? 0) + 1);
      return [];
    });
    for (const [cause, count] of tally) console.log(`${count}: ${cause}`);
    expect(unexplained).toEqual([]);
  });
});

function messages({ req }: RecordedRequest): readonly unknown[] {
  return [...listAt(req, "messages"), ...listAt(req, "input"), ...listAt(req, "contents")];
}

function isNamedAssistant(message: unknown): boolean {
  return textAt(message, "role") === "assistant" && textAt(message, "name") !== undefined;
}

function hasEmptyReply(row: RecordedRequest): boolean {
  return messages(row).some((message) => {
    if (textAt(message, "role") !== "assistant" || listAt(message, "tool_calls").length > 0) return false;
    return textAt(message, "content") === "" || (textAt(message, "content") ?? listAt(message, "content")).length === 0;
  });
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
