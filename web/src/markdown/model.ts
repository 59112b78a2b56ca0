/** A document as it is shown: only what may be shown can be said. Raw HTML is text here, and pictures are links. */
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
  | { readonly type: "rule" }
  /** Shown letter by letter, such as raw HTML. */
  | { readonly type: "literal"; readonly text: string };

export interface MarkdownItem {
  /** Whether its box is ticked; null where it has none. */
  readonly ticked: boolean | null;
  readonly blocks: readonly MarkdownBlock[];
}

export type Alignment = "left" | "right" | "center" | null;

export type MarkdownInline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "emphasis" | "strong" | "strike"; readonly children: readonly MarkdownInline[] }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "link"; readonly href: string; readonly children: readonly MarkdownInline[] }
  /** Never loaded by itself; `href` is null where following it would not be safe. */
  | { readonly type: "image"; readonly alt: string; readonly href: string | null }
  | { readonly type: "break" };

/** The address, if it leads where a link may lead: the web or a mail. */
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

/** Where a link leads, short enough to stand beside it. */
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
