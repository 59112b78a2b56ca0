import { assert, must } from "../base/assert.ts";
import {
  closeLook,
  compileGrammar,
  textState,
  type CompiledEdge,
  type CompiledGrammar,
  type CompiledState,
} from "./compile-grammar.ts";
import type { Fragment, FragmentBody } from "./fragment.ts";
import { lookAheadMax, type Action, type Grammar, type Otherwise, type Problem, type Token } from "./grammar.ts";
import { isHighHalf, JsonReader, type JsonEvents } from "./json-reader.ts";
import { OpenCall } from "./open-call.ts";
import { allowsCall, isOver, noCalls, withCall, type CallPolicy } from "./policy.ts";
import { Quoting } from "./quoting.ts";
import {
  filled,
  holds,
  isSpace,
  matchTokens,
  needsMore,
  noMatch,
  spaceEnd,
  type InputEnd,
  type MatchContext,
  type Registers,
} from "./token-match.ts";
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
  readonly #policy: CallPolicy;
  readonly #quoting: Quoting;
  readonly #remarks: Remark[] = [];
  #state: CompiledState = textState;
  /** What was not decided yet, and its offset in the reply. */
  #held = "";
  #base = 0;
  /** The fragments so far cover the reply up to here. */
  #covered = 0;
  #out: Fragment[] = [];
  /** In what is being read: nothing can be decided without more. */
  #waits = false;
  /** Characters at which to look closer in the state that this is; null where each must be looked at. */
  #marks: Uint8Array | null = null;
  /** In text: what comes begins a line. */
  #isFreshLine = false;
  #registers: Registers = {};
  readonly #context: MatchContext & { end: InputEnd };
  #reader: JsonReader | null = null;
  readonly #jsonEvents: JsonEvents;
  /** Where runs are written while an edge is tried; empty between tries. */
  #captured: Registers = {};
  #call: OpenCall | null = null;
  /** A call is meant whose name is not known yet. */
  #isMeant = false;
  #id: string | undefined;
  #calls = noCalls;
  #lastCallEnd = 0;
  #isOver = false;
  #hasSpoken = false;
  #skipsLine = false;
  #quoted: { readonly name: string; readonly where: "fence" | "reasoning" } | undefined;

  constructor(grammar: Grammar, options: ScanOptions) {
    this.#grammar = compileGrammar(grammar);
    this.#tools = new ToolTable(options.tools);
    this.#policy = options.policy;
    this.#quoting = new Quoting(grammar.quoting);
    this.#context = {
      end: "open",
      expected: "",
      isKnownParameter: (key) => this.#call?.tool !== undefined && parameterSchema(this.#call.tool, key) !== undefined,
      isKnownTool: (name) => this.#tools.find(name) !== undefined,
    };
    this.#jsonEvents = this.#makeJsonEvents();
    if (options.startIn === "reasoning" && grammar.startInReasoning !== undefined) this.#go(grammar.startInReasoning);
    this.#settle();
  }

  /** What looked like a call and was none, so far. */
  get remarks(): readonly Remark[] {
    return this.#remarks;
  }

  /** The policy lets nothing more count: the model need not go on. */
  get isOver(): boolean {
    return this.#isOver;
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
      const state = this.#state;
      if (state.type === "text") {
        if (this.#isPlainText(piece, marks)) return this.#plainPiece(piece);
      } else if (state.type === "value" && this.#call !== null) {
        if (isPlain(piece, marks, state.lineMarks)) return this.#plainValue(piece, this.#call);
      } else if (isPlain(piece, marks, marks)) return this.#plainPiece(piece);
    }
    if (length === 0) return nothing;
    const { expected } = this.#context;
    if (this.#held !== "" && expected.length > length && expected.startsWith(piece)) {
      // The tag that is open goes on, and is still not whole.
      this.#held += piece;
      this.#context.expected = expected.slice(length);
      return nothing;
    }
    return this.#closer(piece);
  }

  /** Whether a piece of text changes nothing; line ends are plain where the lines behind them begin so. */
  #isPlainText(piece: string, marks: Uint8Array): boolean {
    const { lineMarks } = this.#grammar;
    const wasFresh = this.#isFreshLine;
    let isFresh = wasFresh;
    let crossed = false;
    for (let at = 0; at < piece.length; at += 1) {
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
    const start = this.#covered;
    const end = this.#base + piece.length;
    this.#base = end;
    this.#covered = end;
    return [{ type: this.#state.type === "reasoning" ? "reasoning" : "text", text: piece, start, end }];
  }

  #plainValue(piece: string, call: OpenCall): readonly Fragment[] {
    const start = this.#covered;
    const end = this.#base + piece.length;
    this.#base = end;
    call.text += piece;
    if (call.isHidden) return nothing;
    this.#covered = end;
    return [{ type: "parameter", call: call.ordinal, name: call.parameter, text: piece, start, end }];
  }

  #closer(piece: string): readonly Fragment[] {
    this.#out = [];
    if (this.#isOver) {
      this.#base += piece.length;
      this.#tell({ type: "dropped" }, this.#base);
      return this.#out;
    }
    this.#context.expected = "";
    this.#run(this.#held === "" ? piece : this.#held + piece);
    this.#settle();
    return this.#out.length === 0 ? nothing : this.#out;
  }

  /** The reply is over. What was undecided is decided; a call that is open is an error. */
  finish(end: ReplyEnd): readonly Fragment[] {
    this.#out = [];
    if (this.#isOver || this.#context.end !== "open") return this.#out;
    this.#context.end = end;
    this.#run(this.#held);
    const at = this.#base + this.#held.length;
    if (!this.#isOver) {
      if (this.#call !== null || this.#isMeant) this.#truncated(at);
      if (this.#covered < at) this.#tell({ type: "markup" }, at);
      const quoted = this.#quoted;
      this.#quoting.take(newline);
      if (quoted !== undefined && this.#calls.count === 0 && (quoted.where === "reasoning" || this.#quoting.inFence)) {
        this.#tell({ type: "quoted-call", name: quoted.name, where: quoted.where }, at);
      }
    }
    return this.#out;
  }

  #run(input: string): void {
    let at = 0;
    this.#waits = false;
    const isOpen = this.#context.end === "open";
    for (let still = 0; ;) {
      // At the reply's end a state may yet be left without taking anything.
      if (at === input.length && (isOpen || this.#state.type !== "choice")) break;
      const state = this.#state;
      const next = this.#step(input, at);
      if (this.#isOver) {
        this.#base += input.length;
        this.#held = "";
        if (this.#covered < this.#base) this.#tell({ type: "dropped" }, this.#base);
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
          if (this.#isOver) return at;
          this.#registers = {};
          return this.#take(found.edge, input, found.end, found.captured);
        }
      } else if (isHighHalf(code) && at + 1 === input.length && this.#context.end === "open") {
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
  #opening(
    input: string,
    at: number,
    code: number,
  ): { readonly edge: CompiledEdge; readonly end: number; readonly captured: Registers } | null | typeof needsMore {
    for (const opening of this.#grammar.openingsByFirst.get(code) ?? []) {
      const end = this.#match(opening.on, input, at, noRegisters);
      if (end === noMatch) continue;
      const captured = this.#captured;
      if (opening.at === "line-start" && !this.#quoting.atLineStart) {
        if (end >= 0) this.#remark(at, "not-at-line-start");
        continue;
      }
      if (opening.at === "reply-start" && (this.#hasSpoken || this.#calls.count > 0)) {
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
    if (isOver(this.#policy, this.#calls)) {
      end = Math.min(to, spaceEnd(input, from));
      if (end > from) this.#tell({ type: "text", text: input.slice(from, end) }, this.#base + end);
      if (end < to) {
        this.#tell({ type: "stop", keep: this.#lastCallEnd }, this.#base + end);
        this.#isOver = true;
      }
      return;
    }
    this.#tell(
      { type: "text", text: from === 0 && to === input.length ? input : input.slice(from, to) },
      this.#base + end,
    );
  }

  #reasoning(state: Extract<CompiledState, { readonly type: "reasoning" }>, input: string, from: number): number {
    let at = from;
    const tell = (): void => {
      if (at > from) this.#tell({ type: "reasoning", text: input.slice(from, at) }, this.#base + at);
    };
    for (; at < input.length; at += 1) {
      const code = input.charCodeAt(at);
      if (code >= 128) {
        if (isHighHalf(code) && at + 1 === input.length && this.#context.end === "open") break;
      } else if (state.marks[code] !== 0) {
        const found = this.#edge(state.ends, input, at);
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
      const end = this.#match(opening.on, input, at, noRegisters);
      const captured = this.#captured;
      if (end === needsMore) return false;
      if (end < 0) continue;
      this.#remark(at, "in-reasoning");
      this.#noteQuoted("reasoning", captured);
    }
    return true;
  }

  // Calls

  #edge(
    edges: readonly CompiledEdge[],
    input: string,
    at: number,
  ): { readonly edge: CompiledEdge; readonly end: number; readonly captured: Registers } | null | typeof needsMore {
    const code = input.charCodeAt(at);
    for (const edge of edges) {
      if (edge.first !== null && at < input.length && (code >= 128 || edge.first[code] === 0)) continue;
      if (!holds(edge, this.#registers)) continue;
      const end = this.#match(edge.on, input, at, this.#registers);
      if (end === needsMore) return needsMore;
      if (end >= 0) return { edge, end, captured: this.#captured };
    }
    return null;
  }

  /** Matches tokens; what their runs took is in `#captured`. */
  #match(tokens: readonly Token[], input: string, at: number, registers: Registers): number {
    this.#captured = {};
    this.#context.expected = "";
    return matchTokens(tokens, input, at, this.#context, registers, this.#captured);
  }

  #choice(state: Extract<CompiledState, { readonly type: "choice" }>, input: string, from: number): number {
    if (this.#skipsLine) {
      const newline = input.indexOf("\n", from);
      if (newline === -1) return input.length;
      this.#skipsLine = false;
      return newline + 1;
    }
    const at = state.skipSpace ? spaceEnd(input, from) : from;
    const isInCall = this.#call !== null || this.#isMeant;
    if (isInCall && at > from) return at;
    if (at - from > lookAheadMax) return this.#otherwise(state.otherwise, input, from);
    if (at === input.length && this.#context.end === "open") return this.#waitAt(from);
    const found = this.#edge(state.edges, input, at);
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
    const line = input.slice(at, at + foundUnitsMax);
    const newline = line.search(/[\r\n]/);
    if (newline === -1 && line.length < foundUnitsMax && this.#context.end === "open") return this.#waitAt(at);
    const found = (newline === -1 ? line : line.slice(0, newline)).toWellFormed();
    this.#fail(otherwise.problem, found, this.#base + at);
    if (otherwise.skip === "character") return at + 1;
    this.#skipsLine = true;
    return at;
  }

  /** Takes an edge: what it matched is behind us. */
  #take(edge: CompiledEdge, input: string, end: number, captured: Registers): number {
    Object.assign(this.#registers, captured);
    for (const action of edge.do ?? []) {
      this.#act(action, this.#base + end, "");
      if (this.#isOver) return end;
    }
    this.#go(edge.to);
    if (this.#state.type === "text") this.#leaves(input, end);
    if (this.#state.type === "reasoning") this.#coverMarkup(this.#base + end);
    return end;
  }

  /** Back in text. */
  #leaves(input: string, at: number): void {
    this.#coverMarkup(this.#base + at);
    this.#isMeant = false;
    this.#quoting.passMarkup(input.charCodeAt(at - 1) === 10);
  }

  #coverMarkup(offset: number): void {
    if (this.#call === null && this.#covered < offset) this.#tell({ type: "markup" }, offset);
  }

  #go(to: string): void {
    this.#state = must(this.#grammar.states.get(to), `the grammar has the state ${to}`);
    if (this.#state.type === "json") this.#reader = new JsonReader(this.#state.payload, this.#jsonEvents);
  }

  #act(action: Action, at: number, found: string): void {
    const call = this.#call;
    switch (action.type) {
      case "meant":
        this.#isMeant = true;
        return;
      case "begin":
        this.#begin(this.#registers["name"] ?? "", at);
        return;
      case "end":
        this.#end(at);
        return;
      case "parameter":
        if (call !== null) this.#openParameter(call, action.name ?? this.#registers["key"] ?? "", action, at);
        return;
      case "piece":
        if (call !== null) call.text += action.text;
        if (call !== null)
          this.#tell({ type: "parameter", call: call.ordinal, name: call.parameter, text: action.text }, at);
        return;
      case "text-form":
        call?.setForm("string");
        return;
      case "element-end":
        call?.endElement();
        return;
      case "value-end":
        if (call !== null) this.#closeParameter(call, at);
        return;
      case "problem":
        this.#fail(action.problem, found, at);
        return;
      case "set":
        this.#registers[action.register] = action.value;
        return;
    }
  }

  #begin(name: string, at: number): void {
    const tool = this.#tools.find(name);
    if (!allowsCall(this.#policy, this.#calls, tool)) {
      this.#tell({ type: "call-refused", name, keep: this.#lastCallEnd }, at);
      this.#isOver = true;
      return;
    }
    const id = this.#registers["id"] ?? this.#id;
    this.#id = undefined;
    this.#isMeant = false;
    this.#call = new OpenCall(tool?.name ?? name, this.#calls.count, tool);
    this.#tell(
      { type: "call-start", call: this.#call.ordinal, name: this.#call.name, ...(id === undefined ? {} : { id }) },
      at,
    );
  }

  #openParameter(
    call: OpenCall,
    name: string,
    action: Extract<Action, { readonly type: "parameter" }>,
    at: number,
  ): void {
    call.open(name, action.as, action.name !== undefined);
    this.#tell({ type: "parameter-start", call: call.ordinal, name }, at);
  }

  #closeParameter(call: OpenCall, at: number): void {
    const list = call.listAsJson;
    if (list !== undefined) this.#tell({ type: "parameter", call: call.ordinal, name: call.parameter, text: list }, at);
    call.close();
    this.#tell({ type: "parameter-end", call: call.ordinal, name: call.parameter }, at);
  }

  #fail(problem: Problem, found: string, at: number): void {
    if (this.#call === null) this.#begin("", at);
    const call = this.#call;
    if (call === null) return;
    const facts = { ...this.#registers, name: call.name === "" ? "The call" : call.name, found };
    call.fail({ code: problem.code, message: filled(problem.message, facts) });
  }

  #truncated(at: number): void {
    if (this.#call === null) this.#begin("", at);
    const call = this.#call;
    if (call === null) return;
    const where = call.isInParameter ? `inside the parameter ${call.parameter} of the call` : "inside the call";
    const message = `${call.name === "" ? "A tool call" : call.name}: the reply ended ${where}, which was not run. Write the whole call again, a shorter one if the reply was too long.`;
    this.#call = null;
    this.#isMeant = false;
    this.#calls = withCall(this.#calls, call.tool);
    this.#tell({ type: "call-error", call: call.ordinal, name: call.name, code: "TRUNCATED_CALL", message }, at);
  }

  #end(at: number): void {
    const call = this.#call;
    if (call === null) return;
    const judged = call.judge(this.#tools, this.#grammar.grammar.closesByGuess === true);
    const { ordinal, name, json } = call;
    if (!judged.ok) {
      this.#call = null;
      this.#tell({ type: "call-error", call: ordinal, name, ...judged.error }, at);
    } else {
      const { parameters, warnings } = judged.value;
      if (json !== undefined && !call.isShown) {
        for (const [key, value] of Object.entries(parameters)) {
          this.#tell({ type: "parameter-start", call: ordinal, name: key }, at);
          const text = typeof value === "string" ? value : JSON.stringify(value);
          this.#tell({ type: "parameter", call: ordinal, name: key, text }, at);
          this.#tell({ type: "parameter-end", call: ordinal, name: key }, at);
        }
      }
      this.#call = null;
      const type = call.tool?.hidden === true ? "hidden-call" : "call-end";
      this.#tell({ type, call: ordinal, name, parameters, ...(json === undefined ? {} : { json }), warnings }, at);
    }
    this.#calls = withCall(this.#calls, call.tool);
    this.#lastCallEnd = at;
  }

  #value(state: Extract<CompiledState, { readonly type: "value" }>, input: string, start: number): number {
    const call = must(this.#call, "a value belongs to a call");
    let from = start;
    let at = start;
    const tell = (): void => {
      if (at === from) return;
      const text = input.slice(from, at);
      if (state.into === "element") call.addToElement(text);
      else {
        call.text += text;
        this.#tell({ type: "parameter", call: call.ordinal, name: call.parameter, text }, this.#base + at);
      }
    };
    for (; at < input.length; at += 1) {
      const code = input.charCodeAt(at);
      if (code >= 128) {
        if ((code & 0xf800) !== 0xd800) continue;
        const isPair = isHighHalf(code) && (input.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
        if (isPair) at += 1;
        else if (isHighHalf(code) && at + 1 === input.length && this.#context.end === "open") break;
        else call.holdsHalf();
      } else if (state.marks[code] !== 0) {
        const found = this.#edge(state.ends, input, at);
        if (found === needsMore) break;
        if (found !== null) {
          tell();
          return this.#take(found.edge, input, found.end, found.captured);
        }
        if (code === 13 && state.normalisesLineEnds) {
          if (at + 1 === input.length && this.#context.end === "open") break;
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
    const at = reader.read(input, from, this.#context.end !== "open");
    if (this.#isOver) return at;
    switch (reader.state) {
      case "reading":
        return at < input.length ? this.#waitAt(at) : at;
      case "broken":
        this.#fail(
          { code: "MALFORMED_CALL", message: "{name}: JSON was expected here. The call was not run: write it again." },
          "",
          this.#base + at,
        );
        break;
      case "done":
        break;
    }
    if (state.payload.type === "value" && this.#call !== null) {
      if (this.#call.isInParameter) this.#closeParameter(this.#call, this.#base + at);
    }
    this.#go(state.to);
    if (this.#state.type === "text") {
      this.#end(this.#base + at);
      this.#leaves(input, at);
    }
    return at;
  }

  #makeJsonEvents(): JsonEvents {
    const told = (call: OpenCall | null): call is OpenCall => call !== null && !this.#isOver;
    return {
      callOpened: () => {
        this.#isMeant = true;
      },
      callNamed: (name, at) => {
        if (!this.#isOver && this.#call === null) this.#begin(name, this.#base + at);
      },
      callIdentified: (id) => {
        this.#id = id;
      },
      parameterOpened: (name, isString, at) => {
        const call = this.#call;
        if (!told(call)) return;
        const isValue = this.#state.type === "json" && this.#state.payload.type === "value";
        if (isValue) {
          call.setForm(isString ? "string" : "json");
          return;
        }
        call.isShown = true;
        call.open(name, "json", false);
        this.#tell({ type: "parameter-start", call: call.ordinal, name }, this.#base + at);
      },
      parameterPiece: (text, at) => {
        const call = this.#call;
        if (!told(call)) return;
        if (this.#state.type === "json" && this.#state.payload.type === "value") call.text += text;
        this.#tell({ type: "parameter", call: call.ordinal, name: call.parameter, text }, this.#base + at);
      },
      parameterClosed: (at) => {
        const call = this.#call;
        if (!told(call) || !call.isInParameter) return;
        if (this.#state.type === "json" && this.#state.payload.type === "value") return;
        call.close();
        this.#tell({ type: "parameter-end", call: call.ordinal, name: call.parameter }, this.#base + at);
      },
      callClosed: (json, at) => {
        if (this.#isOver) return;
        if (this.#call === null) {
          this.#fail(
            {
              code: "MALFORMED_CALL",
              message: "The call names no tool, so nothing was run: write it again with the tool's name.",
            },
            "",
            this.#base + at,
          );
        }
        if (this.#call === null) return;
        this.#call.json = json ?? "{}";
        if (this.#state.type === "json" && this.#state.payload.type === "calls") this.#end(this.#base + at);
      },
    };
  }

  #tell(body: FragmentBody, end: number): void {
    if (this.#call?.tool?.hidden === true && body.type !== "call-refused") return;
    this.#out.push({ ...body, start: this.#covered, end });
    this.#covered = end;
  }

  /** What may be taken in whole from here on. */
  #settle(): void {
    this.#isFreshLine = this.#state.type === "text" && this.#quoting.isFresh;
    this.#marks = this.#held === "" && !this.#isOver ? this.#marksOfState() : null;
  }

  #marksOfState(): Uint8Array | null {
    const state = this.#state;
    switch (state.type) {
      case "text": {
        const isWatched = isOver(this.#policy, this.#calls) || !this.#hasSpoken;
        return isWatched || !(this.#quoting.isPlain || this.#quoting.isFresh) ? null : this.#grammar.textMarks;
      }
      case "value":
        return state.into === "piece" ? state.marks : null;
      case "reasoning":
        return this.#covered === this.#base ? state.marks : null;
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
