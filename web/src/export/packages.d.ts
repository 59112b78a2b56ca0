declare module "turndown" {
  interface Options {
    readonly headingStyle?: "setext" | "atx";
    readonly codeBlockStyle?: "indented" | "fenced";
    readonly bulletListMarker?: "*" | "-" | "+";
    readonly hr?: string;
  }
  interface Rule {
    readonly filter: string | readonly string[] | ((node: HTMLElement) => boolean);
    readonly replacement: (content: string, node: HTMLElement) => string;
  }
  export default class TurndownService {
    constructor(options?: Options);
    escape: (words: string) => string;
    addRule(name: string, rule: Rule): this;
    turndown(html: string | HTMLElement): string;
  }
}

declare module "mammoth/mammoth.browser.js" {
  interface Picture {
    readonly contentType: string;
    readAsArrayBuffer(): Promise<ArrayBuffer>;
  }
  const mammoth: {
    convertToHtml(
      input: { readonly arrayBuffer: ArrayBuffer },
      options?: { readonly convertImage?: unknown },
    ): Promise<{ readonly value: string; readonly messages: readonly { readonly message: string }[] }>;
    readonly images: { imgElement(convert: (image: Picture) => Promise<{ readonly src: string }>): unknown };
  };
  export default mammoth;
}
