import type { FileChild, IParagraphOptions, IRunOptions, ParagraphChild } from "docx";
import type * as docxPackage from "docx";
import type { MarkdownBlock, MarkdownInline } from "../markdown/model.ts";
import { blocksOf } from "./to-html.ts";

type Docx = typeof docxPackage;

/** A picture as bytes that Word shows. */
export interface DocxPicture {
  readonly type: "png" | "jpg" | "gif";
  readonly data: ArrayBuffer;
  readonly width: number;
  readonly height: number;
}

/** Pictures by their addresses; what is missing leaves its words. */
export type DocxPictures = ReadonlyMap<string, DocxPicture>;

/** The widest picture of a page. Pixels. */
const widthMax = 600;
const levels = ["Heading1", "Heading2", "Heading3", "Heading4", "Heading5", "Heading6"] as const;

/** Where a block is: how deep in lists, and whether in a quote. */
interface Place {
  readonly depth: number;
  readonly quoted: boolean;
}

/** Writes Markdown as a Word document; loads the writer with the first. */
export async function docxOf(title: string, text: string, pictures: DocxPictures): Promise<Blob> {
  const docx = await import("docx");
  const writer = new DocxWriter(docx, pictures);
  const children = writer.blocks(blocksOf(text), { depth: 0, quoted: false });
  const document = new docx.Document({
    title,
    creator: "Heddle",
    numbering: { config: writer.numbering() },
    sections: [{ children }],
  });
  return docx.Packer.toBlob(document);
}

class DocxWriter {
  readonly #docx: Docx;
  readonly #pictures: DocxPictures;
  /** Where each numbered list begins; each has numbers of its own. */
  readonly #starts: number[] = [];

  constructor(docx: Docx, pictures: DocxPictures) {
    this.#docx = docx;
    this.#pictures = pictures;
  }

  numbering() {
    return this.#starts.map((start, index) => ({
      reference: `list-${index}`,
      levels: Array.from({ length: 9 }, (_, level) => ({
        level,
        format: this.#docx.LevelFormat.DECIMAL,
        text: `%${level + 1}.`,
        start,
        style: { paragraph: { indent: { left: 720 * (level + 1), hanging: 360 } } },
      })),
    }));
  }

  blocks(list: readonly MarkdownBlock[], place: Place): FileChild[] {
    return list.flatMap((block) => this.#block(block, place));
  }

  #block(block: MarkdownBlock, place: Place): FileChild[] {
    const { Paragraph, TextRun } = this.#docx;
    switch (block.type) {
      case "heading":
        return [
          new Paragraph({
            style: levels[Math.min(6, block.level) - 1] ?? "Heading6",
            children: this.#runs(block.children),
          }),
        ];
      case "paragraph":
        return [this.#paragraph(this.#runs(block.children), place)];
      case "footnote":
        return [
          this.#paragraph(
            [new TextRun({ text: `${block.name} `, superScript: true }), ...this.#runs(block.children)],
            place,
          ),
        ];
      case "code":
      case "literal":
        return block.text
          .replace(/\n$/u, "")
          .split("\n")
          .map(
            (line) =>
              new Paragraph({ spacing: { after: 0 }, shading: { fill: "F2EFE6" }, children: [this.#code(line)] }),
          );
      case "quote":
        return this.blocks(block.blocks, { ...place, quoted: true });
      case "list":
        return this.#list(block, place);
      case "table":
        return [this.#table(block)];
      case "rule":
        return [new Paragraph({ thematicBreak: true })];
    }
  }

  #paragraph(children: ParagraphChild[], { depth, quoted }: Place, more: IParagraphOptions = {}): FileChild {
    const left = 720 * depth + (quoted ? 480 : 0);
    return new this.#docx.Paragraph({
      spacing: { after: 120 },
      ...(left === 0 ? {} : { indent: { left } }),
      ...(quoted ? { border: { left: { style: "single", size: 12, space: 8, color: "C9C3B4" } } } : {}),
      ...more,
      children,
    });
  }

  #list(block: Extract<MarkdownBlock, { type: "list" }>, place: Place): FileChild[] {
    const { Paragraph, TextRun } = this.#docx;
    const level = Math.min(8, place.depth);
    const reference = block.start === null ? null : `list-${this.#starts.push(block.start) - 1}`;
    const mark: IParagraphOptions = reference === null ? { bullet: { level } } : { numbering: { reference, level } };
    return block.items.flatMap(({ ticked, blocks: inside }) => {
      const [first, ...rest] = inside;
      const box = ticked === null ? [] : [new TextRun(ticked ? "☑ " : "☐ ")];
      const words = first?.type === "paragraph" ? this.#runs(first.children) : [];
      const others = first?.type === "paragraph" ? rest : inside;
      const item = new Paragraph({ ...mark, spacing: { after: 60 }, children: [...box, ...words] });
      return [item, ...this.blocks(others, { ...place, depth: place.depth + 1 })];
    });
  }

  #table({ head, rows, alignments }: Extract<MarkdownBlock, { type: "table" }>): FileChild {
    const { Table, TableRow, TableCell, Paragraph, WidthType } = this.#docx;
    const columns = Math.max(head.length, 1);
    const row = (cells: readonly (readonly MarkdownInline[])[], isHead: boolean) =>
      new TableRow({
        tableHeader: isHead,
        children: Array.from(
          { length: columns },
          (_, column) =>
            new TableCell({
              ...(isHead ? { shading: { fill: "F2EFE6" } } : {}),
              children: [
                new Paragraph({
                  alignment: alignments[column] ?? "left",
                  children: this.#runs(cells[column] ?? [], isHead ? { bold: true } : {}),
                }),
              ],
            }),
        ),
      });
    return new Table({
      width: { size: 100, type: WidthType.PERCENTAGE },
      rows: [row(head, true), ...rows.map((cells) => row(cells, false))],
    });
  }

  #code(text: string): ParagraphChild {
    return new this.#docx.TextRun({ text, font: "Consolas", size: 19 });
  }

  #runs(list: readonly MarkdownInline[], look: IRunOptions = {}): ParagraphChild[] {
    return list.flatMap((inline) => this.#run(inline, look));
  }

  #run(inline: MarkdownInline, look: IRunOptions): ParagraphChild[] {
    const { TextRun, ExternalHyperlink } = this.#docx;
    switch (inline.type) {
      case "text":
        return [new TextRun({ ...look, text: inline.text.replaceAll("\n", " ") })];
      case "emphasis":
        return this.#runs(inline.children, { ...look, italics: true });
      case "strong":
        return this.#runs(inline.children, { ...look, bold: true });
      case "strike":
        return this.#runs(inline.children, { ...look, strike: true });
      case "code":
        return [this.#code(inline.text)];
      case "link":
        return [
          new ExternalHyperlink({
            link: inline.href,
            children: this.#runs(inline.children, { ...look, style: "Hyperlink" }),
          }),
        ];
      case "image":
        return inline.href === null
          ? [new TextRun({ ...look, text: inline.alt })]
          : [
              new ExternalHyperlink({
                link: inline.href,
                children: [new TextRun({ ...look, text: inline.alt || inline.href, style: "Hyperlink" })],
              }),
            ];
      case "picture":
        return this.#picture(inline, look);
      case "math":
        return [this.#code(inline.text)];
      case "footnote":
        return [new TextRun({ ...look, text: inline.name, superScript: true })];
      case "break":
        return [new TextRun({ break: 1 })];
    }
  }

  #picture(inline: Extract<MarkdownInline, { type: "picture" }>, look: IRunOptions): ParagraphChild[] {
    const { ImageRun, TextRun } = this.#docx;
    const { caption } = inline;
    const picture = this.#pictures.get(inline.address);
    if (picture === undefined)
      return [new TextRun({ ...look, text: caption === "" ? "[picture]" : `[picture: ${caption}]` })];
    const width = Math.min(widthMax, inline.width ?? picture.width);
    const height = Math.round((width * picture.height) / picture.width);
    const image = new ImageRun({
      type: picture.type,
      data: picture.data,
      transformation: { width, height },
      altText: { name: caption, description: caption, title: caption },
    });
    return caption === "" ? [image] : [image, new TextRun({ text: caption, break: 1, italics: true, size: 18 })];
  }
}
