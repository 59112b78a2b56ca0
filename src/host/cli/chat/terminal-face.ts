import { cellsOf, clipped, graphemeCells } from "./cell-width.ts";
import type { Console } from "./console.ts";
import {
  emptyLine,
  inserted,
  pressed,
  submitted,
  textOf,
  withText,
  type EditedLine,
  type KeyPress,
} from "./edit-line.ts";
import { painted, type Face, type Look } from "./face.ts";
import { safeText } from "../base/safe-text.ts";
import { Wrapper } from "./wrap-text.ts";

/** Receives what a person does at the terminal. */
export interface PersonListener {
  /** `waits`: the message waits until the agent has finished. */
  line(text: string, how: { readonly waits: boolean }): void;
  /** Ctrl-C; `hadText`: the key emptied the line. */
  interrupt(hadText: boolean): void;
  /** Ctrl-D on an empty line. */
  end(): void;
}

/**
 * A scrolling conversation, and below it two fixed lines: the status, and the line that the person writes. Each change is
 * one write: it erases the two lines, adds the new text, and draws them again.
 */
export class TerminalFace implements Face {
  readonly #console: Console;
  readonly #wrapper = new Wrapper();
  #line: EditedLine = emptyLine;
  #sign = "› ";
  #status: string | null = null;
  #isDrawn = false;
  #drawnStatus = false;
  /** The text pasted so far; null outside a paste. */
  #pasted: string | null = null;
  #isClosed = false;

  constructor(console: Console, person: PersonListener) {
    this.#console = console;
    console.onKey((key) => this.#key(key, person));
    console.onResize(() => this.#write(""));
  }

  columns(): number {
    return this.#console.columns();
  }

  words(text: string): void {
    this.#write(this.#wrapper.push(text, this.columns()));
  }

  endWords(): void {
    const rest = this.#wrapper.flush(this.columns());
    const end = this.#wrapper.column > 0 ? this.#wrapper.push("\n", this.columns()) : "";
    if (rest !== "" || end !== "") this.#write(rest + end);
  }

  line(text: string, look: Look = "plain"): void {
    const columns = this.columns();
    const rest = this.#wrapper.flush(columns);
    const end = this.#wrapper.column > 0 ? this.#wrapper.push("\n", columns) : "";
    const own = this.#wrapper.push(text, columns) + this.#wrapper.flush(columns);
    const last = this.#wrapper.push("\n", columns);
    this.#write(rest + end + painted(this.#console.colours, look, own) + last);
  }

  aside(text: string, look: Look = "dim"): void {
    this.line(text, look);
  }

  status(status: { readonly now: string } | null): void {
    const next = status?.now ?? null;
    if (next === this.#status) return;
    this.#status = next;
    this.#write("");
  }

  prompt(sign: string): void {
    if (sign === this.#sign) return;
    this.#sign = sign;
    this.#write("");
  }

  giveBack(text: string): void {
    if (textOf(this.#line) === "") this.#line = withText(this.#line, text);
    this.#write("");
  }

  /** Erases the two lines and leaves the cursor at the beginning of an empty one. */
  close(): void {
    this.endWords();
    this.#console.write(this.#erased());
    this.#isDrawn = false;
    this.#isClosed = true;
  }

  #key(key: KeyPress, person: PersonListener): void {
    if (this.#isClosed) return;
    if (key.name === "paste-start") this.#pasted = "";
    else if (this.#pasted !== null) this.#paste(key, this.#pasted);
    else this.#pressed(key, person);
  }

  /** Pasted text comes character by character, and is inserted at once. */
  #paste(key: KeyPress, pasted: string): void {
    if (key.name !== "paste-end") {
      const isEnd = key.name === "return" || key.name === "enter";
      this.#pasted = pasted + (isEnd ? "\n" : key.name === "tab" ? "\t" : (key.text ?? ""));
      return;
    }
    this.#pasted = null;
    this.#line = inserted(this.#line, pasted);
    this.#write("");
  }

  #pressed(key: KeyPress, person: PersonListener): void {
    const text = textOf(this.#line);
    if (key.ctrl === true && key.name === "c") {
      this.#line = withText(this.#line, "");
      this.#write("");
      person.interrupt(text !== "");
    } else if (key.ctrl === true && key.name === "d" && text === "") {
      person.end();
    } else {
      const isEnter = key.name === "return" || key.name === "enter";
      // While the agent works, Alt-Enter sends a message that waits for its end; else it starts another line.
      const waits = isEnter && key.meta === true && this.#status !== null && text.trim() !== "";
      if (isEnter && (key.meta !== true || waits)) this.#submit(text, person, waits);
      else this.#line = pressed(this.#line, key);
      this.#write("");
    }
  }

  #submit(text: string, person: PersonListener, waits: boolean): void {
    this.#line = submitted(this.#line);
    if (text.trim() !== "") this.line(`${this.#sign}${safeText(text)}`, "bold");
    person.line(text, { waits });
  }

  #write(above: string): void {
    if (this.#isClosed) return;
    this.#console.write(this.#erased() + above + this.#footer());
  }

  /** Moves to the end of the conversation, and clears everything below. */
  #erased(): string {
    if (!this.#isDrawn) return "";
    const up = this.#drawnStatus ? "\u001b[1A" : "";
    const { column } = this.#wrapperBefore;
    return `\r${up}\u001b[J${column > 0 ? `\u001b[1A\u001b[${column}C` : ""}`;
  }

  /** Where the words ended when the two lines were drawn. */
  #wrapperBefore = { column: 0 };

  #footer(): string {
    const columns = this.columns();
    const { column } = this.#wrapper;
    this.#wrapperBefore = { column };
    this.#isDrawn = true;
    this.#drawnStatus = this.#status !== null;
    const { colours } = this.#console;
    const status = this.#status === null ? "" : `${painted(colours, "dim", clipped(this.#status, columns - 1))}\n`;
    return `${column > 0 ? "\n" : ""}${status}${this.#written(columns)}`;
  }

  /** Returns as much of the person's line around the cursor as fits, with the cursor in its place. */
  #written(columns: number): string {
    const sign = clipped(this.#sign, Math.max(2, Math.floor(columns / 2)));
    const room = Math.max(1, columns - cellsOf(sign) - 1);
    const { signs, at } = this.#line;
    let before = "";
    let cellsBefore = 0;
    for (let place = at - 1; place >= 0; place -= 1) {
      const shown = shownSign(signs[place] ?? "");
      const cells = cellsOf(shown);
      if (cellsBefore + cells >= room) break;
      before = shown + before;
      cellsBefore += cells;
    }
    let after = "";
    let cellsAfter = 0;
    for (let place = at; place < signs.length; place += 1) {
      const shown = shownSign(signs[place] ?? "");
      const cells = cellsOf(shown);
      if (cellsBefore + cellsAfter + cells > room) break;
      after += shown;
      cellsAfter += cells;
    }
    const back = cellsAfter > 0 ? `\u001b[${cellsAfter}D` : "";
    return `${painted(this.#console.colours, "bold", sign)}${before}${after}${back}`;
  }
}

/** Returns a character as shown in the person's line. */
function shownSign(sign: string): string {
  if (sign === "\n") return "⏎";
  const safe = safeText(sign);
  return graphemeCells(sign) === 0 ? "" : safe;
}
