import { expect, test } from "vitest";
import { resultParts } from "./result-parts.ts";

test.each([
  [
    "a command's output is a text, and its end is below",
    { ended: "exited", exit_code: 1, output: "one\ntwo\n" },
    [
      { title: "Output", text: "one\ntwo\n" },
      { title: "Result", text: '{\n  "ended": "exited",\n  "exit_code": 1\n}' },
    ],
  ],
  [
    "read files are texts under their paths, and unreadable ones stay JSON",
    {
      files: [
        { path: "a.md", text: "1→a", line_count: 1 },
        { path: "b.md", ok: false, code: "FILE_NOT_FOUND" },
      ],
    },
    [
      { title: "a.md", text: "1→a" },
      {
        title: "Result",
        text: JSON.stringify({ files: [{ path: "b.md", ok: false, code: "FILE_NOT_FOUND" }] }, null, 2),
      },
    ],
  ],
  [
    "found files are not texts",
    { files: [{ path: "a.md" }] },
    [{ title: "Result", text: JSON.stringify({ files: [{ path: "a.md" }] }, null, 2) }],
  ],
])("%s", (_name, answer, parts) => {
  expect(resultParts(JSON.stringify(answer))).toEqual(parts);
});

test.each(["Cancelled by user", "[1]", '"output"', "", "{"])(
  "resultParts shows %j, which is not an object, unchanged",
  (text) => {
    expect(resultParts(text)).toEqual([{ title: "Result", text }]);
  },
);
