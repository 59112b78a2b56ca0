import { noUsage } from "../../../core/message/usage.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { ModelInfo, LanguageModel, ModelCatalogue } from "../../../core/port/language-model.ts";
import type { ModelPrices } from "../../../core/model/prices.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { info } from "../../conversation/queue/conversation.test-support.ts";
import { graphemesOf } from "./cell-width.ts";
import type { Console } from "./console.ts";
import type { KeyPress } from "./edit-line.ts";
import type { SessionPorts } from "./session.ts";

/** A step of a scripted model: a part of its reply, or a wait until it is stopped. */
export type Step = StreamPart | "hang";
/** `turn` counts requests from 0. */
export type Script = (request: ModelRequest, turn: number) => readonly Step[];

export function callsTool(name: string, parameters: object, id = `call-${name}`): readonly Step[] {
  return [
    { type: "tool-call-start", index: 0, id, name },
    { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) },
    { type: "tool-call-end", index: 0 },
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
}

/** Returns one model, `test/scripted`, that follows the script; `requests` has what it was asked. */
export function scriptedCatalogue(
  script: Script,
  prices?: ModelPrices,
): {
  readonly catalogue: ModelCatalogue;
  readonly requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const priced: ModelInfo = prices === undefined ? info : { ...info, prices };
  const model: LanguageModel = {
    info: priced,
    api: "scripted",
    async *stream(request, signal) {
      const steps = script(request, requests.length);
      requests.push(request);
      for (const step of steps) {
        if (step !== "hang") yield step;
        else if (!signal.aborted) {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        }
        if (signal.aborted) break;
      }
      if (signal.aborted) {
        yield { type: "failed", failure: { class: "cancelled", message: "Stopped.", retryable: false } };
      }
    },
  };
  const catalogue: ModelCatalogue = {
    list: () => [priced],
    find: (id) => (id === info.id ? model : undefined),
  };
  return { catalogue, requests };
}

/** Returns the text of a request's last tool result. */
export function lastResult({ messages }: ModelRequest): string {
  return JSON.stringify(messages.findLast(({ role }) => role === "tool") ?? null);
}

/** Pipes at both ends: the test gives the lines. */
export interface PipeConsole extends Console {
  /** Standard output so far. */
  readonly out: () => string;
  /** Standard error so far. */
  readonly notes: () => string;
  readonly give: (line: string) => void;
  readonly end: () => void;
  readonly signal: () => void;
}

export function pipeConsole(columns = 80): PipeConsole {
  let out = "";
  let notes = "";
  const given: (string | null)[] = [];
  let wake = (): void => {};
  const interrupts: (() => void)[] = [];
  const give = (line: string | null): void => {
    given.push(line);
    wake();
  };
  return {
    isInteractive: false,
    colours: false,
    columns: () => columns,
    write: (text) => void (out += text),
    note: (line) => void (notes += `${line}\n`),
    onKey: () => {},
    onResize: () => {},
    async *lines() {
      for (;;) {
        const line = given.shift();
        if (line === null) return;
        if (line !== undefined) yield line;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    onInterrupt: (listener) => void interrupts.push(listener),
    close: () => {},
    out: () => out,
    notes: () => notes,
    give,
    end: () => give(null),
    signal: () => {
      for (const each of interrupts) each();
    },
  };
}

/** A terminal with a person at it, and its screen. */
export interface TerminalConsole extends Console {
  readonly screen: Screen;
  /** Everything written, with its control sequences. */
  readonly raw: () => string;
  readonly press: (key: KeyPress) => void;
  readonly type: (text: string) => void;
}

export function terminalConsole(columns: number): TerminalConsole {
  const screen = new Screen(columns);
  let raw = "";
  let listener: (key: KeyPress) => void = () => {};
  const type = (text: string): void => {
    for (const sign of text) listener(sign === "\n" ? { name: "return" } : { text: sign });
  };
  return {
    isInteractive: true,
    colours: false,
    columns: () => columns,
    write(text) {
      raw += text;
      screen.write(text);
    },
    note: () => {},
    onKey: (own) => void (listener = own),
    onResize: () => {},
    async *lines() {},
    onInterrupt: () => {},
    close: () => {},
    screen,
    raw: () => raw,
    press: (key) => listener(key),
    type,
  };
}

const wideSign = /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uff01-\uff60]|\p{Emoji_Presentation}/u;

/** As much of a terminal as the chat needs: rows that never scroll away, a cursor, and the sequences that the chat uses. */
class Screen {
  readonly #columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** Returns the rows, without blanks at their ends, down to the last non-empty one. */
  lines(): readonly string[] {
    return this.#rows.map((row) =>
      Array.from(row, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
  }

  text(): string {
    return this.lines().join("\n").trimEnd();
  }

  /** Returns the cursor's row and column, from 0. */
  cursor(): readonly [number, number] {
    return [this.#row, this.#column];
  }

  write(text: string): void {
    for (const [index, piece] of text.split("\u001b[").entries()) {
      const command = index === 0 ? "" : (/^[0-9;?]*[A-Za-z]/u.exec(piece)?.[0] ?? "");
      if (index > 0) this.#obey(command);
      for (const sign of graphemesOf(piece.slice(command.length))) this.#put(sign);
    }
  }

  #put(sign: string): void {
    if (sign === "\n" || sign === "\r\n") {
      this.#row += 1;
      this.#column = 0;
      this.#rows[this.#row] ??= [];
      return;
    }
    if (sign === "\r") {
      this.#column = 0;
      return;
    }
    if (sign < " ") throw new Error(`a control character reached the terminal: ${JSON.stringify(sign)}`);
    const cells = wideSign.test(sign) ? 2 : 1;
    if (this.#column + cells > this.#columns) throw new Error("a line ran over its end");
    const row = (this.#rows[this.#row] ??= []);
    row[this.#column] = sign;
    if (cells === 2) row[this.#column + 1] = "";
    this.#column += cells;
  }

  #obey(command: string): void {
    const count = Number.parseInt(command, 10) || 1;
    switch (command.at(-1)) {
      case "A":
        this.#row -= count;
        if (this.#row < 0) throw new Error("the cursor left the screen");
        return;
      case "C":
        this.#column += count;
        return;
      case "D":
        this.#column -= count;
        return;
      case "J":
        this.#rows.length = this.#row + 1;
        this.#rows[this.#row]?.splice(this.#column);
        return;
      case "m":
      case "h":
      case "l":
        return;
      case undefined:
      default:
        throw new Error(`no chat asks a terminal for ${command}`);
    }
  }
}

/** Returns a session's ports, except its face. */
export function sessionPorts(
  client: HeddleClient,
  upload: SessionPorts["upload"] = () => Promise.reject(new Error("nothing is uploaded")),
): Omit<SessionPorts, "face"> {
  return {
    client,
    upload,
    readingMs: 0,
    now: () => Date.now(),
    setTimer(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/** Resolves when the output contains these words. */
export async function saysSoon(read: () => string, words: string, boundMs = 5_000): Promise<void> {
  const end = performance.now() + boundMs;
  while (!read().includes(words)) {
    if (performance.now() > end) throw new Error(`"${words}" never came; what came:\n${read()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
