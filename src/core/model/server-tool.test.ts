import { expect, test } from "vitest";
import { readServerTools, sendableServerTools, serverToolKinds } from "./server-tool.ts";

const wished = ["web-search", "url-context", "code-execution", "file-search:a", "file-search:b"];

test("the stores of all file searches belong to one tool", () => {
  expect(readServerTools(wished).at(-1)).toEqual({ kind: "file-search", stores: ["a", "b"] });
});

test("only what the model's API has is sent, and under both taints nothing that carries words outside", () => {
  const kinds = (...args: Parameters<typeof sendableServerTools>) =>
    sendableServerTools(...args).map(({ kind }) => kind);
  expect(kinds(wished, serverToolKinds, false)).toEqual(serverToolKinds);
  expect(kinds(wished, ["web-search"], false)).toEqual(["web-search"]);
  expect(kinds(wished, serverToolKinds, true)).toEqual(["code-execution", "file-search"]);
  expect(kinds([], serverToolKinds, false)).toEqual([]);
});
