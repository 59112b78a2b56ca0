import type { MarkdownBlock, MarkdownInline, MarkdownItem } from "../markdown/model.ts";
import { readMarkdown } from "../markdown/read-markdown.ts";

/** Returns the address of a picture in what is written: of its bytes, or null to leave its words. */
export type PictureOf = (address: string) => string | null;

const noPictures: PictureOf = () => null;

/** Returns all blocks of a text. */
export function blocksOf(text: string): readonly MarkdownBlock[] {
  return readMarkdown(text).groups.flat();
}

/** Writes Markdown as HTML: elements and text of our own alone, so that nothing in it runs. */
export function htmlOf(text: string, pictureOf: PictureOf = noPictures): string {
  return blocks(blocksOf(text), pictureOf);
}

/** Writes a page that needs nothing else. */
export function htmlPage(title: string, text: string, pictureOf: PictureOf = noPictures): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(title)}</title>
<style>
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.6 system-ui, sans-serif; }
pre { padding: .8rem; overflow: auto; background: #f2efe6; } code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; } th, td { padding: .3rem .7rem; border: 1px solid #c9c3b4; }
blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid #c9c3b4; }
img { max-width: 100%; } figure { margin: 1rem 0; } figcaption { color: #57534a; font-size: .85rem; }
</style>
</head>
<body>
${htmlOf(text, pictureOf)}
</body>
</html>
`;
}

function blocks(list: readonly MarkdownBlock[], pictureOf: PictureOf): string {
  return list.map((block) => blockHtml(block, pictureOf)).join("\n");
}

function blockHtml(block: MarkdownBlock, pictureOf: PictureOf): string {
  const words = (children: readonly MarkdownInline[]): string => inlines(children, pictureOf);
  switch (block.type) {
    case "heading": {
      const level = Math.min(6, Math.max(1, block.level));
      return `<h${level}>${words(block.children)}</h${level}>`;
    }
    case "paragraph":
      return `<p>${words(block.children)}</p>`;
    case "code": {
      const language = /^[\w+#.-]{1,40}$/u.test(block.language) ? ` class="language-${escaped(block.language)}"` : "";
      return `<pre><code${language}>${escaped(block.text)}</code></pre>`;
    }
    case "quote":
      return `<blockquote>\n${blocks(block.blocks, pictureOf)}\n</blockquote>`;
    case "list": {
      const items = block.items.map((item) => `<li>${itemHtml(item, pictureOf)}</li>`).join("\n");
      if (block.start === null) return `<ul>\n${items}\n</ul>`;
      return `<ol${block.start === 1 ? "" : ` start="${block.start}"`}>\n${items}\n</ol>`;
    }
    case "table": {
      const align = (column: number): string => {
        const alignment = block.alignments[column] ?? null;
        return alignment === null ? "" : ` align="${alignment}"`;
      };
      const row = (cells: readonly (readonly MarkdownInline[])[], tag: "th" | "td"): string =>
        `<tr>${cells.map((cell, column) => `<${tag}${align(column)}>${words(cell)}</${tag}>`).join("")}</tr>`;
      const rows = block.rows.map((cells) => row(cells, "td")).join("\n");
      return `<table>\n<thead>\n${row(block.head, "th")}\n</thead>\n<tbody>\n${rows}\n</tbody>\n</table>`;
    }
    case "footnote":
      return `<p><sup>${escaped(block.name)}</sup> ${words(block.children)}</p>`;
    case "rule":
      return "<hr>";
    case "literal":
      return `<pre>${escaped(block.text)}</pre>`;
  }
}

function itemHtml({ ticked, blocks: inside }: MarkdownItem, pictureOf: PictureOf): string {
  const box = ticked === null ? "" : `<input type="checkbox" disabled${ticked ? " checked" : ""}> `;
  const [only] = inside;
  // A list of single lines is written without paragraphs, as people write one.
  const isPlain = inside.length === 1 && only?.type === "paragraph";
  return box + (isPlain ? inlines(only.children, pictureOf) : blocks(inside, pictureOf));
}

function inlines(list: readonly MarkdownInline[], pictureOf: PictureOf): string {
  return list.map((inline) => inlineHtml(inline, pictureOf)).join("");
}

function inlineHtml(inline: MarkdownInline, pictureOf: PictureOf): string {
  switch (inline.type) {
    case "text":
      return escaped(inline.text);
    case "emphasis":
      return `<em>${inlines(inline.children, pictureOf)}</em>`;
    case "strong":
      return `<strong>${inlines(inline.children, pictureOf)}</strong>`;
    case "strike":
      return `<del>${inlines(inline.children, pictureOf)}</del>`;
    case "code":
      return `<code>${escaped(inline.text)}</code>`;
    case "link":
      return `<a href="${escaped(inline.href)}">${inlines(inline.children, pictureOf)}</a>`;
    case "image":
      return inline.href === null
        ? escaped(inline.alt)
        : `<a href="${escaped(inline.href)}">${escaped(inline.alt === "" ? inline.href : inline.alt)}</a>`;
    case "picture": {
      const source = pictureOf(inline.address);
      if (source === null) return escaped(inline.caption === "" ? "[picture]" : `[picture: ${inline.caption}]`);
      const width = inline.width === null ? "" : ` width="${inline.width}"`;
      const image = `<img src="${escaped(source)}" alt="${escaped(inline.caption)}"${width}>`;
      return inline.caption === "" ? image : `${image}<br><small>${escaped(inline.caption)}</small>`;
    }
    case "math":
      return `<code>${escaped(inline.display ? `$$${inline.text}$$` : `$${inline.text}$`)}</code>`;
    case "footnote":
      return `<sup>${escaped(inline.name)}</sup>`;
    case "break":
      return "<br>";
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
