import { fileNameOf, saveFile } from "../browser/save-file.ts";
import type { ShownPictures } from "../browser/shown-pictures.ts";
import type { MarkdownBlock } from "../markdown/model.ts";
import type { DocxPicture } from "./to-docx.ts";
import { blocksOf, htmlOf, htmlPage } from "./to-html.ts";

const wordTypes = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
] as const satisfies readonly (readonly [string, DocxPicture["type"]])[]) as ReadonlyMap<string, DocxPicture["type"]>;

/** A document that is exported. */
export interface ExportedDocument {
  readonly title: string;
  readonly text: string;
  readonly pictures: ShownPictures;
}

export type ExportForm = "markdown" | "html" | "docx";

/** Writes a document in another form and lets the browser save it. */
export async function saveAs({ title, text, pictures }: ExportedDocument, form: ExportForm): Promise<void> {
  const name = fileNameOf(title.replace(/\.(?:md|markdown|txt)$/iu, ""), "document");
  if (form === "markdown") return saveFile(`${name}.md`, new Blob([text], { type: "text/markdown" }));
  if (form === "html") {
    const shown = await inlined(text, pictures);
    return saveFile(
      `${name}.html`,
      new Blob([htmlPage(title, text, (at) => shown.get(at) ?? null)], { type: "text/html" }),
    );
  }
  const [{ docxOf }, shown] = await Promise.all([import("./to-docx.ts"), forWord(text, pictures)]);
  saveFile(`${name}.docx`, await docxOf(title, text, shown));
}

/** Copies a text as rich text, with Markdown for programs that take plain text. */
export async function copyRich(text: string): Promise<void> {
  const item = new ClipboardItem({
    "text/html": new Blob([htmlOf(text)], { type: "text/html" }),
    "text/plain": new Blob([text], { type: "text/plain" }),
  });
  await navigator.clipboard.write([item]);
}

/** Pictures as addresses that hold their bytes. */
async function inlined(text: string, pictures: ShownPictures): Promise<ReadonlyMap<string, string>> {
  const shown = new Map<string, string>();
  for (const address of picturesIn(blocksOf(text))) {
    const picture = await pictures.show(address);
    if (picture !== null) shown.set(address, await dataAddress(picture.blob));
  }
  return shown;
}

/** Pictures as bytes of the types that Word shows; others are drawn as PNG. */
async function forWord(text: string, pictures: ShownPictures): Promise<ReadonlyMap<string, DocxPicture>> {
  const shown = new Map<string, DocxPicture>();
  for (const address of picturesIn(blocksOf(text))) {
    const picture = await pictures.show(address);
    if (picture === null) continue;
    const { blob, width, height } = picture;
    const type = wordTypes.get(blob.type) ?? null;
    const bytes = type === null ? await drawnAsPng(picture.url, { width, height }) : blob;
    if (bytes !== null) shown.set(address, { type: type ?? "png", data: await bytes.arrayBuffer(), width, height });
  }
  return shown;
}

/** Draws a picture, such as an SVG, as PNG; null where the browser cannot. */
async function drawnAsPng(url: string, { width, height }: { width: number; height: number }): Promise<Blob | null> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}

function dataAddress(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("the picture cannot be read")));
    reader.readAsDataURL(blob);
  });
}

/** Returns the addresses of all pictures, each once. */
export function picturesIn(blocks: readonly MarkdownBlock[]): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("type" in value && value.type === "picture" && "address" in value) found.add(String(value.address));
    else for (const each of Object.values(value)) look(each);
  };
  look(blocks);
  return found;
}
