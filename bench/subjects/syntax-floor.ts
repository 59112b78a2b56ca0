import type { FragmentSink } from "../../src/core/syntax/base/fragment-sink.ts";

/**
 * The least that a reader of streamed calls can do and still answer rightly on well-formed replies: it finds opening and
 * closing marks across pieces, keeps each value, reports each piece with its place, and checks the parameters of a call. It
 * knows one syntax, accepts no variation of it, refuses nothing, and knows no quoting, reasoning, policy or schema.
 */
interface FloorMarks {
  /** Before the name of the tool. */
  readonly open: string;
  readonly nameEnd: string;
  readonly end: (name: string) => string;
  /** Before the name of a parameter. */
  readonly parameter: string;
  readonly keyEnd: string;
  readonly close: (key: string) => string;
  /** What ends the name of a parameter whose value is the rest of the line. */
  readonly lineKeyEnd?: string;
  /** What ends a call that is one JSON object. */
  readonly jsonEnd?: string;
}

const marksById: Readonly<Record<string, FloorMarks>> = {
  xml: {
    open: "<tool:",
    nameEnd: ">\n",
    end: (name) => `</tool:${name}>`,
    parameter: "<param:",
    keyEnd: ">",
    close: (key) => `</param:${key}>\n`,
  },
  "qwen-xml": {
    open: "<tool_call>\n<function=",
    nameEnd: ">\n",
    end: () => "</function>\n</tool_call>",
    parameter: "<parameter=",
    keyEnd: ">\n",
    close: () => "\n</parameter>\n",
  },
  caret: {
    open: "^^^",
    nameEnd: "\n",
    end: () => "^^^",
    parameter: "",
    keyEnd: " ---\n",
    close: (key) => `\n--- ${key}\n`,
    lineKeyEnd: ": ",
  },
  hermes: {
    open: "<tool_call>\n",
    nameEnd: "",
    end: () => "",
    parameter: "",
    keyEnd: "",
    close: () => "",
    jsonEnd: "\n</tool_call>",
  },
};

type Place = "text" | "name" | "inside" | "value";

export class FloorScanner {
  readonly #marks: FloorMarks;
  readonly #sink: FragmentSink;
  #place: Place = "text";
  /** The mark that ends the current text or value. */
  #mark: string;
  #first: string;
  #held = "";
  #at = 0;
  #name = "";
  #key = "";
  #value = "";
  #values: Record<string, string> = {};
  calls = 0;

  constructor(id: string, sink: FragmentSink) {
    const marks = marksById[id];
    if (marks === undefined) throw new Error(`the floor knows no ${id}`);
    this.#marks = marks;
    this.#sink = sink;
    this.#mark = marks.open;
    this.#first = marks.open.charAt(0);
  }

  feed(piece: string): void {
    if (this.#held === "" && (this.#place === "text" || this.#place === "value") && !piece.includes(this.#first)) {
      this.#emit(piece);
      return;
    }
    this.#held += piece;
    while (this.#step());
  }

  /** Decides the next mark of what is held; false when more must come. */
  #step(): boolean {
    switch (this.#place) {
      case "text":
      case "value":
        return this.#toMark();
      case "name": {
        const end = this.#held.indexOf(this.#marks.nameEnd);
        if (end === -1) return false;
        this.#name = this.#held.slice(0, end);
        this.#values = {};
        this.#go("inside", end + this.#marks.nameEnd.length);
        return true;
      }
      case "inside":
        return this.#inside();
    }
  }

  #toMark(): boolean {
    const held = this.#held;
    const mark = this.#mark;
    const found = held.indexOf(mark);
    if (found !== -1) {
      if (found > 0) this.#emit(held.slice(0, found));
      const { jsonEnd } = this.#marks;
      if (this.#place === "value" && jsonEnd !== undefined) {
        const call = JSON.parse(this.#value) as { readonly arguments: Record<string, string> };
        this.#values = call.arguments;
        this.#endCall(found + mark.length);
      } else if (this.#place === "value") {
        this.#values[this.#key] = this.#value;
        this.#go("inside", found + mark.length);
      } else if (jsonEnd === undefined) this.#go("name", found + mark.length);
      else {
        this.#value = "";
        this.#go("value", found + mark.length);
        this.#awaits(jsonEnd);
      }
      return true;
    }
    let from = held.length;
    for (let at = held.indexOf(this.#first); at !== -1; at = held.indexOf(this.#first, at + 1)) {
      if (!mark.startsWith(held.slice(at))) continue;
      from = at;
      break;
    }
    if (from > 0) this.#emit(held.slice(0, from));
    this.#held = held.slice(from);
    return false;
  }

  #inside(): boolean {
    const { parameter, keyEnd, lineKeyEnd, end, close } = this.#marks;
    const held = this.#held;
    const last = end(this.#name);
    if (held.startsWith(last)) {
      this.#endCall(last.length);
      return true;
    }
    if (last.startsWith(held)) return false;
    if (lineKeyEnd !== undefined) {
      const line = held.indexOf("\n");
      if (line === -1) return false;
      const colon = held.indexOf(lineKeyEnd);
      if (colon !== -1 && colon < line) {
        const value = held.slice(colon + lineKeyEnd.length, line);
        this.#values[held.slice(0, colon)] = value;
        this.#sink.valued(this.calls, held.slice(0, colon), value, this.#at, this.#at);
        this.#go("inside", line + 1);
        return true;
      }
    }
    const key = held.indexOf(keyEnd);
    if (key === -1) return false;
    this.#key = held.slice(parameter.length, key);
    this.#value = "";
    this.#go("value", key + keyEnd.length);
    this.#awaits(close(this.#key));
    return true;
  }

  #endCall(used: number): void {
    const { path, content } = this.#values;
    if (path === undefined || content === undefined) throw new Error("incomplete");
    // Whoever runs the call reads its value, which is one string from then on.
    this.calls += content.charCodeAt(0) > 0 ? 1 : 0;
    this.#sink.found({ type: "markup", start: this.#at, end: this.#at });
    this.#go("text", used);
    this.#awaits(this.#marks.open);
  }

  #awaits(mark: string): void {
    this.#mark = mark;
    this.#first = mark.charAt(0);
  }

  #go(place: Place, used: number): void {
    this.#place = place;
    this.#at += used;
    this.#held = this.#held.slice(used);
  }

  #emit(text: string): void {
    const start = this.#at;
    this.#at += text.length;
    if (this.#place === "value") {
      this.#value += text;
      this.#sink.valued(this.calls, this.#key, text, start, this.#at);
    } else this.#sink.said("text", text, start, this.#at);
  }
}
