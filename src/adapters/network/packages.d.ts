// The packages' own declarations need those of a browser.
declare module "linkedom" {
  interface PageElement {
    innerHTML: string;
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
    remove(): void;
  }
  export interface PageDocument {
    readonly title: string;
    readonly body: PageElement | null;
    querySelectorAll(selector: string): Iterable<PageElement>;
  }
  export function parseHTML(html: string): { readonly document: PageDocument };
}

declare module "@mozilla/readability" {
  import type { PageDocument } from "linkedom";
  export class Readability {
    constructor(page: PageDocument, options?: { readonly charThreshold?: number });
    parse(): {
      readonly title?: string | null;
      readonly content?: string | null;
      readonly textContent?: string | null;
    } | null;
  }
}
