import { expect, test } from "vitest";
import type { McpServerStatus, McpToolState } from "../../../src/core/protocol/base/mcp-server-state.ts";
import { failureWords, placeWords, statusWords } from "./mcp-words.ts";

const plain: McpToolState = { name: "a_read", description: "Reads.", access: "read", changed: null };
const changed: McpToolState = { ...plain, changed: { tool: "read", hash: "0" } };

test.each<[McpServerStatus, readonly McpToolState[], string]>([
  [{ type: "disabled" }, [], "Switched off"],
  [{ type: "connecting" }, [], "Connecting…"],
  [{ type: "ready" }, [plain], "Ready, 1 tool"],
  [{ type: "ready" }, [], "Ready, 0 tools"],
  [{ type: "ready" }, [plain, plain, changed], "Ready, 2 tools; 1 changed and not offered"],
  [{ type: "failed", reason: "x", next: "y", retryAt: null }, [], "Failed"],
  [{ type: "failed", reason: "x", next: "y", retryAt: 1 }, [], "Failed, retrying"],
])("statusWords of %j with tools %j gives: %s", (status, tools, words) => {
  expect(statusWords({ status, tools })).toBe(words);
});

test("failureWords gives the reason and what to do", () => {
  const status = { type: "failed", reason: "it exited with code 3", next: "Reload it.", retryAt: null } as const;
  expect(failureWords({ status })).toBe("It exited with code 3. Reload it.");
  expect(failureWords({ status: { type: "ready" } })).toBeNull();
});

test("placeWords gives a server's program or host", () => {
  expect(placeWords({ transport: "stdio", place: "npx" })).toBe("Program npx");
  expect(placeWords({ transport: "http", place: "mcp.example" })).toBe("At mcp.example");
});
