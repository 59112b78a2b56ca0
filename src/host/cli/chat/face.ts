import { styled } from "../base/terminal.ts";

/** How a line looks. */
export type Look = "plain" | "bold" | "dim" | "good" | "bad" | "warning";

/** What a chat shows itself on: a terminal, or pipes. All text that it is given is safe for one. */
export interface Face {
  columns(): number;
  /** Words of a reply, as they come. */
  words(text: string): void;
  /** Ends the line of such words, if one is open. */
  endWords(): void;
  /** A line for the reader. */
  line(text: string, look?: Look): void;
  /** A line that tells what happens beside the conversation. */
  aside(text: string, look?: Look): void;
  /** Where things stand now; null: nothing to tell. `plain` is the same without what changes with the clock. */
  status(status: { readonly now: string; readonly plain: string } | null): void;
  /** What stands before the line that the person writes. */
  prompt(sign: string): void;
  /** Puts a text where the person writes, to be sent again or changed. */
  giveBack(text: string): void;
}

const styles = { plain: null, bold: "bold", dim: "dim", good: "green", bad: "red", warning: "yellow" } as const;

/** A text with the colours of a look, where there are colours. */
export function painted(colours: boolean, look: Look, text: string): string {
  const style = styles[look];
  return style === null || text === "" ? text : styled({ colours }, style, text);
}
