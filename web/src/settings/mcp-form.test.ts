import { expect, test } from "vitest";
import { readMcpDraft } from "./mcp-form.ts";

test("a program has variables, an address has headers", () => {
  expect(readMcpDraft({ name: " files ", place: "npx -y server /tmp", values: "API_KEY= a=b \n\nX=1" })).toEqual({
    server: "files",
    reach: { type: "stdio", command: "npx", args: ["-y", "server", "/tmp"], env: { API_KEY: "a=b", X: "1" } },
  });
  expect(readMcpDraft({ name: "web", place: "https://mcp.example/mcp", values: "Authorization: Bearer abc" })).toEqual({
    server: "web",
    reach: { type: "http", url: "https://mcp.example/mcp", headers: { Authorization: "Bearer abc" } },
  });
});

test("what is missing or wrong is said before anything is sent, and no value is repeated", () => {
  expect(readMcpDraft({ name: "", place: "npx", values: "" })).toContain("name");
  expect(readMcpDraft({ name: "a", place: " ", values: "" })).toContain("command");
  expect(readMcpDraft({ name: "a", place: 'npx "x', values: "" })).toContain("not closed");
  expect(readMcpDraft({ name: "a", place: "https://me:pw@mcp.example", values: "" })).toContain("header");
  expect(readMcpDraft({ name: "a", place: "npx", values: "just words" })).toContain("NAME=value");
});
