import { describe, expect, test } from "vitest";
import { readGeminiPath } from "../../src/adapters/providers/gemini/endpoint.ts";
import { type RecordedRequest, recordedRequests, recordingsFolder } from "./recordings.ts";
import { geminiWire, type Wire, wires } from "./wires.ts";

/** The wire that a recorded request was meant for, with the rules for its model; undefined for other endpoints' requests. */
function wireOf(row: RecordedRequest): Wire | undefined {
  switch (row.api) {
    case "anthropic":
      return wires["Claude 4.8"];
    case "chat":
      return wires["openai"];
    case "responses":
      return wires["Responses, gpt-5.4"];
    case "gemini": {
      const target = readGeminiPath(row.url);
      return target === undefined ? undefined : geminiWire(target.model, target.model);
    }
    default:
      return undefined;
  }
}

describe.skipIf(recordingsFolder === null)("recorded requests", () => {
  const rows = recordedRequests().flatMap((row, at) => {
    const wire = wireOf(row);
    const path = wire === undefined ? undefined : Object(row.req)[wire.path];
    return wire === undefined || path === undefined || path.length === 0 ? [] : [{ ...row, at, wire }];
  });
  const count = (api: string): number => rows.filter((row) => row.api === api).length;

  test("each can be read, and what is written from it the strict rules take", () => {
    expect(count("anthropic") + count("chat")).toBeGreaterThan(1400);
    expect([count("responses"), count("gemini")]).toEqual([482, 400]);
    const faults = rows.flatMap(({ req, at, wire }) => {
      const fault = wire.fault(wire.encode(wire.decode(req)));
      return fault === null ? [] : [`${at}: ${JSON.stringify(fault)}`];
    });
    expect(faults).toEqual([]);
  });

  test("what was written from one reads as the same request again", () => {
    for (const { req, at, wire } of rows) {
      const once = wire.encode(wire.decode(req));
      expect({ at, body: wire.encode(wire.decode(once)) }).toEqual({ at, body: once });
    }
  });

  test("the strict rules take nearly all of what providers took; where they are stricter, it is on purpose", () => {
    const stricter =
      /empty array|must end with a user message|first message must use|non-whitespace|is empty|does not match pattern|'tool_call_id' of|empty text parameter|in the order of their function calls|Image URLs are only|Invalid value: '(?:thinking|video_url|document_url|text)'/;
    const faults = rows.flatMap(({ req, at, wire }) => {
      const fault = JSON.stringify(wire.fault(req));
      return fault === "null" ? [] : [`${at}: ${fault}`];
    });
    expect(faults.filter((fault) => !stricter.test(fault))).toEqual([]);
    expect(faults.length).toBeLessThan(60);
  });
});
