import mammoth from "mammoth/mammoth.browser.js";
import type { DocxAnswer, DocxPictureBytes } from "./docx-answer.ts";

addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => {
  void read(data).then((answer) => postMessage(answer));
});

async function read(arrayBuffer: ArrayBuffer): Promise<DocxAnswer> {
  const pictures: DocxPictureBytes[] = [];
  try {
    const convertImage = mammoth.images.imgElement(async (image) => {
      const at = pictures.push({ type: image.contentType, bytes: new ArrayBuffer(0) }) - 1;
      pictures[at] = { type: image.contentType, bytes: await image.readAsArrayBuffer() };
      return { src: `images/${at}` };
    });
    const { value, messages } = await mammoth.convertToHtml({ arrayBuffer }, { convertImage });
    return { html: value, pictures, messages: messages.map(({ message }) => message).slice(0, 50) };
  } catch (problem) {
    return { failed: problem instanceof Error ? `${problem.message.replace(/\.$/u, "")}.` : "it is damaged." };
  }
}
