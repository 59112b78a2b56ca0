import { expect, test } from "vitest";
import { resultParts } from "./result-parts.ts";

test.each([
  [
    "what a command printed is a text, and how it ended stands below",
    { ended: "exited", exit_code: 1, output: "one\ntwo\n" },
    [
      { title: "Output", text: "one\ntwo\n" },
      { title: "Result", text: '{\n  "ended": "exited",\n  "exit_code": 1\n}' },
    ],
  ],
  [
    "files that were read are texts under their paths, and those that could not be stay as they are",
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
    "files that were found are no texts",
    { files: [{ path: "a.md" }] },
    [{ title: "Result", text: JSON.stringify({ files: [{ path: "a.md" }] }, null, 2) }],
  ],
])("%s", (_name, answer, parts) => {
  expect(resultParts(JSON.stringify(answer))).toEqual(parts);
});

test.each(["Cancelled by user", "[1]", '"output"', "", "{"])("%j, which is no object, is shown as it is", (text) => {
  expect(resultParts(text)).toEqual([{ title: "Result", text }]);
});
