import { describe, expect, test } from "vitest";
import type { JsonPayload } from "../base/grammar.ts";
import { JsonReader } from "./json-reader.ts";

const nameKeys = ["name"] as const;
const argumentKeys = ["arguments"] as const;
const idKeys = ["id"] as const;
const payloads = {
  value: {
    type: "value",
    notation: {
      quotes: [
        ["'''", "'''"],
        ["'", "'"],
      ],
      unquotedKeys: false,
      words: { True: true },
    },
  },
  arguments: { type: "arguments" },
  call: { type: "call", nameKeys, argumentKeys, idKeys },
  calls: { type: "calls", nameKeys, argumentKeys, idKeys },
} as unknown as Record<"value" | "arguments" | "call" | "calls", JsonPayload>;

interface Read {
  /** What the reader told, pieces of one parameter joined; each with the offset it was told at, but for pieces. */
  readonly told: readonly string[];
  readonly state: string;
  /** How much of the text was consumed. */
  readonly at: number;
}

/** Reads a text in pieces of a length; what is not consumed is given again, with more. */
function read(payload: JsonPayload, text: string, length: number): Read {
  const told: string[] = [];
  let base = 0;
  const tell = (what: string, at?: number): void => void told.push(at === undefined ? what : `${what} @${base + at}`);
  let piece: string | null = null;
  const endPiece = (): void => {
    if (piece !== null) told.push(`= ${piece}`);
    piece = null;
  };
  const reader = new JsonReader(payload, {
    callOpened: (at) => tell("call", at),
    callNamed: (name, at) => tell(`name ${name}`, at),
    callIdentified: (id) => tell(`id ${id}`),
    parameterOpened: (name, isString, at) => tell(`${isString ? "string" : "value"} ${name}`, at),
    parameterPiece: (part) => void (piece = (piece ?? "") + part),
    parameterClosed: (at) => {
      endPiece();
      tell("closed", at);
    },
    callClosed: (json, at) => tell(`call ends ${json}`, at),
  });
  let given = 0;
  let input = "";
  while (reader.state === "reading" && (given < text.length || input !== "")) {
    const isEnd = given >= text.length;
    input += text.slice(given, given + length);
    given += length;
    const to = reader.read(input, 0, isEnd);
    base += to;
    input = input.slice(to);
    if (isEnd && to === 0) break;
  }
  endPiece();
  return { told, state: reader.state, at: base };
}

describe("JSON while it streams", () => {
  test.each<readonly [kind: keyof typeof payloads, text: string, told: readonly string[], state: string]>([
    [
      "call",
      `{"name": "look", "id": "7", "arguments": {"a": "x", "b": [1, {"c": 2}]}} tail`,
      [
        "call @0",
        "name look @15",
        "id 7",
        "string a @47",
        "= x",
        "closed @50",
        "value b @57",
        `= [1, {"c": 2}]`,
        "closed @70",
        `call ends {"a": "x", "b": [1, {"c": 2}]} @72`,
      ],
      "done",
    ],
    [
      "call",
      `{"name":"look","arguments":"{\\"a\\":1}"}`,
      ["call @0", "name look @14", `call ends {"a":1} @39`],
      "done",
    ],
    [
      "call",
      `{"name":"look","other":{"name":"no","arguments":{"a":1}}}`,
      ["call @0", "name look @14", "call ends undefined @57"],
      "done",
    ],
    [
      "call",
      `{"name":7,"arguments":{"a":true}}`,
      ["call @0", "value a @27", "= true", "closed @31", `call ends {"a":true} @33`],
      "done",
    ],
    [
      "calls",
      `[{"name":"a","arguments":{}}, {"name":"b"}]`,
      ["call @1", "name a @12", "call ends {} @28", "call @30", "name b @41", "call ends undefined @42"],
      "done",
    ],
    ["calls", `[]`, [], "done"],
    ["call", `[{"name":"a"}]`, [], "broken"],
    ["calls", `{"name":"a"}`, [], "broken"],
    ["call", `"name"`, [], "broken"],
    ["call", `}`, [], "broken"],
    [
      "arguments",
      ` {"a": "x\\ny", "b": {"a": "z"}, "c": -1.5 }`,
      [
        "string a @7",
        "= x\ny",
        "closed @13",
        "value b @20",
        `= {"a": "z"}`,
        "closed @30",
        "value c @37",
        "= -1.5",
        "closed @41",
        `call ends {"a": "x\\ny", "b": {"a": "z"}, "c": -1.5 } @43`,
      ],
      "done",
    ],
    [
      "arguments",
      `{"a": "\\ud83d\\ude00 \\u00e9 \\x \\u12 C:\\\\"}`,
      [
        "string a @6",
        "= 😀 é \\x \\u12 C:\\",
        "closed @40",
        `call ends {"a": "\\ud83d\\ude00 \\u00e9 \\x \\u12 C:\\\\"} @41`,
      ],
      "done",
    ],
    [
      "arguments",
      `{"a": "\\ud83d", "b": "\\ud83d\\ud83d\\ude00"}`,
      [
        "string a @6",
        "= \ud83d",
        "closed @14",
        "string b @21",
        "= \ud83d😀",
        "closed @41",
        `call ends {"a": "\\ud83d", "b": "\\ud83d\\ud83d\\ude00"} @42`,
      ],
      "done",
    ],
    ["arguments", `{"a": "😀`, ["string a @6", "= 😀"], "reading"],
    ["arguments", `word`, [], "broken"],
    ["value", `'it''`, ["string  @0", "= it", "closed @4"], "done"],
    ["value", `'''a 'b' ''c'''`, ["string  @0", "= a 'b' ''c", "closed @15"], "done"],
    ["value", `'''''' rest`, ["string  @0", "closed @6"], "done"],
    ["value", `{'a': True, 'b': ('x')}`, ["value  @0", `= {"a":true,"b":["x"]}`, "closed @23"], "done"],
    ["value", `12.5 rest`, ["value  @0", "= 12.5", "closed @4"], "done"],
    ["value", `word,`, ["value  @0", "= word", "closed @4"], "done"],
  ])("%s %s", (kind, text, told, state) => {
    const whole = read(payloads[kind], text, text.length);
    expect([whole.told, whole.state]).toEqual([told, state]);
    for (const length of [1, 2, 3, 5, 7]) expect(read(payloads[kind], text, length)).toEqual(whole);
  });

  test("a payload's end is where its last character is, and a broken one's before the first that breaks it", () => {
    expect(read(payloads.call, `{"name":"a"}}}`, 99).at).toBe(12);
    expect(read(payloads.value, `12 34`, 99).at).toBe(2);
    expect(read(payloads.call, `  x`, 99).at).toBe(2);
  });
});

describe("a piece in the midst of a string", () => {
  function opened(text: string): { readonly reader: JsonReader; readonly pieces: string[] } {
    const pieces: string[] = [];
    const ignore = (): void => {};
    const reader = new JsonReader(payloads.arguments, {
      callOpened: ignore,
      callNamed: ignore,
      callIdentified: ignore,
      parameterOpened: ignore,
      parameterPiece: (part) => pieces.push(part),
      parameterClosed: ignore,
      callClosed: (json) => pieces.push(`ends ${json}`),
    });
    reader.read(text, 0, false);
    return { reader, pieces };
  }

  test("is taken at once, and is part of the arguments", () => {
    const { reader, pieces } = opened(`{"a":"x`);
    expect(reader.goesOn("yz")).toBe(true);
    reader.read(`"}`, 0, true);
    expect(pieces).toEqual(["x", "yz", `ends {"a":"xyz"}`]);
  });

  test("of a key is part of the key, and of a deeper value part of that value", () => {
    const key = opened(`{"a`);
    expect(key.reader.goesOn("b")).toBe(true);
    key.reader.read(`":["x`, 0, false);
    expect(key.reader.goesOn("y")).toBe(true);
    key.reader.read(`"]}`, 0, true);
    expect(key.pieces).toEqual([`["xy"]`, `ends {"ab":["xy"]}`]);
  });

  test.each([
    ["outside a string", `{"a":1`, "2"],
    ["behind a backslash", `{"a":"\\`, "n"],
    ["behind the first half of a character", `{"a":"\\ud83d`, "x"],
    ["with the closing quote", `{"a":"x`, `y"`],
    ["with an escape", `{"a":"x`, `\\n`],
    ["that ends in half a character", `{"a":"x`, "y\ud83d"],
  ])("%s is left to the slow way", (_where, begun, piece) => {
    expect(opened(begun).reader.goesOn(piece)).toBe(false);
  });
});
