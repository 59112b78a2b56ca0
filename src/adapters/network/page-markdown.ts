import { type PageDocument, parseHTML } from "./linkedom-package.ts";
import { Readability } from "./readability-package.ts";
import { Turndown } from "./turndown-package.ts";

/** A page's text. */
export interface PageText {
  readonly title: string;
  readonly markdown: string;
}

/** The shortest article that is taken for the page's own words. */
const articleUnitsMin = 200;

/** Turns a page into Markdown: its article where it has one, else all of its words. Addresses become absolute. */
export function pageMarkdown(html: string, url: string): PageText {
  const page = withoutMachinery(parseHTML(whole(html)).document, url);
  const title = page.title.replaceAll(/\s+/g, " ").trim();
  const everything = page.body?.innerHTML ?? "";
  const article = new Readability(page, { charThreshold: articleUnitsMin }).parse();
  const content = article?.content ?? "";
  const isArticle = (article?.textContent ?? "").trim().length >= articleUnitsMin;
  return { title: article?.title?.trim() || title, markdown: markdownOf(isArticle ? content : everything) };
}

/** Removes what no reader sees: a page could hide words for a model there. */
function withoutMachinery(page: PageDocument, url: string): PageDocument {
  const hidden =
    "script,style,noscript,template,iframe,object,embed,svg,canvas,form,[hidden],[aria-hidden=true],[style*='display:none'],[style*='display: none']";
  for (const element of page.querySelectorAll(hidden)) element.remove();
  for (const [tag, key] of [
    ["a", "href"],
    ["img", "src"],
  ] as const) {
    for (const element of page.querySelectorAll(`${tag}[${key}]`)) {
      const address = URL.parse(element.getAttribute(key) ?? "", url);
      if (address !== null && /^https?:$/.test(address.protocol)) element.setAttribute(key, address.href);
      else element.removeAttribute(key);
    }
  }
  return page;
}

function markdownOf(html: string): string {
  const writer = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  // Turndown takes a page that is parsed as well as its source.
  const { body } = parseHTML(inBody(html)).document;
  return writer
    .turndown(body as never)
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** A piece of a page without a body would be parsed into nothing. */
function whole(html: string): string {
  return /<body[\s>]/i.test(html) ? html : inBody(html);
}

function inBody(html: string): string {
  return `<!doctype html><html><body>${html}</body></html>`;
}
