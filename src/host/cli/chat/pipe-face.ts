import type { Console } from "./console.ts";
import { painted, type Face, type Look } from "./face.ts";

/** A conversation over pipes: replies go to standard output, everything else to standard error. */
export class PipeFace implements Face {
  readonly #console: Console;
  #isOpen = false;
  #status: string | null = null;

  constructor(console: Console) {
    this.#console = console;
  }

  columns(): number {
    return this.#console.columns();
  }

  words(text: string): void {
    if (text === "") return;
    this.#console.write(text);
    this.#isOpen = !text.endsWith("\n");
  }

  endWords(): void {
    if (this.#isOpen) this.#console.write("\n");
    this.#isOpen = false;
  }

  line(text: string, look: Look = "plain"): void {
    this.endWords();
    this.#console.write(`${painted(this.#console.colours, look, text)}\n`);
  }

  aside(text: string, look: Look = "dim"): void {
    this.#console.note(painted(this.#console.colours, look, text));
  }

  status(status: { readonly plain: string } | null): void {
    const next = status?.plain ?? null;
    if (next === this.#status) return;
    this.#status = next;
    if (next !== null) this.#console.note(`[${next}]`);
  }

  prompt(): void {
    // Nobody sees the prompt of a line; the lines before it say what is asked.
  }

  giveBack(): void {
    // Input from a pipe is not printed again.
  }
}
