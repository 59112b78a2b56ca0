/** A document as shown: the type admits only safe content. Raw HTML is text, and pictures are links. */
export type MarkdownBlock =
  | { readonly type: "heading"; readonly level: number; readonly children: readonly MarkdownInline[] }
  | { readonly type: "paragraph"; readonly children: readonly MarkdownInline[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | {
      readonly type: "list";
      /** The first number of an ordered list; null for bullets. */
      readonly start: number | null;
      readonly items: readonly MarkdownItem[];
    }
  | {
      readonly type: "table";
      readonly alignments: readonly Alignment[];
      readonly head: readonly (readonly MarkdownInline[])[];
      readonly rows: readonly (readonly (readonly MarkdownInline[])[])[];
    }
  /** The text of a footnote; `name` is how references call it. */
  | { readonly type: "footnote"; readonly name: string; readonly children: readonly MarkdownInline[] }
  | { readonly type: "rule" }
  /** Shown as plain text, such as raw HTML. */
  | { readonly type: "literal"; readonly text: string };

export interface MarkdownItem {
  /** Whether the item's box is ticked; null without a box. */
  readonly ticked: boolean | null;
  readonly blocks: readonly MarkdownBlock[];
}

export type Alignment = "left" | "right" | "center" | null;

export type MarkdownInline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "emphasis" | "strong" | "strike"; readonly children: readonly MarkdownInline[] }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "link"; readonly href: string; readonly children: readonly MarkdownInline[] }
  /** Never loaded automatically; `href` is null when the address is not safe. */
  | { readonly type: "image"; readonly alt: string; readonly href: string | null }
  /** An uploaded picture, or a file beside the document; `width` is in CSS pixels, null for its own. */
  | { readonly type: "picture"; readonly address: string; readonly caption: string; readonly width: number | null }
  /** A formula, as it was written between its marks. */
  | { readonly type: "math"; readonly text: string; readonly display: boolean }
  | { readonly type: "footnote"; readonly name: string }
  | { readonly type: "break" };

/** Returns the address when it is a web or mail address; null otherwise. */
export function safeHref(address: string): string | null {
  const trimmed = address.trim();
  const completed = /^www\./iu.test(trimmed)
    ? `https://${trimmed}`
    : /^[^\s@:/?#]+@[^\s@/]+\.[^\s@/]+$/u.test(trimmed)
      ? `mailto:${trimmed}`
      : trimmed;
  try {
    const url = new URL(completed);
    return url.protocol === "http:" || url.protocol === "https:" || url.protocol === "mailto:" ? url.href : null;
  } catch {
    return null;
  }
}

/** Returns a link's target, short enough to show beside it. */
export function targetOf(href: string): string {
  const url = new URL(href);
  return url.protocol === "mailto:" ? decodeSafely(url.pathname) : url.host;
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
