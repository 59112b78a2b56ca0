import type { DocxAnswer } from "./docx-answer.ts";
import { markdownOfHtml } from "./from-html.ts";
import { startWorker } from "../browser/start-worker.ts";
// oxlint-disable-next-line import/default -- Vite gives the address of the file
import workerAddress from "./docx-worker.ts?worker&url";

/** A Word document as Markdown; its pictures are named by `keep`. */
export interface ReadDocx {
  readonly markdown: string;
  /** What could not be taken over, in words; empty when everything was. */
  readonly leftOut: readonly string[];
}

/** The largest document that is read, and how long that may take. Bytes, milliseconds. */
const docxBytesMax = 50_000_000;
const readMs = 30_000;

/** Reads a Word document in a worker, so that a hostile one costs no more than its time. Returns why it could not be read. */
export async function readDocx(
  file: File,
  keep: (picture: File) => Promise<string | null>,
): Promise<ReadDocx | string> {
  if (file.size > docxBytesMax)
    return `${file.name} has ${Math.ceil(file.size / 1_000_000)} MB, and Word documents can have up to 50 MB. Nothing was changed.`;
  const answer = await asked(await file.arrayBuffer());
  if ("failed" in answer)
    return `${file.name} cannot be read as a Word document (.docx): ${answer.failed} Nothing was changed. Save it again in Word and try once more.`;
  const leftOut = [...new Set(answer.messages)];
  let { html } = answer;
  for (const [index, { type, bytes }] of answer.pictures.entries()) {
    const ending = type.split("/")[1]?.replace("jpeg", "jpg").replace(/\W.*$/u, "") ?? "png";
    const name = `${file.name.replace(/\.[^.]*$/u, "")}-${index + 1}.${ending}`;
    const address = await keep(new File([bytes], name, { type }));
    if (address === null) leftOut.push(`Picture ${index + 1} (${type})`);
    html = html.replaceAll(`src="images/${index}"`, address === null ? "" : `src="${address}"`);
  }
  return { markdown: await markdownOfHtml(html), leftOut };
}

function asked(bytes: ArrayBuffer): Promise<DocxAnswer> {
  const worker = startWorker(workerAddress);
  return new Promise<DocxAnswer>((resolve) => {
    const timer = setTimeout(() => resolve({ failed: "reading it took too long." }), readMs);
    worker.addEventListener("message", ({ data }: MessageEvent<DocxAnswer>) => {
      clearTimeout(timer);
      resolve(data);
    });
    worker.addEventListener("error", () => resolve({ failed: "it is damaged." }));
    worker.postMessage(bytes, [bytes]);
  }).finally(() => worker.terminate());
}
