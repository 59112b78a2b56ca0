import { dirname, join, normalize } from "node:path/posix";
import { unreachable } from "../src/core/base/assert.ts";
import type { MarkdownBlock, MarkdownInline } from "../web/src/markdown/model.ts";
import { blocksOf, readMarkdown } from "../web/src/markdown/read-markdown.ts";

/** A page of the site, from one Markdown file of the repository. */
export interface SitePage {
  /** Its path in the repository, such as `docs/mcp.md`, and on the site. */
  readonly source: string;
  readonly path: string;
  readonly title: string;
  /** The HTML of its text. */
  readonly html: string;
  /** Its headings with their anchors, and the words below each, for the search. */
  readonly sections: readonly SiteSection[];
  /** Where its links lead on the site: a page, and an anchor or nothing. */
  readonly links: readonly { readonly path: string; readonly anchor: string }[];
}

interface SiteSection {
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** Begins the links within the site while a page is read: the reader keeps web addresses alone. */
const own = "https://site.invalid/";

/** Returns where a file's page is on the site. */
export function pagePath(source: string): string {
  const path = source.replace(/^docs\//u, "").replace(/\.md$/u, ".html");
  return path === "README.html" ? "index.html" : path;
}

/** Makes the page of a file. Links to files that are no pages become plain words. */
export function sitePage(source: string, text: string, sources: ReadonlySet<string>): SitePage {
  const writer = new PageWriter(source, sources);
  const html = writer.blocks(blocksOf(readMarkdown(writer.prepared(text))));
  const [first] = writer.sections;
  return {
    source,
    path: pagePath(source),
    title: first?.heading ?? source,
    html,
    sections: writer.sections.map(({ anchor, heading, words }) => ({ anchor, heading, text: words.join(" ") })),
    links: writer.links,
  };
}

class PageWriter {
  readonly sections: { readonly anchor: string; readonly heading: string; readonly words: string[] }[] = [];
  readonly links: { readonly path: string; readonly anchor: string }[] = [];
  readonly #source: string;
  readonly #sources: ReadonlySet<string>;
  readonly #anchors = new Map<string, number>();

  constructor(source: string, sources: ReadonlySet<string>) {
    this.#source = source;
    this.#sources = sources;
  }

  /** Makes the addresses of links to other files whole. */
  prepared(text: string): string {
    return text.replaceAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/gu, (_, target: string) => {
      const [file = "", anchor = ""] = target.split("#");
      const path = file === "" ? this.#source : normalize(join(dirname(this.#source), file));
      return `](${own}${path}${anchor === "" ? "" : `#${anchor}`})`;
    });
  }

  blocks(list: readonly MarkdownBlock[]): string {
    return list.map((block) => this.#block(block)).join("\n");
  }

  #block(block: MarkdownBlock): string {
    switch (block.type) {
      case "heading":
        return this.#heading(block);
      case "paragraph":
        return `<p>${this.#inlines(block.children)}</p>`;
      case "code":
        this.#note(block.text);
        return `<pre tabindex="0"><code>${escaped(block.text)}</code></pre>`;
      case "quote":
        return `<blockquote>${this.blocks(block.blocks)}</blockquote>`;
      case "list": {
        const items = block.items.map((item) => `<li>${this.blocks(item.blocks)}</li>`).join("");
        return block.start === null ? `<ul>${items}</ul>` : `<ol start="${block.start}">${items}</ol>`;
      }
      case "table": {
        const row = (cells: readonly (readonly MarkdownInline[])[], tag: string): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.#inlines(cell)}</${tag}>`).join("")}</tr>`;
        const rows = block.rows.map((cells) => row(cells, "td")).join("");
        return `<div class="table" tabindex="0"><table>${row(block.head, "th")}${rows}</table></div>`;
      }
      case "footnote":
        return `<p><sup>${escaped(block.name)}</sup> ${this.#inlines(block.children)}</p>`;
      case "rule":
        return "<hr>";
      case "literal":
        return `<p>${escaped(block.text)}</p>`;
      default:
        return unreachable(block);
    }
  }

  #heading({ level, children }: Extract<MarkdownBlock, { type: "heading" }>): string {
    const heading = wordsOf(children);
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/gu, "-");
    const before = this.#anchors.get(slug) ?? 0;
    this.#anchors.set(slug, before + 1);
    const anchor = before === 0 ? slug : `${slug}-${before}`;
    this.sections.push({ anchor, heading, words: [] });
    return `<h${level} id="${escaped(anchor)}">${this.#inlines(children)}</h${level}>`;
  }

  #inlines(list: readonly MarkdownInline[]): string {
    return list.map((inline) => this.#inline(inline)).join("");
  }

  #inline(inline: MarkdownInline): string {
    switch (inline.type) {
      case "text":
        this.#note(inline.text);
        return escaped(inline.text);
      case "emphasis":
        return `<em>${this.#inlines(inline.children)}</em>`;
      case "strong":
        return `<strong>${this.#inlines(inline.children)}</strong>`;
      case "strike":
        return `<del>${this.#inlines(inline.children)}</del>`;
      case "code":
        this.#note(inline.text);
        return `<code>${escaped(inline.text)}</code>`;
      case "link":
        return this.#link(inline.href, this.#inlines(inline.children));
      case "image":
        return inline.href === null ? escaped(inline.alt) : this.#link(inline.href, escaped(inline.alt));
      case "picture":
        return escaped(inline.caption);
      case "math":
        return `<code>${escaped(inline.text)}</code>`;
      case "footnote":
        return `<sup>${escaped(inline.name)}</sup>`;
      case "break":
        return "<br>";
      default:
        return unreachable(inline);
    }
  }

  #link(href: string, html: string): string {
    if (!href.startsWith(own)) return `<a href="${escaped(href)}" rel="noopener noreferrer">${html}</a>`;
    const [file = "", anchor = ""] = decodeURI(href.slice(own.length)).split("#");
    if (!this.#sources.has(file)) return html;
    const path = pagePath(file);
    this.links.push({ path, anchor });
    const up = "../".repeat(pagePath(this.#source).split("/").length - 1);
    return `<a href="${escaped(`${up}${path}${anchor === "" ? "" : `#${anchor}`}`)}">${html}</a>`;
  }

  #note(text: string): void {
    this.sections.at(-1)?.words.push(text);
  }
}

function wordsOf(list: readonly MarkdownInline[]): string {
  return list
    .map((inline) => ("children" in inline ? wordsOf(inline.children) : "text" in inline ? inline.text : ""))
    .join("");
}

/** Writes a text so that it is no HTML. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
