import { expect, test } from "vitest";
import { importFiles } from "./import-files.ts";

interface Made {
  readonly title: string;
  readonly text?: string;
}

function ports(made: Made[]) {
  const call = async (_name: string, params: unknown) => {
    made.push(params as Made);
    return { ok: true, value: { canvasId: `canvas-${made.length}` } };
  };
  const readDocx = async (file: File) =>
    file.size === 0 ? "It is damaged." : { markdown: "# From Word", leftOut: ["Picture 1 (image/emf)"] };
  const addArchive = async () => ({ done: true, words: ["2 conversations of ChatGPT were added."] });
  return { client: { call } as never, readDocx, addArchive };
}

test("17.7 dropped Markdown and Word documents become documents; a report names what was left out", async () => {
  const made: Made[] = [];
  const files = [
    new File(["\uFEFF# Plan\r\none\r\n"], "plan.v2.md"),
    new File(["x"], "letter.DOCX"),
    new File([], "broken.docx"),
    new File([new Uint8Array([0xff, 0xfe, 0x41])], "old.txt"),
    new File(["x"], "movie.mp4"),
    new File(["a".repeat(400_001)], "long.md"),
    new File([], "export.zip"),
  ];
  const report = await importFiles(files, ports(made));
  expect(made).toEqual([
    { title: "plan.v2", text: "# Plan\none\n", readsComments: true },
    { title: "letter", text: "# From Word", readsComments: true },
  ]);
  expect(report.map(({ canvasId }) => canvasId)).toEqual(["canvas-1", "canvas-2", null, null, null, null, null]);
  expect(report[1]?.leftOut).toEqual(["Picture 1 (image/emf)"]);
  expect(report[6]).toMatchObject({ isArchive: true, leftOut: ["2 conversations of ChatGPT were added."] });
  for (const [index, words] of [
    [2, "damaged"],
    [3, "UTF-8"],
    [4, "none of the kinds"],
    [5, "up to 400,000"],
  ] as const)
    expect(report[index]?.leftOut.join(" ")).toContain(words);
});
