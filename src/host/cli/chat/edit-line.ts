import { graphemesOf } from "./cell-width.ts";

/** The line that a person writes, as graphemes, and the earlier lines. */
export interface EditedLine {
  readonly signs: readonly string[];
  /** The cursor, between graphemes: from 0 to their number. */
  readonly at: number;
  /** Oldest first. */
  readonly history: readonly string[];
  /** Index of the shown line in the history; the history's length for the new line. */
  readonly back: number;
  /** The new line's text when the history was opened. */
  readonly kept: string;
}

/** An empty line. */
export const emptyLine: EditedLine = { signs: [], at: 0, history: [], back: 0, kept: "" };

/** How many lines are remembered. */
const historyMax = 200;

/** One key press, as Node's readline reports it. */
export interface KeyPress {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  /** The typed text, if any. */
  readonly text?: string | undefined;
}

/** Returns the line's text. */
export function textOf({ signs }: EditedLine): string {
  return signs.join("");
}

/** Returns the line with another text, the cursor at its end. */
export function withText(line: EditedLine, text: string): EditedLine {
  const signs = graphemesOf(text);
  return { ...line, signs, at: signs.length };
}

/** Starts a new line and remembers this one, unless it is empty or equals the last one. */
export function submitted(line: EditedLine): EditedLine {
  const text = textOf(line);
  const isNew = text.trim() !== "" && line.history.at(-1) !== text;
  const history = isNew ? [...line.history, text].slice(-historyMax) : line.history;
  return { ...emptyLine, history, back: history.length };
}

/** Returns the line after a key press; an unknown key changes nothing. */
export function pressed(line: EditedLine, key: KeyPress): EditedLine {
  const { signs, at } = line;
  if (key.ctrl === true) return controlPressed(line, key.name);
  if (key.meta === true) return metaPressed(line, key.name);
  switch (key.name) {
    case "left":
      return { ...line, at: Math.max(0, at - 1) };
    case "right":
      return { ...line, at: Math.min(signs.length, at + 1) };
    case "home":
      return { ...line, at: 0 };
    case "end":
      return { ...line, at: signs.length };
    case "backspace":
      return cut(line, at - 1, at);
    case "delete":
      return cut(line, at, at + 1);
    case "up":
      return recalled(line, line.back - 1);
    case "down":
      return recalled(line, line.back + 1);
    case undefined:
    default:
      return key.text === undefined || key.name === "tab" || key.name === "escape" ? line : inserted(line, key.text);
  }
}

function controlPressed(line: EditedLine, name: string | undefined): EditedLine {
  const { signs, at } = line;
  switch (name) {
    case "a":
      return { ...line, at: 0 };
    case "e":
      return { ...line, at: signs.length };
    case "b":
      return { ...line, at: Math.max(0, at - 1) };
    case "f":
      return { ...line, at: Math.min(signs.length, at + 1) };
    case "u":
      return cut(line, 0, at);
    case "k":
      return cut(line, at, signs.length);
    case "w":
      return cut(line, wordStart(line), at);
    case "d":
      return cut(line, at, at + 1);
    case "h":
      return cut(line, at - 1, at);
    case "p":
      return recalled(line, line.back - 1);
    case "n":
      return recalled(line, line.back + 1);
    case "left":
      return { ...line, at: wordStart(line) };
    case "right":
      return { ...line, at: wordEnd(line) };
    case undefined:
    default:
      return line;
  }
}

function metaPressed(line: EditedLine, name: string | undefined): EditedLine {
  switch (name) {
    case "b":
      return { ...line, at: wordStart(line) };
    case "f":
      return { ...line, at: wordEnd(line) };
    case "d":
      return cut(line, line.at, wordEnd(line));
    case "backspace":
      return cut(line, wordStart(line), line.at);
    case "return":
    case "enter":
      return inserted(line, "\n");
    case undefined:
    default:
      return line;
  }
}

/** Inserts text at the cursor. Characters may join their neighbours: an accent, the other half of a pair. */
export function inserted(line: EditedLine, text: string): EditedLine {
  const { signs, at } = line;
  const start = Math.max(0, at - 1);
  // Only the neighbours are split again: pasted text comes character by character.
  const before = signs.slice(start, at).join("") + text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const after = signs[at] ?? "";
  const joined = graphemesOf(before + after);
  return {
    ...line,
    signs: [...signs.slice(0, start), ...joined, ...signs.slice(at + 1)],
    at: start + graphemesOf(before).length,
  };
}

function cut(line: EditedLine, from: number, to: number): EditedLine {
  const start = Math.max(0, from);
  return { ...line, signs: line.signs.toSpliced(start, to - start), at: start };
}

function recalled(line: EditedLine, back: number): EditedLine {
  if (back < 0 || back > line.history.length || back === line.back) return line;
  const kept = line.back === line.history.length ? textOf(line) : line.kept;
  return { ...withText(line, line.history[back] ?? kept), back, kept };
}

function isBlank(sign: string | undefined): boolean {
  return sign === undefined || sign.trim() === "";
}

function wordStart({ signs, at }: EditedLine): number {
  let place = at;
  while (place > 0 && isBlank(signs[place - 1])) place -= 1;
  while (place > 0 && !isBlank(signs[place - 1])) place -= 1;
  return place;
}

function wordEnd({ signs, at }: EditedLine): number {
  let place = at;
  while (place < signs.length && isBlank(signs[place])) place += 1;
  while (place < signs.length && !isBlank(signs[place])) place += 1;
  return place;
}
