import { describe, expect, test } from "vitest";
import { readGeminiPath } from "../../src/adapters/providers/gemini/endpoint.ts";
import { type RecordedRequest, recordedRequests, recordingsFolder } from "./recordings.ts";
import { geminiWire, type Wire, wires } from "./wires.ts";

/**
 * The wire that a recorded request was meant for, with the rules for its model; undefined for requests to other
 * endpoints.
 */
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

const targets = [
  "Claude 4.8",
  "openai",
  "Responses, gpt-5.4",
  "Gemini 3",
  "Gemini 2.5",
  "Interactions, Gemini 3",
].flatMap((name) => {
  const wire = wires[name];
  return wire === undefined ? [] : [[name, wire] as const];
});

function uniqueByName<Tool extends { readonly name: string }>(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter((tool, at) => tools.findIndex((other) => other.name === tool.name) === at);
}

describe.skipIf(recordingsFolder === null)("recorded requests", () => {
  const rows = recordedRequests().flatMap((row, at) => {
    const wire = wireOf(row);
    const path = wire === undefined ? undefined : Object(row.req)[wire.path];
    return wire === undefined || path === undefined || path.length === 0 ? [] : [{ ...row, at, wire }];
  });
  const count = (api: string): number => rows.filter((row) => row.api === api).length;

  test("can be read, and the strict rules accept the rewritten request like the original", () => {
    expect(count("anthropic") + count("chat")).toBeGreaterThan(1400);
    expect([count("responses"), count("gemini")]).toEqual([482, 400]);
    const faults = rows.flatMap(({ req, at, wire }) => {
      const fault = wire.fault(wire.encode(wire.decode(req)));
      return fault === null || wire.fault(req) !== null ? [] : [`${at}: ${JSON.stringify(fault)}`];
    });
    expect(faults).toEqual([]);
  });

  test("continue elsewhere: every other wire's rules accept what that wire writes from the path", () => {
    const faults = rows.flatMap(({ req, at, api, wire: own }) => {
      const { native: _own, ...request } = own.decode(req);
      const tools = request.tools.filter((tool) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(tool.name));
      return targets.flatMap(([name, wire]) => {
        // Parts that only one server of a format knows are for that server.
        if (tools.length < request.tools.length || (wire.path === own.path && own.fault(req) !== null)) return [];
        const body = wire.encode({
          ...request,
          model: request.model === "" ? "some" : request.model,
          maxTokens: Math.max(request.maxTokens ?? 0, 4096),
          thinking: "off",
          tools: uniqueByName(tools),
        });
        const fault = wire.fault(body);
        return fault === null ? [] : [`${at} ${api} to ${name}: ${JSON.stringify(fault)}`];
      });
    });
    expect(faults.slice(0, 10)).toEqual([]);
  });

  test("read as the same request again after being rewritten", () => {
    for (const { req, at, wire } of rows) {
      const once = wire.encode(wire.decode(req));
      expect({ at, body: wire.encode(wire.decode(once)) }).toEqual({ at, body: once });
    }
  });

  test("pass the strict rules with few exceptions, all of which are intended", () => {
    const stricter =
      /empty array|must end with a user message|first message must use|non-whitespace|is empty|does not match pattern|'tool_call_id' of|empty text parameter|in the order of their function calls|Image URLs are only|Invalid value: '(?:thinking|video_url|document_url|text)'|is less than 16/;
    const faults = rows.flatMap(({ req, at, wire }) => {
      const fault = JSON.stringify(wire.fault(req));
      return fault === "null" ? [] : [`${at}: ${fault}`];
    });
    expect(faults.filter((fault) => !stricter.test(fault))).toEqual([]);
    expect(faults.length).toBeLessThan(60);
  });
});
