declare module "turndown" {
  interface Options {
    readonly headingStyle?: "setext" | "atx";
    readonly codeBlockStyle?: "indented" | "fenced";
    readonly bulletListMarker?: "*" | "-" | "+";
  }
  export default class TurndownService {
    constructor(options?: Options);
    turndown(html: string): string;
  }
}
