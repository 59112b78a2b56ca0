import { expect, test } from "vitest";
import { terminalConsole, type TerminalConsole } from "./chat.test-support.ts";
import type { PersonListener } from "./terminal-face.ts";
import { TerminalFace } from "./terminal-face.ts";
import { safeText } from "../base/safe-text.ts";

interface Heard {
  readonly events: string[];
}

function open(columns: number): { readonly console: TerminalConsole; readonly face: TerminalFace } & Heard {
  const events: string[] = [];
  const person: PersonListener = {
    line: (text, { waits }) => void events.push(`line ${text}${waits ? " (waits)" : ""}`),
    interrupt: (hadText) => void events.push(`interrupt ${hadText}`),
    end: () => void events.push("end"),
  };
  const console = terminalConsole(columns);
  return { console, face: new TerminalFace(console, person), events };
}

test("streamed words appear above the status and the person's line, and neither is lost", () => {
  const { console, face } = open(30);
  face.aside("Heddle");
  console.type("my nex");
  face.status({ now: "Writing · 1.0 s" });
  face.words("One two three four ");
  face.words("five six seven.\nA new line");
  console.type("t");
  face.status({ now: "Writing · 2.0 s" });
  // The last word waits for its rest.
  expect(console.screen.text()).toBe(
    ["Heddle", "One two three four five six ", "seven.", "A new", "Writing · 2.0 s", "› my next"]
      .map((line) => line.trimEnd())
      .join("\n"),
  );
  face.endWords();
  face.status(null);
  expect(console.screen.lines().slice(-2)).toEqual(["A new line", "› my next"]);
});

test("the person's line is edited in place, sent with Enter, and called back from the history", () => {
  const { console, events, face } = open(40);
  face.aside("x");
  console.type("hallo wrld");
  for (const _ of "rld") console.press({ name: "left" });
  console.type("o");
  console.press({ ctrl: true, name: "a" });
  console.press({ name: "right" });
  console.press({ name: "delete" });
  console.type("e");
  expect(console.screen.lines().at(-1)).toBe("› hello world");
  expect(console.screen.cursor()[1]).toBe(4);
  console.type("\n");
  expect(events).toEqual(["line hello world"]);
  expect(console.screen.lines().slice(-2)).toEqual(["› hello world", "›"]);
  console.press({ name: "up" });
  console.press({ ctrl: true, name: "w" });
  expect(console.screen.lines().at(-1)).toBe("› hello");
});

test("a line longer than the terminal shows the part around the cursor", () => {
  const { console, face } = open(12);
  face.aside("x");
  console.type("abcdefghijklmnop");
  expect(console.screen.lines().at(-1)).toBe("› ijklmnop");
  console.press({ name: "home" });
  expect(console.screen.lines().at(-1)).toBe("› abcdefghi");
  expect(console.screen.cursor()[1]).toBe(2);
});

test("wide and joined characters take their number of cells", () => {
  const { console, face } = open(11);
  face.words("织机 织机 织机。 ");
  face.words("👩‍👩‍👧 é ok ");
  face.endWords();
  console.type("织机x");
  console.press({ name: "left" });
  console.press({ name: "backspace" });
  expect(console.screen.lines()[0]).toBe("织机 织机");
  expect(console.screen.lines().at(-1)).toBe("› 织x");
  expect(console.screen.cursor()[1]).toBe(4);
});

test("a terminal of ten cells shows everything", () => {
  const { console, face } = open(10);
  face.status({ now: "Requesting · attempt 2 of 3" });
  face.words("Supercalifragilistic words ");
  face.line("a line of its own");
  expect(console.screen.text().replaceAll("\n", "|")).toBe("Supercalif|ragilistic|words|a line of|its own|Requesti…|›");
});

test("Alt-Enter sends a message that waits while the agent works, and starts another line otherwise", () => {
  const { console, events, face } = open(40);
  face.aside("x");
  console.type("one");
  console.press({ meta: true, name: "return" });
  expect(events).toEqual([]);
  face.status({ now: "Writing" });
  console.press({ meta: true, name: "return" });
  expect(events).toEqual(["line one\n (waits)"]);
});

test("pasted text stays one message with all its lines", () => {
  const { console, events, face } = open(40);
  face.aside("x");
  console.press({ name: "paste-start" });
  console.type("one\ntwo");
  console.press({ name: "paste-end" });
  expect(console.screen.lines().at(-1)).toBe("› one⏎two");
  console.type("\n");
  expect(events).toEqual(["line one\ntwo"]);
});

test("a long paste takes no time, and characters that come in parts are joined", () => {
  const { console, events, face } = open(40);
  face.aside("x");
  console.press({ name: "paste-start" });
  console.type("织a\u0301👩\u200d👩\u200d👧 ".repeat(2_000));
  console.press({ name: "paste-end" });
  console.press({ name: "backspace" });
  console.press({ name: "backspace" });
  console.type("\n");
  expect(events[0]?.endsWith("👧 织a\u0301")).toBe(true);
});

test("Ctrl-C first empties the line; Ctrl-D leaves on an empty one", () => {
  const { console, events, face } = open(40);
  face.aside("x");
  console.type("half");
  console.press({ ctrl: true, name: "c" });
  console.press({ ctrl: true, name: "c" });
  console.type("a");
  console.press({ ctrl: true, name: "d" });
  console.press({ name: "backspace" });
  console.press({ ctrl: true, name: "d" });
  expect(events).toEqual(["interrupt true", "interrupt false", "end"]);
});

test("a model's text moves no cursor, sets no colour and reverses no text", () => {
  const { console, face } = open(60);
  face.words(safeText("a\u001b[2J\u001b]0;title\u0007\u009b31m\u202egnp.exe\u2066 b\r\nc\rd\u0000 "));
  face.endWords();
  expect(console.screen.text()).toContain("a\\u001b[2J\\u001b]0;title\\u0007\\u009b31m\\u202egnp.exe");
  for (const sign of ["\u202e", "\u2066", "\u0007", "\u009b"]) expect(console.raw()).not.toContain(sign);
});
