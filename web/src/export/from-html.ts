import type TurndownService from "turndown";
import { fenceFor } from "../../../src/core/message/fence.ts";

interface HtmlPolicy {
  readonly createHTML: (html: string) => string;
}

/** What pages without trusted types lack. */
interface TrustedTypes {
  readonly createPolicy: (name: string, rules: HtmlPolicy) => HtmlPolicy;
}

let policy: HtmlPolicy | null = null;

/**
 * Parses foreign HTML into a document of its own, in which nothing runs and nothing is loaded. It is read for its words and
 * never becomes part of the page.
 */
function inertDocument(html: string): Document {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const rules: HtmlPolicy = { createHTML: (given) => given };
  policy ??= trustedTypes?.createPolicy("paste", rules) ?? rules;
  return new DOMParser().parseFromString(policy.createHTML(html), "text/html");
}

/** Turns rich text into Markdown; loads Turndown with the first. */
export async function markdownOfHtml(html: string): Promise<string> {
  const { default: Turndown } = await import("turndown");
  // A style of the foreign page would only draw a complaint; the rules below read it as data.
  const page = inertDocument(html.replaceAll(/\sstyle=/giu, " data-style="));
  for (const element of page.querySelectorAll("script,style,noscript,template,iframe,object,embed,meta,link,title"))
    element.remove();
  return markdownOfElement(page.body, Turndown);
}

/** Turns parsed rich text into Markdown. */
export function markdownOfElement(element: HTMLElement, Turndown: typeof TurndownService): string {
  const writer = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  writer.escape = escapedWords;
  writer.addRule("bold of other editors", {
    filter: (node) => node.nodeName === "SPAN" && hasStyle(node, /font-weight:\s*(?:bold|[6-9]00)/u),
    replacement: (words) => (words.trim() === "" ? words : `**${words.trim()}**`),
  });
  writer.addRule("the frame of Google Docs", {
    filter: (node) => node.nodeName === "B" && hasStyle(node, /font-weight:\s*normal/u),
    replacement: (words) => words,
  });
  writer.addRule("struck", { filter: ["del", "s"], replacement: (words) => `~~${words}~~` });
  writer.addRule("box", {
    filter: (node) => node.nodeName === "INPUT" && node.getAttribute("type") === "checkbox",
    replacement: (_words, node) => ("checked" in node && node.checked === true ? "[x] " : "[ ] "),
  });
  writer.addRule("code", { filter: "pre", replacement: (_words, node) => codeOf(node) });
  writer.addRule("table", { filter: "table", replacement: (_words, node) => tableOf(node, writer) });
  writer.addRule("picture", {
    filter: "img",
    replacement: (_words, node) => pictureOf(node),
  });
  return writer
    .turndown(element)
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
}

/** Keeps words words. Brackets stay as they are: written with backslashes they would be a formula. */
function escapedWords(words: string): string {
  return words
    .replaceAll(/[\\`*]/gu, String.raw`\$&`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/^(\s*)([-+>]|#{1,6})(?=\s)/gmu, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d{1,9})([.)])(?=\s)/gmu, String.raw`$1\$2`);
}

function hasStyle(node: Node, style: RegExp): boolean {
  return "getAttribute" in node && style.test((node as Element).getAttribute("data-style") ?? "");
}

/** A picture by its address where it is one of the web or our own; bytes inside the page are left out. */
function pictureOf(node: Node): string {
  const image = node as Element;
  const address = image.getAttribute("src") ?? "";
  const words = (image.getAttribute("alt") ?? "").replaceAll(/[[\]\n]/gu, " ");
  return /^(?:https?:|blob:[0-9a-f]{64}$|images\/)/u.test(address) ? `![${words}](${address})` : words;
}

/** Writes preformatted text as code, whatever it is marked up with inside; Turndown alone knows it by a `code` in it. */
function codeOf(pre: Element): string {
  for (const line of pre.querySelectorAll("br")) line.replaceWith("\n");
  const words = pre.textContent.replace(/\n$/u, "");
  const classes = [pre, pre.querySelector("code"), pre.parentElement].map((each) => each?.getAttribute("class") ?? "");
  // GitHub names the language at the block around.
  const language = /(?:^|\s)(?:language|highlight-source)-(\S+)/u.exec(classes.join(" "))?.[1] ?? "";
  const fence = fenceFor(words);
  return `\n\n${fence}${language}\n${words}\n${fence}\n\n`;
}

/** Writes a table: its first row is the head, bars and line breaks in cells are written so that they stay in them. */
function tableOf(node: Node, writer: TurndownService): string {
  const rows = [...(node as Element).querySelectorAll("tr")].map((row) =>
    [...row.querySelectorAll("th,td")].map((cell) =>
      writer
        .turndown(cell as HTMLElement)
        .replaceAll(/\s*\n\s*/gu, " ")
        .replaceAll("|", "\\|")
        // Word writes the head of a table in bold; here it is the head that makes it so.
        .replace(cell.nodeName === "TH" ? /^\*\*(.*)\*\*$/u : /(?!)/u, "$1"),
    ),
  );
  const columns = Math.max(0, ...rows.map((cells) => cells.length));
  if (columns === 0) return "";
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, column) => cells[column] ?? "").join(" | ")} |`;
  const [head = [], ...rest] = rows;
  const dashes = line(Array.from({ length: columns }, () => "---"));
  return `\n\n${[line(head), dashes, ...rest.map(line)].join("\n")}\n\n`;
}
