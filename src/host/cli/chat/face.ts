import { styled } from "../base/terminal.ts";

/** The look of a line. */
export type Look = "plain" | "bold" | "dim" | "good" | "bad" | "warning";

/** The output of a chat: a terminal, or pipes. All text that it receives is safe for a terminal. */
export interface Face {
  columns(): number;
  /** Shows words of a reply as they stream. */
  words(text: string): void;
  /** Ends the line of such words, if one is open. */
  endWords(): void;
  /** Shows a line for the reader. */
  line(text: string, look?: Look): void;
  /** Shows a line about what happens beside the conversation. */
  aside(text: string, look?: Look): void;
  /** Shows the current status; null: none. `plain` is the status without the parts that change with the clock. */
  status(status: { readonly now: string; readonly plain: string } | null): void;
  /** Sets the sign before the line that the person writes. */
  prompt(sign: string): void;
  /** Puts a text into the person's line, to be sent again or changed. */
  giveBack(text: string): void;
}

const styles = { plain: null, bold: "bold", dim: "dim", good: "green", bad: "red", warning: "yellow" } as const;

/** Returns a text in the colours of a look, where there are colours. */
export function painted(colours: boolean, look: Look, text: string): string {
  const style = styles[look];
  return style === null || text === "" ? text : styled({ colours }, style, text);
}
