import { describe, expect, test } from "vitest";
import { must } from "../../base/assert.ts";
import { judgeJson } from "./judge-parameters.ts";
import { NativeArguments, type ArgumentPiece } from "./native-arguments.ts";
import { tools } from "../base/syntax.test-support.ts";

const writeFile = must(
  tools.find((tool) => tool.name === "write_file"),
  "there is write_file",
);

function merged(pieces: readonly ArgumentPiece[]): readonly ArgumentPiece[] {
  const all: ArgumentPiece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.type === "parameter" && piece.type === "parameter") {
      all[all.length - 1] = { ...last, text: last.text + piece.text };
    } else all.push(piece);
  }
  return all;
}

function shown(json: string, size: number): readonly ArgumentPiece[] {
  const reader = new NativeArguments();
  const pieces: ArgumentPiece[] = [];
  for (let at = 0; at < json.length; at += size) pieces.push(...reader.feed(json.slice(at, at + size)));
  return pieces;
}

describe("T-38 NativeArguments", () => {
  test.each([
    ["an accent as an escape", String.raw`{"content":"caf\u00e9!"}`, "café!"],
    ["an escaped newline", String.raw`{"content":"a\\n\nb"}`, "a\\n\nb"],
    ["a pair of halves as two escapes", String.raw`{"content":"x\ud83d\ude00y"}`, "x😀y"],
    ["a character of two units", '{"content":"x😀y"}', "x😀y"],
  ])("NativeArguments shows %s whole, wherever it is cut", (_name, json, text) => {
    for (let size = 1; size <= json.length; size += 1) {
      const pieces = shown(json, size);
      expect(merged(pieces)[1]).toEqual({ type: "parameter", name: "content", text });
      for (const piece of pieces) if (piece.type === "parameter") expect(piece.text.isWellFormed()).toBe(true);
    }
    expect(shown(json, 2).filter((piece) => piece.type === "parameter").length).toBeGreaterThan(1);
  });

  test("NativeArguments shows an empty text, and an object or a number once complete", () => {
    expect(merged(shown('{"a":"","b":{"c":["x, }"]},"d":1.5}', 1))).toEqual([
      { type: "parameter-start", name: "a" },
      { type: "parameter", name: "a", text: "" },
      { type: "parameter-end", name: "a" },
      { type: "parameter-start", name: "b" },
      { type: "parameter", name: "b", text: '{"c":["x, }"]}' },
      { type: "parameter-end", name: "b" },
      { type: "parameter-start", name: "d" },
      { type: "parameter", name: "d", text: "1.5" },
      { type: "parameter-end", name: "d" },
    ]);
  });

  test.each([
    ['{"path":"a"}', "ok"],
    ["", "ok"],
    ['{"path":"a', "MALFORMED_CALL"],
    ['{"path":"a","path":"b"}', "DUPLICATE_PARAM"],
    ["[1]", "MALFORMED_CALL"],
    ['{"append":"maybe"}', "BAD_TYPE"],
    [String.raw`{"path":"\ud800"}`, "TEXT_MALFORMED"],
    ['{"path":tru}', "MALFORMED_CALL"],
  ])("T-38 the complete arguments %s are judged as %s", (json, verdict) => {
    const judged = judgeJson(writeFile, json);
    expect(judged.ok ? "ok" : judged.error.code).toBe(verdict);
  });

  test("T-38 a key of Object.prototype is an ordinary parameter", () => {
    expect(shown('{"__proto__":"x"}', 20)[0]).toEqual({ type: "parameter-start", name: "__proto__" });
    const judged = judgeJson({ name: "t", description: "", inputSchema: { type: "object" } }, '{"__proto__":"x"}');
    expect(judged.ok && Object.keys(judged.value.parameters)).toEqual(["__proto__"]);
  });
});
