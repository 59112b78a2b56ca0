import { assert, must } from "../base/assert.ts";
import { act } from "./call/apply-action.ts";
import { isHalf, isHighHalf, isSpace, spaceEnd } from "./base/characters.ts";
import {
  compileGrammar,
  lineBreak,
  textState,
  type CompiledEdge,
  type CompiledGrammar,
  type CompiledState,
} from "./match/compile-grammar.ts";
import { EdgeMatcher } from "./match/edge-matcher.ts";
import type { FragmentSink } from "./base/fragment-sink.ts";
import { lookAheadMax, type Grammar, type Otherwise } from "./base/grammar.ts";
import { JsonPart } from "./call/json-part.ts";
import type { OpenCall } from "./call/open-call.ts";
import { Openings } from "./match/openings.ts";
import { isPlain, plainLength, plainTextEnd } from "./match/plain-pieces.ts";
import { QuotedCalls } from "./match/quoted-calls.ts";
import { Quoting } from "./match/quoting.ts";
import { noRegisters, type Registers } from "./base/registers.ts";
import { ReplyCalls } from "./call/reply-calls.ts";
import type { Remark, ReplyEnd, ScanOptions } from "./base/scan-options.ts";
import { needsMore } from "./match/token-match.ts";
import { parameterSchema, ToolTable } from "./base/tools.ts";

type ValueState = Extract<CompiledState, { readonly type: "value" }>;

const newline = 10;
const foundUnitsMax = 40;

/**
 * Reads a streaming reply in one syntax, driven by its grammar, and sends what it finds to a sink. Input in
 * pieces, whole, or from storage gives the same fragments. Work is linear: the undecided part is at most
 * `lookAheadMax` long and is looked at again; everything else is looked at once.
 */
export class ReplyScanner {
  readonly #grammar: CompiledGrammar;
  readonly #calls: ReplyCalls;
  readonly #quoting: Quoting;
  readonly #quoted: QuotedCalls;
  readonly #matcher: EdgeMatcher;
  readonly #openings: Openings;
  #state: CompiledState = textState;
  /** The undecided input, and its offset in the reply. */
  #held = "";
  #base = 0;
  /** Whether nothing can be decided without more input. */
  #waits = false;
  /** Characters that need a closer look in the current state; null when each does. */
  #marks: Uint8Array | null = null;
  /** The call whose value continues with the next pieces. */
  #valueOf: OpenCall | null = null;
  /** As `#marks`, for characters after a line break. */
  #lineMarks: Uint8Array = new Uint8Array(128);
  /** Whether a piece without marks begins no tag. */
  #marksTags = false;
  /** Whether the next text begins a line. */
  #isFreshLine = false;
  #registers: Registers = {};
  /** The JSON that is being read. */
  #reader: JsonPart | null = null;
  #hasSpoken = false;
  /** The character before the undecided input; 0 at the beginning. */
  #before = 0;
  #skipsLine = false;

  constructor(grammar: Grammar, options: ScanOptions, sink: FragmentSink) {
    this.#grammar = compileGrammar(grammar);
    const tools = new ToolTable(options.tools);
    this.#calls = new ReplyCalls(sink, tools, options.policy, grammar);
    this.#quoting = new Quoting(grammar.quoting);
    this.#quoted = new QuotedCalls(tools);
    this.#matcher = new EdgeMatcher({
      isKnownParameter: (key) =>
        this.#calls.call?.tool !== undefined && parameterSchema(this.#calls.call.tool, key) !== undefined,
      isKnownTool: (name) => tools.find(name) !== undefined,
    });
    this.#openings = new Openings(this.#grammar, this.#matcher, this.#quoting, this.#quoted);
    if (options.startIn === "reasoning" && grammar.startInReasoning !== undefined) this.#go(grammar.startInReasoning);
    this.#settle();
  }

  /** What looked like a call but was not read as one, so far. */
  get remarks(): readonly Remark[] {
    return this.#quoted.remarks;
  }

  /** How much of the input is not decided yet, in UTF-16 units. */
  get withheld(): number {
    return this.#held.length;
  }

  /** Reads on. */
  feed(piece: string): void {
    if (piece === "") return;
    const marks = this.#marks;
    if (marks !== null) {
      const call = this.#valueOf;
      if (call !== null) {
        if (this.#held === "" && isPlain(piece, marks)) this.#plainValue(piece, call);
        else if (!this.#isPlainLines(piece, marks, call)) this.#closer(piece, 0);
        return;
      }
      const isText = this.#state.type === "text";
      if (isText ? this.#isPlainText(piece) : isPlain(piece, marks)) {
        this.#base += piece.length;
        this.#before = piece.charCodeAt(piece.length - 1);
        this.#calls.say(isText ? "text" : "reasoning", piece, this.#base);
        return;
      }
    } else if (this.#held !== "") {
      if (this.#matcher.goesOn(piece)) {
        this.#held += piece;
        return;
      }
    } else if (this.#reader !== null) {
      this.#feedJson(piece, this.#reader);
      return;
    }
    this.#closer(piece, 0);
  }

  #plainValue(text: string, call: OpenCall): void {
    this.#base += text.length;
    if (this.#marksTags) call.add(text);
    else this.#calls.addPiece(call, text);
    this.#calls.emitPiece(call, text, this.#base);
  }

  /** Consumes a piece of a value that may end lines but not the value; false when it needs a closer look. */
  #isPlainLines(piece: string, marks: Uint8Array, call: OpenCall): boolean {
    const input = this.#held + piece;
    const length = plainLength(input, marks, this.#lineMarks);
    if (length < 0) return false;
    if (length > 0) this.#plainValue(length === input.length ? input : input.slice(0, length), call);
    // A line break at the end may belong to the value's end.
    this.#held = input.slice(length);
    return true;
  }

  /** Whether a piece of text changes only the position within its line. */
  #isPlainText(piece: string): boolean {
    const wasFresh = this.#isFreshLine;
    const end = plainTextEnd(piece, this.#grammar, wasFresh);
    if (end === "not-plain") return false;
    if (end !== "same-line" || wasFresh) {
      this.#isFreshLine = end === "fresh-line";
      this.#quoting.passLines(end !== "same-line", this.#isFreshLine);
    }
    return true;
  }

  /** Feeds a piece to the JSON reader, which consumes most pieces whole. */
  #feedJson(piece: string, reader: JsonPart): void {
    if (reader.goesOn(piece, this.#base)) {
      this.#base += piece.length;
      return;
    }
    const at = this.#readJson(reader, piece, 0);
    if (reader.state === "reading" && at === piece.length && !this.#calls.isOver) this.#base += at;
    else this.#closer(piece, this.#afterJson(reader, piece, at));
  }

  #closer(piece: string, from: number): void {
    if (this.#calls.isOver) {
      this.#base += piece.length;
      if (this.#calls.covered < this.#base) this.#calls.cover("dropped", this.#base);
      return;
    }
    this.#matcher.forget();
    this.#run(this.#held === "" ? piece : this.#held + piece, from);
    this.#settle();
  }

  /** Ends the reply: the undecided input is decided, and an open call is an error. */
  finish(end: ReplyEnd): void {
    const calls = this.#calls;
    if (calls.isOver || !this.#matcher.isOpen) return;
    this.#matcher.context.end = end;
    this.#run(this.#held, 0);
    if (calls.isOver) return;
    const at = this.#base + this.#held.length;
    if (calls.call !== null || calls.isMeant) calls.truncated(this.#registers, at);
    if (calls.covered < at) calls.cover("markup", at);
    const quoted = this.#quoted.last;
    this.#quoting.take(newline);
    if (quoted !== undefined && calls.soFar.count === 0 && (quoted.where === "reasoning" || this.#quoting.inFence)) {
      calls.emitQuoted(quoted, at);
    }
  }

  #run(input: string, from: number): void {
    let at = from;
    this.#waits = false;
    const { isOpen } = this.#matcher;
    for (let still = 0; ;) {
      // At the reply's end a state may still be left without consuming anything.
      if (at === input.length && (isOpen || this.#state.type !== "choice")) break;
      const state = this.#state;
      const next = this.#step(input, at);
      if (this.#calls.isOver) {
        this.#base += input.length;
        this.#held = "";
        if (this.#calls.covered < this.#base) this.#calls.cover("dropped", this.#base);
        return;
      }
      if (this.#waits || (next === input.length && next === at && state === this.#state)) {
        at = next;
        break;
      }
      still = next === at ? still + 1 : 0;
      assert(still < 16, "a grammar goes on");
      at = next;
    }
    this.#base += at;
    this.#before = this.#characterBefore(input, at);
    this.#held = at === 0 ? input : at === input.length ? "" : input.slice(at);
  }

  #step(input: string, at: number): number {
    const state = this.#state;
    switch (state.type) {
      case "text":
        return this.#text(input, at);
      case "reasoning":
        return this.#reasoning(state, input, at);
      case "choice":
        return this.#choice(state, input, at);
      case "value":
        return this.#value(state, input, at);
      case "json":
        return this.#json(input, at);
    }
  }

  #waitAt(at: number): number {
    this.#waits = true;
    return at;
  }

  #text(input: string, from: number): number {
    const quoting = this.#quoting;
    const openings = this.#openings;
    let at = from;
    while (at < input.length) {
      const code = input.charCodeAt(at);
      if (openings.mayBegin(code)) {
        const isReplyStart = !this.#hasSpoken && this.#calls.soFar.count === 0;
        const found = openings.find({
          input,
          at,
          base: this.#base,
          before: this.#characterBefore(input, at),
          isReplyStart,
        });
        if (found === needsMore) {
          this.#say(input, from, at);
          return this.#waitAt(at);
        }
        if (found !== null) {
          this.#say(input, from, at);
          if (this.#calls.isOver) return at;
          this.#registers = {};
          return this.#take(found.edge, input, found.end, found.captured);
        }
      } else if (isHighHalf(code) && at + 1 === input.length && this.#matcher.isOpen) {
        this.#say(input, from, at);
        return this.#waitAt(at);
      }
      quoting.take(code);
      if (!this.#hasSpoken && !isSpace(code)) this.#hasSpoken = true;
      at += 1;
    }
    this.#say(input, from, at);
    return at;
  }

  #characterBefore(input: string, at: number): number {
    return at === 0 ? this.#before : input.charCodeAt(at - 1);
  }

  #say(input: string, from: number, to: number): void {
    if (to === from) return;
    if (!this.#calls.endsReply) {
      const text = from === 0 && to === input.length ? input : input.slice(from, to);
      this.#calls.say("text", text, this.#base + to);
      return;
    }
    const end = Math.min(to, spaceEnd(input, from));
    if (end > from) this.#calls.say("text", input.slice(from, end), this.#base + end);
    if (end < to) this.#calls.stop(this.#base + end);
  }

  #reasoning(state: Extract<CompiledState, { readonly type: "reasoning" }>, input: string, from: number): number {
    let at = from;
    for (; at < input.length; at += 1) {
      const code = input.charCodeAt(at);
      if (code >= 128) {
        if (isHighHalf(code) && at + 1 === input.length && this.#matcher.isOpen) break;
      } else if (state.marks[code] !== 0) {
        const found = this.#matcher.edge(state.ends, input, at, this.#registers);
        if (found === needsMore) break;
        if (found !== null) {
          this.#think(input, from, at);
          return this.#take(found.edge, input, found.end, found.captured);
        }
        if (!this.#openings.noteInReasoning(input, at, this.#base)) break;
      }
    }
    this.#think(input, from, at);
    return at < input.length ? this.#waitAt(at) : at;
  }

  #think(input: string, from: number, to: number): void {
    if (to > from) this.#calls.say("reasoning", input.slice(from, to), this.#base + to);
  }

  #choice(state: Extract<CompiledState, { readonly type: "choice" }>, input: string, from: number): number {
    if (this.#skipsLine) {
      const newline = input.indexOf("\n", from);
      if (newline === -1) return input.length;
      this.#skipsLine = false;
      return newline + 1;
    }
    const at = state.skipSpace ? spaceEnd(input, from) : from;
    const isInCall = this.#calls.call !== null || this.#calls.isMeant;
    if (isInCall && at > from) return at;
    if (at - from > lookAheadMax) return this.#otherwise(state.otherwise, input, from);
    if (at === input.length && this.#matcher.isOpen) return this.#waitAt(from);
    const found = this.#matcher.edge(state.edges, input, at, this.#registers);
    if (found === needsMore) return this.#waitAt(from);
    if (found !== null) return this.#take(found.edge, input, found.end, found.captured);
    // At the reply's end no text is left that could be a problem.
    if (at === input.length && (at === from || state.otherwise.type !== "go")) return at;
    return this.#otherwise(state.otherwise, input, from);
  }

  #otherwise(otherwise: Otherwise, input: string, at: number): number {
    if (otherwise.type === "go") {
      for (const action of otherwise.do ?? []) act(action, this.#calls, this.#registers, this.#base + at);
      this.#go(otherwise.to);
      if (this.#state.type === "text") this.#leaves(input, at);
      return at;
    }
    if (otherwise.type === "skip") return at + 1;
    if (this.#calls.call?.isBroken === true) return this.#skip(otherwise.skip, at);
    const line = input.slice(at, at + foundUnitsMax);
    const newline = line.search(/[\r\n]/);
    if (newline === -1 && line.length < foundUnitsMax && this.#matcher.isOpen) return this.#waitAt(at);
    const found = (newline === -1 ? line : line.slice(0, newline)).toWellFormed();
    this.#calls.fail(otherwise.problem, found, this.#registers, this.#base + at);
    if (otherwise.to === undefined) return this.#skip(otherwise.skip, at);
    this.#go(otherwise.to);
    return at;
  }

  #skip(what: "character" | "line", at: number): number {
    if (what === "character") return at + 1;
    this.#skipsLine = true;
    return at;
  }

  /** Takes an edge and consumes what it matched. */
  #take(edge: CompiledEdge, input: string, end: number, captured: Registers): number {
    if (captured !== noRegisters) Object.assign(this.#registers, captured);
    if (edge.do !== undefined) {
      for (const action of edge.do) {
        act(action, this.#calls, this.#registers, this.#base + end);
        if (this.#calls.isOver) return end;
      }
    }
    this.#go(edge.to);
    if (this.#state.type === "text") this.#leaves(input, end);
    if (this.#state.type === "reasoning") this.#coverMarkup(this.#base + end);
    return end;
  }

  /** Returns to text. */
  #leaves(input: string, at: number): void {
    this.#coverMarkup(this.#base + at);
    this.#calls.isMeant = false;
    this.#quoting.passMarkup(input.charCodeAt(at - 1) === 10);
  }

  #coverMarkup(offset: number): void {
    if (this.#calls.call === null && this.#calls.covered < offset) this.#calls.cover("markup", offset);
  }

  #go(to: string): void {
    this.#state = must(this.#grammar.states.get(to), `the grammar has the state ${to}`);
    this.#reader = null;
    if (this.#state.type === "json") this.#reader = new JsonPart(this.#state.payload, this.#calls);
  }

  #value(state: ValueState, input: string, start: number): number {
    const call = must(this.#calls.call, "a value belongs to a call");
    let from = start;
    let at = start;
    for (; at < input.length; at += 1) {
      const code = input.charCodeAt(at);
      if (code >= 128) {
        if (!isHalf(code)) continue;
        const isPair = isHighHalf(code) && (input.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
        if (isPair) at += 1;
        else if (isHighHalf(code) && at + 1 === input.length && this.#matcher.isOpen) break;
        else call.holdsHalf();
      } else if (state.marks[code] !== 0) {
        const found = this.#matcher.edge(state.ends, input, at, this.#registers);
        if (found === needsMore) break;
        if (found !== null) {
          this.#pieceOf(state, call, input, from, at);
          return this.#take(found.edge, input, found.end, found.captured);
        }
        if (code === 13 && state.normalisesLineEnds) {
          if (at + 1 === input.length && this.#matcher.isOpen) break;
          if (input.charCodeAt(at + 1) === 10) {
            this.#pieceOf(state, call, input, from, at);
            from = at + 1;
          }
        }
      }
    }
    this.#pieceOf(state, call, input, from, at);
    return at < input.length ? this.#waitAt(at) : at;
  }

  #pieceOf(state: ValueState, call: OpenCall, input: string, from: number, to: number): void {
    if (to === from) return;
    const text = input.slice(from, to);
    if (state.into === "element") {
      call.addToElement(text);
      return;
    }
    this.#calls.addPiece(call, text);
    this.#calls.emitPiece(call, text, this.#base + to);
  }

  #json(input: string, from: number): number {
    const reader = must(this.#reader, "JSON has its reader");
    return this.#afterJson(reader, input, this.#readJson(reader, input, from));
  }

  #readJson(reader: JsonPart, input: string, from: number): number {
    return reader.read(input, from, { base: this.#base, isEnd: !this.#matcher.isOpen });
  }

  /** Continues after JSON once it is complete. */
  #afterJson(reader: JsonPart, input: string, at: number): number {
    const { call } = this.#calls;
    const state = this.#state;
    if (this.#calls.isOver || state.type !== "json") return at;
    switch (reader.state) {
      case "reading":
        return at < input.length ? this.#waitAt(at) : at;
      case "broken":
        this.#calls.fail(
          { code: "MALFORMED_CALL", message: "{name}: JSON was expected here. The call was not run: write it again." },
          "",
          this.#registers,
          this.#base + at,
        );
        break;
      case "done":
        break;
    }
    if (state.payload.type === "value" && call?.isInParameter === true)
      this.#calls.closeParameter(call, this.#base + at, this.#registers);
    this.#go(state.to);
    if (this.#state.type === "text") {
      this.#calls.end(this.#base + at);
      this.#leaves(input, at);
    }
    return at;
  }

  /** Determines which pieces can be consumed whole from here on. */
  #settle(): void {
    this.#isFreshLine = this.#state.type === "text" && this.#quoting.isFresh;
    this.#marks = this.#calls.isOver ? null : this.#marksOfState();
    this.#valueOf = this.#state.type === "value" ? this.#calls.call : null;
  }

  #marksOfState(): Uint8Array | null {
    const state = this.#state;
    const held = this.#held;
    switch (state.type) {
      case "text": {
        if (held !== "" || this.#calls.endsReply || !this.#hasSpoken) return null;
        return this.#quoting.isPlain || this.#quoting.isFresh ? this.#grammar.textMarks : null;
      }
      case "value":
        this.#lineMarks = state.lineMarks;
        this.#marksTags = state.marksTags;
        if (state.into !== "piece") return null;
        return held === "" || (held === "\n" && state.marks[newline] === lineBreak) ? state.marks : null;
      case "reasoning":
        return held === "" && this.#calls.covered === this.#base ? state.marks : null;
      case "choice":
      case "json":
        return null;
    }
  }
}
