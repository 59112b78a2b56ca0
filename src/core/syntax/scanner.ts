import { assert, must } from "../base/assert.ts";
import {
  closeLook,
  compileGrammar,
  textState,
  type CompiledEdge,
  type CompiledGrammar,
  type CompiledState,
} from "./compile-grammar.ts";
import { EdgeMatcher, type FoundEdge } from "./edge-matcher.ts";
import type { Fragment } from "./fragment.ts";
import { lookAheadMax, type Action, type Grammar, type Otherwise } from "./grammar.ts";
import { isHighHalf, JsonReader } from "./json-reader.ts";
import type { OpenCall } from "./open-call.ts";
import type { CallPolicy } from "./policy.ts";
import { Quoting } from "./quoting.ts";
import { ReplyCalls } from "./reply-calls.ts";
import { isSpace, needsMore, noMatch, spaceEnd, type Registers } from "./token-match.ts";
import { parameterSchema, ToolTable, type SyntaxTool } from "./tools.ts";

export interface ScanOptions {
  readonly tools: readonly SyntaxTool[];
  readonly policy: CallPolicy;
  /** Where the reply begins: in its reasoning when the model's template has opened that already. */
  readonly startIn?: "text" | "reasoning";
}

/** How a reply ended: the model itself stopped, or it was cut off. */
export type ReplyEnd = "stopped" | "cut";

/** Something that looked like a call and was not read as one, for people who ask why. */
export interface Remark {
  /** Offset in the reply. */
  readonly at: number;
  readonly why: "not-at-line-start" | "not-at-reply-start" | "in-fence" | "in-quote" | "in-reasoning";
}

const newline = 10;
const nothing: readonly Fragment[] = [];
const noRegisters: Registers = {};
const remarksMax = 20;
const foundUnitsMax = 40;

/**
 * Reads a reply of one syntax while it comes, driven by its grammar. What is fed in pieces, whole, or again from
 * storage gives the same fragments. Work is linear: what is undecided is at most `lookAheadMax` long and is looked at
 * again; everything else is looked at once.
 */
export class Scanner {
  readonly #grammar: CompiledGrammar;
  readonly #tools: ToolTable;
  readonly #told: ReplyCalls;
  readonly #quoting: Quoting;
  readonly #remarks: Remark[] = [];
  #state: CompiledState = textState;
  /** What was not decided yet, and its offset in the reply. */
  #held = "";
  #base = 0;
  /** In what is being read: nothing can be decided without more. */
  #waits = false;
  /** Characters at which to look closer in the state that this is; null where each must be looked at. */
  #marks: Uint8Array | null = null;
  /** As `#marks`, for characters behind a line break. */
  #lineMarks: Uint8Array = new Uint8Array(128);
  /** In text: what comes begins a line. */
  #isFreshLine = false;
  #registers: Registers = {};
  readonly #matcher: EdgeMatcher;
  #reader: JsonReader | null = null;
  #hasSpoken = false;
  #skipsLine = false;
  #quoted: { readonly name: string; readonly where: "fence" | "reasoning" } | undefined;

  constructor(grammar: Grammar, options: ScanOptions) {
    this.#grammar = compileGrammar(grammar);
    this.#tools = new ToolTable(options.tools);
    this.#told = new ReplyCalls(this.#tools, options.policy, grammar.closesByGuess === true);
    this.#quoting = new Quoting(grammar.quoting);
    this.#matcher = new EdgeMatcher({
      end: "open",
      expected: "",
      expectedRun: "name",
      expectedUnits: 0,
      isKnownParameter: (key) =>
        this.#told.call?.tool !== undefined && parameterSchema(this.#told.call.tool, key) !== undefined,
      isKnownTool: (name) => this.#tools.find(name) !== undefined,
    });
    if (options.startIn === "reasoning" && grammar.startInReasoning !== undefined) this.#go(grammar.startInReasoning);
    this.#settle();
  }

  /** What looked like a call and was none, so far. */
  get remarks(): readonly Remark[] {
    return this.#remarks;
  }

  /** The policy lets nothing more count: the model need not go on. */
  get isOver(): boolean {
    return this.#told.isOver;
  }

  /** How much of what was fed is not decided yet. UTF-16 units. */
  get withheld(): number {
    return this.#held.length;
  }

  /** Reads on. */
  feed(piece: string): readonly Fragment[] {
    const marks = this.#marks;
    const { length } = piece;
    if (marks !== null && length > 0) {
      if (this.#told.call !== null) {
        if (isPlain(piece, marks, this.#lineMarks)) return this.#plainValue(piece, this.#told.call);
      } else if (this.#state.type === "text") {
        if (this.#isPlainText(piece, marks)) return this.#plainPiece(piece);
      } else if (isPlain(piece, marks, marks)) return this.#plainPiece(piece);
    }
    if (length === 0) return nothing;
    if (this.#held !== "" && this.#matcher.goesOn(piece)) {
      this.#held += piece;
      return nothing;
    }
    return this.#closer(piece);
  }

  /** Whether a piece of text changes nothing; line ends are plain where the lines behind them begin so. */
  #isPlainText(piece: string, marks: Uint8Array): boolean {
    const { lineMarks } = this.#grammar;
    const { length } = piece;
    const wasFresh = this.#isFreshLine;
    let isFresh = wasFresh;
    let crossed = false;
    for (let at = 0; at < length; at += 1) {
      const code = piece.charCodeAt(at);
      if (code >= 128) {
        if ((code & 0xf800) === 0xd800) return false;
        isFresh = false;
      } else if (isFresh) {
        if (lineMarks[code] === closeLook) return false;
        isFresh = code === newline;
      } else if (marks[code] !== 0) {
        if (marks[code] === closeLook) return false;
        isFresh = true;
        crossed = true;
      }
    }
    if (crossed || wasFresh) {
      this.#quoting.passLines(crossed, isFresh);
      this.#isFreshLine = isFresh;
    }
    return true;
  }

  #plainPiece(piece: string): readonly Fragment[] {
    const start = this.#told.covered;
    const end = this.#base + piece.length;
    this.#base = end;
    this.#told.covered = end;
    return [{ type: this.#state.type === "reasoning" ? "reasoning" : "text", text: piece, start, end }];
  }

  #plainValue(piece: string, call: OpenCall): readonly Fragment[] {
    const start = this.#told.covered;
    const end = this.#base + piece.length;
    this.#base = end;
    call.text += piece;
    if (call.isHidden) return nothing;
    this.#told.covered = end;
    return [{ type: "parameter", call: call.ordinal, name: call.parameter, text: piece, start, end }];
  }

  #closer(piece: string): readonly Fragment[] {
    this.#told.out = [];
    if (this.#told.isOver) {
      this.#base += piece.length;
      this.#told.tell({ type: "dropped" }, this.#base);
      return this.#told.out;
    }
    this.#matcher.forget();
    this.#run(this.#held === "" ? piece : this.#held + piece);
    this.#settle();
    return this.#told.out.length === 0 ? nothing : this.#told.out;
  }

  /** The reply is over. What was undecided is decided; a call that is open is an error. */
  finish(end: ReplyEnd): readonly Fragment[] {
    this.#told.out = [];
    if (this.#told.isOver || this.#matcher.context.end !== "open") return this.#told.out;
    this.#matcher.context.end = end;
    this.#run(this.#held);
    const at = this.#base + this.#held.length;
    if (!this.#told.isOver) {
      if (this.#told.call !== null || this.#told.isMeant) this.#told.truncated(this.#registers, at);
      if (this.#told.covered < at) this.#told.tell({ type: "markup" }, at);
      const quoted = this.#quoted;
      this.#quoting.take(newline);
      if (
        quoted !== undefined &&
        this.#told.soFar.count === 0 &&
        (quoted.where === "reasoning" || this.#quoting.inFence)
      ) {
        this.#told.tell({ type: "quoted-call", name: quoted.name, where: quoted.where }, at);
      }
    }
    return this.#told.out;
  }

  #run(input: string): void {
    let at = 0;
    this.#waits = false;
    const isOpen = this.#matcher.context.end === "open";
    for (let still = 0; ;) {
      // At the reply's end a state may yet be left without taking anything.
      if (at === input.length && (isOpen || this.#state.type !== "choice")) break;
      const state = this.#state;
      const next = this.#step(input, at);
      if (this.#told.isOver) {
        this.#base += input.length;
        this.#held = "";
        if (this.#told.covered < this.#base) this.#told.tell({ type: "dropped" }, this.#base);
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
    this.#held = at === 0 ? input : input.slice(at);
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
        return this.#json(state, input, at);
    }
  }

  #waitAt(at: number): number {
    this.#waits = true;
    return at;
  }

  // Text and reasoning

  #text(input: string, from: number): number {
    const quoting = this.#quoting;
    const { openingsByFirst } = this.#grammar;
    let at = from;
    while (at < input.length) {
      const code = input.charCodeAt(at);
      if (code < 128 && openingsByFirst.has(code)) {
        const found = this.#opening(input, at, code);
        if (found === needsMore) {
          this.#say(input, from, at);
          return this.#waitAt(at);
        }
        if (found !== null) {
          this.#say(input, from, at);
          if (this.#told.isOver) return at;
          this.#registers = {};
          return this.#take(found.edge, input, found.end, found.captured);
        }
      } else if (isHighHalf(code) && at + 1 === input.length && this.#matcher.context.end === "open") {
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

  /** What is opened here; null for nothing, `needsMore` while that is open. */
  #opening(input: string, at: number, code: number): FoundEdge | null | typeof needsMore {
    for (const opening of this.#grammar.openingsByFirst.get(code) ?? []) {
      const end = this.#matcher.match(opening.on, input, at, noRegisters);
      if (end === noMatch) continue;
      const captured = this.#matcher.captured;
      if (opening.at === "line-start" && !this.#quoting.atLineStart) {
        if (end >= 0) this.#remark(at, "not-at-line-start");
        continue;
      }
      if (opening.at === "reply-start" && (this.#hasSpoken || this.#told.soFar.count > 0)) {
        if (end >= 0) this.#remark(at, "not-at-reply-start");
        continue;
      }
      if (end === needsMore) return needsMore;
      if (this.#quoting.isQuoted) {
        this.#remark(at, this.#quoting.inFence ? "in-fence" : "in-quote");
        if (this.#quoting.inFence && isCall(opening)) this.#noteQuoted("fence", captured);
        continue;
      }
      return { edge: opening, end, captured };
    }
    return null;
  }

  #noteQuoted(where: "fence" | "reasoning", captured: Registers): void {
    const name = captured["name"] ?? "";
    if (name === "" || this.#tools.find(name) !== undefined) this.#quoted = { name, where };
  }

  #remark(at: number, why: Remark["why"]): void {
    const offset = this.#base + at;
    const last = this.#remarks.at(-1);
    if (this.#remarks.length < remarksMax && (last === undefined || last.at < offset)) {
      this.#remarks.push({ at: offset, why });
    }
  }

  #say(input: string, from: number, to: number): void {
    if (to === from) return;
    let end = to;
    if (this.#told.endsReply) {
      end = Math.min(to, spaceEnd(input, from));
      if (end > from) this.#told.tell({ type: "text", text: input.slice(from, end) }, this.#base + end);
      if (end < to) {
        this.#told.stop(this.#base + end);
      }
      return;
    }
    this.#told.tell(
      { type: "text", text: from === 0 && to === input.length ? input : input.slice(from, to) },
      this.#base + end,
    );
  }

  #reasoning(state: Extract<CompiledState, { readonly type: "reasoning" }>, input: string, from: number): number {
    let at = from;
    const tell = (): void => {
      if (at > from) this.#told.tell({ type: "reasoning", text: input.slice(from, at) }, this.#base + at);
    };
    for (; at < input.length; at += 1) {
      const code = input.charCodeAt(at);
      if (code >= 128) {
        if (isHighHalf(code) && at + 1 === input.length && this.#matcher.context.end === "open") break;
      } else if (state.marks[code] !== 0) {
        const found = this.#matcher.edge(state.ends, input, at, this.#registers);
        if (found === needsMore) break;
        if (found !== null) {
          tell();
          return this.#take(found.edge, input, found.end, found.captured);
        }
        if (!this.#looksInto(input, at, code)) break;
      }
    }
    tell();
    return at < input.length ? this.#waitAt(at) : at;
  }

  /** Remembers a call that stands in reasoning; false while that is open. */
  #looksInto(input: string, at: number, code: number): boolean {
    for (const opening of this.#grammar.openingsByFirst.get(code) ?? []) {
      if (!isCall(opening)) continue;
      const end = this.#matcher.match(opening.on, input, at, noRegisters);
      const captured = this.#matcher.captured;
      if (end === needsMore) return false;
      if (end < 0) continue;
      this.#remark(at, "in-reasoning");
      this.#noteQuoted("reasoning", captured);
    }
    return true;
  }

  // Calls

  #choice(state: Extract<CompiledState, { readonly type: "choice" }>, input: string, from: number): number {
    if (this.#skipsLine) {
      const newline = input.indexOf("\n", from);
      if (newline === -1) return input.length;
      this.#skipsLine = false;
      return newline + 1;
    }
    const at = state.skipSpace ? spaceEnd(input, from) : from;
    const isInCall = this.#told.call !== null || this.#told.isMeant;
    if (isInCall && at > from) return at;
    if (at - from > lookAheadMax) return this.#otherwise(state.otherwise, input, from);
    if (at === input.length && this.#matcher.context.end === "open") return this.#waitAt(from);
    const found = this.#matcher.edge(state.edges, input, at, this.#registers);
    if (found === needsMore) return this.#waitAt(from);
    if (found !== null) return this.#take(found.edge, input, found.end, found.captured);
    // At the reply's end nothing stands here that could be a problem.
    if (at === input.length && (at === from || state.otherwise.type !== "go")) return at;
    return this.#otherwise(state.otherwise, input, from);
  }

  #otherwise(otherwise: Otherwise, input: string, at: number): number {
    if (otherwise.type === "go") {
      for (const action of otherwise.do ?? []) this.#act(action, this.#base + at, "");
      this.#go(otherwise.to);
      if (this.#state.type === "text") this.#leaves(input, at);
      return at;
    }
    if (otherwise.type === "skip") return at + 1;
    if (this.#told.call?.isBroken === true) return this.#skip(otherwise.skip, at);
    const line = input.slice(at, at + foundUnitsMax);
    const newline = line.search(/[\r\n]/);
    if (newline === -1 && line.length < foundUnitsMax && this.#matcher.context.end === "open") return this.#waitAt(at);
    const found = (newline === -1 ? line : line.slice(0, newline)).toWellFormed();
    this.#told.fail(otherwise.problem, found, this.#registers, this.#base + at);
    return this.#skip(otherwise.skip, at);
  }

  #skip(what: "character" | "line", at: number): number {
    if (what === "character") return at + 1;
    this.#skipsLine = true;
    return at;
  }

  /** Takes an edge: what it matched is behind us. */
  #take(edge: CompiledEdge, input: string, end: number, captured: Registers): number {
    Object.assign(this.#registers, captured);
    for (const action of edge.do ?? []) {
      this.#act(action, this.#base + end, "");
      if (this.#told.isOver) return end;
    }
    this.#go(edge.to);
    if (this.#state.type === "text") this.#leaves(input, end);
    if (this.#state.type === "reasoning") this.#coverMarkup(this.#base + end);
    return end;
  }

  /** Back in text. */
  #leaves(input: string, at: number): void {
    this.#coverMarkup(this.#base + at);
    this.#told.isMeant = false;
    this.#quoting.passMarkup(input.charCodeAt(at - 1) === 10);
  }

  #coverMarkup(offset: number): void {
    if (this.#told.call === null && this.#told.covered < offset) this.#told.tell({ type: "markup" }, offset);
  }

  #go(to: string): void {
    this.#state = must(this.#grammar.states.get(to), `the grammar has the state ${to}`);
    if (this.#state.type === "json")
      this.#reader = new JsonReader(this.#state.payload, this.#told.jsonEvents(this.#state.payload));
  }

  #act(action: Action, at: number, found: string): void {
    const call = this.#told.call;
    switch (action.type) {
      case "meant":
        this.#told.isMeant = true;
        return;
      case "begin":
        this.#told.begin(this.#registers["name"] ?? "", this.#registers, at);
        return;
      case "end":
        this.#told.end(at);
        return;
      case "parameter":
        if (call !== null) this.#told.openParameter(call, action.name ?? this.#registers["key"] ?? "", action, at);
        return;
      case "piece":
        if (call !== null) call.text += action.text;
        if (call !== null)
          this.#told.tell({ type: "parameter", call: call.ordinal, name: call.parameter, text: action.text }, at);
        return;
      case "text-form":
        call?.setForm("string");
        return;
      case "element-end":
        call?.endElement();
        return;
      case "value-end":
        if (call !== null) this.#told.closeParameter(call, at);
        return;
      case "problem":
        this.#told.fail(action.problem, found, this.#registers, at);
        return;
      case "set":
        this.#registers[action.register] = action.value;
        return;
    }
  }

  #value(state: Extract<CompiledState, { readonly type: "value" }>, input: string, start: number): number {
    const call = must(this.#told.call, "a value belongs to a call");
    let from = start;
    let at = start;
    const tell = (): void => {
      if (at === from) return;
      const text = input.slice(from, at);
      if (state.into === "element") call.addToElement(text);
      else {
        call.text += text;
        this.#told.tellPiece(call, text, this.#base + at);
      }
    };
    for (; at < input.length; at += 1) {
      const code = input.charCodeAt(at);
      if (code >= 128) {
        if ((code & 0xf800) !== 0xd800) continue;
        const isPair = isHighHalf(code) && (input.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
        if (isPair) at += 1;
        else if (isHighHalf(code) && at + 1 === input.length && this.#matcher.context.end === "open") break;
        else call.holdsHalf();
      } else if (state.marks[code] !== 0) {
        const found = this.#matcher.edge(state.ends, input, at, this.#registers);
        if (found === needsMore) break;
        if (found !== null) {
          tell();
          return this.#take(found.edge, input, found.end, found.captured);
        }
        if (code === 13 && state.normalisesLineEnds) {
          if (at + 1 === input.length && this.#matcher.context.end === "open") break;
          if (input.charCodeAt(at + 1) === 10) {
            tell();
            from = at + 1;
          }
        }
      }
    }
    tell();
    return at < input.length ? this.#waitAt(at) : at;
  }

  // JSON

  #json(state: Extract<CompiledState, { readonly type: "json" }>, input: string, from: number): number {
    const reader = must(this.#reader, "JSON has its reader");
    this.#told.inputAt = this.#base;
    const at = reader.read(input, from, this.#matcher.context.end !== "open");
    if (this.#told.isOver) return at;
    switch (reader.state) {
      case "reading":
        return at < input.length ? this.#waitAt(at) : at;
      case "broken":
        this.#told.fail(
          { code: "MALFORMED_CALL", message: "{name}: JSON was expected here. The call was not run: write it again." },
          "",
          this.#registers,
          this.#base + at,
        );
        break;
      case "done":
        break;
    }
    if (state.payload.type === "value" && this.#told.call !== null) {
      if (this.#told.call.isInParameter) this.#told.closeParameter(this.#told.call, this.#base + at);
    }
    this.#go(state.to);
    if (this.#state.type === "text") {
      this.#told.end(this.#base + at);
      this.#leaves(input, at);
    }
    return at;
  }

  /** What may be taken in whole from here on. */
  #settle(): void {
    this.#isFreshLine = this.#state.type === "text" && this.#quoting.isFresh;
    if (this.#state.type === "value") this.#lineMarks = this.#state.lineMarks;
    this.#marks = this.#held === "" && !this.#told.isOver ? this.#marksOfState() : null;
  }

  #marksOfState(): Uint8Array | null {
    const state = this.#state;
    switch (state.type) {
      case "text": {
        const isWatched = this.#told.endsReply || !this.#hasSpoken;
        return isWatched || !(this.#quoting.isPlain || this.#quoting.isFresh) ? null : this.#grammar.textMarks;
      }
      case "value":
        return state.into === "piece" ? state.marks : null;
      case "reasoning":
        return this.#told.covered === this.#base ? state.marks : null;
      case "choice":
      case "json":
        return null;
    }
  }
}

/** Whether none of the characters needs a closer look; halves of pairs do, and line breaks before certain characters. */
function isPlain(piece: string, marks: Uint8Array, lineMarks: Uint8Array): boolean {
  const { length } = piece;
  for (let at = 0; at < length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code < 128 ? marks[code] === 0 : (code & 0xf800) !== 0xd800) continue;
    if (code >= 128 || marks[code] === closeLook || at + 1 === length) return false;
    const next = piece.charCodeAt(at + 1);
    if (next < 128 && lineMarks[next] !== 0) return false;
  }
  return true;
}

function isCall(opening: CompiledEdge): boolean {
  return opening.do?.some((action) => action.type === "begin" || action.type === "meant") === true;
}
