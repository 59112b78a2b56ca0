import { unreachable } from "../base/assert.ts";
import type { JsonObject } from "../base/json.ts";
import { noUsage } from "../message/usage.ts";
import type { StopReason, StreamPart } from "../model/stream-part.ts";
import { admitted } from "./call/coerce.ts";
import { nativeApi } from "./write/encode-request.ts";
import type { FragmentSink } from "./base/fragment-sink.ts";
import type { Fragment } from "./base/fragment.ts";
import type { CallProblem } from "./call/judge-parameters.ts";
import type { CallPolicy } from "../forest/run-rules.ts";
import { allowsCall, noCalls, withCall } from "./base/policy.ts";
import { ReplyScanner } from "./reply-scanner.ts";
import type { ReplyEnd } from "./base/scan-options.ts";
import type { Syntax } from "./base/syntax.ts";
import { parameterSchema, ToolTable, type SyntaxTool } from "./base/tools.ts";

/** The settings of a reading besides its syntax. */
export interface ReaderOptions {
  readonly tools: readonly SyntaxTool[];
  readonly policy: CallPolicy;
  /** Ids of calls in text are this prefix, a hyphen and a number from 1; unique in the conversation. */
  readonly callIdPrefix: string;
  readonly startIn?: "text" | "reasoning";
}

/** Reads the stream of one reply, part by part, and returns parts in which calls written in the text are tool calls. */
export interface SyntaxReader {
  /** Converts a part. After a `finished` nothing counts: the rest of the stream need not be read. */
  read(part: StreamPart): readonly StreamPart[];
}

/**
 * Creates a reader for one reply. With a native syntax, calls pass if the policy allows them; with any other, calls
 * are found in the text, however it is cut into pieces.
 */
export function syntaxReader(syntax: Syntax, options: ReaderOptions): SyntaxReader {
  return syntax.grammar === null ? new NativeReader(options) : new TextReader(syntax, syntax.grammar, options);
}

/** Passes native calls through; a call that the policy refuses ends the reply. */
class NativeReader implements SyntaxReader {
  readonly #policy: CallPolicy;
  readonly #tools: ToolTable;
  #calls = noCalls;
  /** The incomplete calls, by index: some providers end all of them together, at the very end. */
  readonly #open = new Set<number>();
  #hasRefused = false;
  #isOver = false;

  constructor({ policy, tools }: ReaderOptions) {
    this.#policy = policy;
    this.#tools = new ToolTable(tools);
  }

  read(part: StreamPart): readonly StreamPart[] {
    if (this.#isOver) return [];
    switch (part.type) {
      case "tool-call-start": {
        const tool = this.#tools.find(part.name);
        this.#hasRefused ||= !allowsCall(this.#policy, this.#calls, tool);
        if (this.#hasRefused) return this.#endIfWhole();
        this.#calls = withCall(this.#calls, tool);
        this.#open.add(part.index);
        return [part];
      }
      case "tool-call-end":
        if (!this.#open.delete(part.index) && this.#hasRefused) return [];
        return this.#hasRefused ? [part, ...this.#endIfWhole()] : [part];
      case "tool-call-delta":
        return this.#hasRefused && !this.#open.has(part.index) ? [] : [part];
      case "finished":
      case "failed":
        return [part];
      case "response-started":
      case "text-start":
      case "text-delta":
      case "text-end":
      case "thinking-start":
      case "thinking-delta":
      case "thinking-end":
      case "opaque":
      case "refusal":
        return this.#hasRefused ? [] : [part];
      default:
        return unreachable(part);
    }
  }

  /** After a refused call, only the missing parts of earlier calls count. */
  #endIfWhole(): readonly StreamPart[] {
    if (this.#open.size > 0) return [];
    this.#isOver = true;
    return [{ type: "finished", reason: "tool-use", usage: noUsage }];
  }
}

/** The most calls that a reply may hold in its text: as many as a provider may send natively. */
const callsMax = 256;

/** The output block that is open. */
type Open =
  | { readonly type: "nothing" }
  | { readonly type: "text" | "thinking"; readonly index: number }
  | { readonly type: "call"; readonly index: number; readonly start: number; readonly arguments: ArgumentsWriter };

class TextReader implements SyntaxReader, FragmentSink {
  readonly #syntax: Syntax;
  readonly #options: ReaderOptions;
  readonly #tools: ToolTable;
  readonly #scanner: ReplyScanner;
  /** The reply's text; a malformed call is stored as written there. */
  #reply = "";
  #out: StreamPart[] = [];
  #open: Open = { type: "nothing" };
  #nextIndex = 0;
  readonly #indexes = new Map<number, number>();
  #calls = 0;
  #hasSpoken = false;
  /** Text after a call, held until the next call is judged, because sent parts cannot be taken back. */
  #waiting: string | null = null;
  #isOver = false;
  /** Whether the stream failed: held text is shown and not interpreted. */
  #hasFailed = false;

  constructor(syntax: Syntax, grammar: NonNullable<Syntax["grammar"]>, options: ReaderOptions) {
    this.#syntax = syntax;
    this.#options = options;
    this.#tools = new ToolTable(options.tools);
    const { tools, policy, startIn = "text" } = options;
    this.#scanner = new ReplyScanner(grammar, { tools, policy, startIn }, this);
  }

  read(part: StreamPart): readonly StreamPart[] {
    if (this.#isOver) return [];
    this.#out = [];
    switch (part.type) {
      case "text-start":
        break;
      case "text-delta":
        this.#reply += part.text;
        this.#scanner.feed(part.text);
        break;
      case "text-end":
        if (this.#scanner.withheld === 0 && this.#open.type === "text") {
          this.#put({ ...part, index: this.#open.index });
          this.#open = { type: "nothing" };
        }
        break;
      case "finished":
        this.#finish(part);
        break;
      case "failed":
        this.#fail();
        this.#put(part);
        break;
      case "response-started":
        this.#put(part);
        break;
      case "thinking-start":
      case "thinking-delta":
      case "thinking-end":
      case "tool-call-start":
      case "tool-call-delta":
      case "tool-call-end":
      case "refusal":
      case "opaque":
        this.#pass(part);
    }
    return this.#out;
  }

  #put(part: StreamPart): void {
    this.#out.push(part);
  }

  /** Passes parts other than text, in order among the blocks. */
  #pass(part: Extract<StreamPart, { readonly index: number }>): void {
    let index = this.#indexes.get(part.index);
    if (index === undefined) {
      if (this.#open.type !== "call") this.#close();
      index = this.#nextIndex++;
      this.#indexes.set(part.index, index);
    }
    this.#put({ ...part, index });
  }

  said(type: "text" | "reasoning", text: string): void {
    if (this.#isOver) return;
    if (type === "reasoning") this.#put({ type: "thinking-delta", index: this.#opened("thinking"), text });
    else if (this.#mayEnd && this.#calls > 0) this.#waiting = (this.#waiting ?? "") + text;
    else this.#say(text);
  }

  valued(_call: number, _name: string, text: string): void {
    if (this.#isOver || this.#hasFailed || this.#open.type !== "call") return;
    this.#delta(this.#open.index, this.#open.arguments.add(text));
  }

  found(fragment: Fragment): void {
    if (!this.#isOver && !this.#hasFailed) this.#showOne(fragment);
  }

  #showOne(fragment: Fragment): void {
    switch (fragment.type) {
      case "text":
      case "reasoning":
        this.said(fragment.type, fragment.text);
        return;
      case "call-start":
        this.#releaseText();
        this.#startCall(fragment.name, fragment.start);
        return;
      case "parameter-start":
        if (this.#open.type === "call" && fragment.isJson !== true)
          this.#delta(this.#open.index, this.#open.arguments.begin(fragment.name));
        return;
      case "parameter":
        this.valued(fragment.call, fragment.name, fragment.text);
        return;
      case "parameter-end":
        if (this.#open.type === "call") this.#delta(this.#open.index, this.#open.arguments.end());
        return;
      case "call-end":
      case "hidden-call":
        if (this.#open.type !== "call") this.#startCall(fragment.name, fragment.start);
        this.#endCall(fragment.parameters);
        return;
      case "call-error":
        if (this.#open.type !== "call") this.#startCall(fragment.name, fragment.start);
        this.#breakCall(fragment, fragment.end);
        return;
      case "call-refused":
      case "stop":
        this.#waiting = null;
        this.#close();
        this.#put({ type: "finished", reason: "tool-use", usage: noUsage });
        this.#isOver = true;
        return;
      case "quoted-call":
        this.#reportQuoted(fragment);
        return;
      case "markup":
      case "dropped":
        return;
    }
  }

  #say(text: string): void {
    if (text.trim() !== "") this.#hasSpoken = true;
    this.#put({ type: "text-delta", index: this.#opened("text"), text });
  }

  /** Whether the policy may end the reply, so that text after its last call does not count. */
  get #mayEnd(): boolean {
    const { policy } = this.#options;
    return policy === "serial-one" || policy === "smart";
  }

  #releaseText(): void {
    const text = this.#waiting;
    this.#waiting = null;
    if (text !== null) this.#say(text);
  }

  #opened(type: "text" | "thinking"): number {
    if (this.#open.type === type) return this.#open.index;
    this.#close();
    const index = this.#nextIndex++;
    this.#open = { type, index };
    this.#put(type === "text" ? { type: "text-start", index } : { type: "thinking-start", index });
    return index;
  }

  #close(): void {
    const open = this.#open;
    if (open.type === "text") this.#put({ type: "text-end", index: open.index });
    if (open.type === "thinking") this.#put({ type: "thinking-end", index: open.index });
    this.#open = { type: "nothing" };
  }

  #startCall(name: string, start: number): void {
    this.#close();
    if (this.#calls === callsMax) {
      const message = `The reply holds more than ${callsMax} tool calls.`;
      this.#put({ type: "failed", failure: { class: "unknown", message, retryable: false } });
      this.#isOver = true;
      return;
    }
    this.#calls += 1;
    const index = this.#nextIndex++;
    const tool = this.#tools.find(name);
    this.#open = { type: "call", index, start, arguments: new ArgumentsWriter(tool) };
    const id = `${this.#options.callIdPrefix}-${this.#calls}`;
    this.#put({ type: "tool-call-start", index, id, name: name === "" ? "unknown" : name });
  }

  #delta(index: number, text: string): void {
    if (text !== "") this.#put({ type: "tool-call-delta", index, text });
  }

  #endCall(parameters: JsonObject): void {
    if (this.#open.type !== "call") return;
    const { index } = this.#open;
    this.#delta(index, this.#open.arguments.complete(parameters));
    this.#put({ type: "tool-call-end", index });
    this.#open = { type: "nothing" };
  }

  #breakCall({ code, message: argumentsError }: CallProblem, end: number): void {
    if (this.#open.type !== "call") return;
    const { index, start } = this.#open;
    this.#delta(index, this.#open.arguments.breakOff());
    const native = { api: nativeApi(this.#syntax), data: { raw: this.#reply.slice(start, end).toWellFormed(), code } };
    this.#put({ type: "tool-call-end", index, argumentsError, native });
    this.#open = { type: "nothing" };
  }

  /** Answers a reply that only meant to call, so that the model can correct it. */
  #reportQuoted({ name, where, end }: Extract<Fragment, { readonly type: "quoted-call" }>): void {
    if (where === "reasoning" && this.#hasSpoken) return;
    const place = where === "reasoning" ? "inside the reasoning" : "inside a code block that was never closed";
    this.#startCall(name, end);
    const message = `The call was written ${place}, where calls are not run. If you meant it, write it outside.`;
    this.#breakCall({ code: "MALFORMED_CALL", message }, end);
  }

  #finish(part: Extract<StreamPart, { readonly type: "finished" }>): void {
    this.#scanner.finish(replyEnd(part.reason));
    if (this.#isOver) return;
    this.#releaseText();
    this.#close();
    const reason = this.#calls > 0 && part.reason === "end-turn" ? "tool-use" : part.reason;
    this.#put({ ...part, reason });
    this.#isOver = true;
  }

  /** Shows the held text; an incomplete call stays open and is therefore left out. */
  #fail(): void {
    this.#hasFailed = true;
    this.#scanner.finish("cut");
    this.#releaseText();
    this.#isOver = true;
  }
}

/** Returns whether the model itself ended its reply. */
function replyEnd(reason: StopReason): ReplyEnd {
  switch (reason) {
    case "end-turn":
    case "tool-use":
    case "stop-sequence":
      return "stopped";
    case "max-tokens":
    case "pause":
    case "refusal":
    case "content-filter":
    case "other":
      return "cut";
  }
}

/**
 * Writes a call's arguments as JSON while they stream: values that are certainly text piece by piece, the others once the
 * call is judged.
 */
class ArgumentsWriter {
  readonly #tool: SyntaxTool | undefined;
  readonly #written = new Map<string, string>();
  #key: string | null = null;
  #value = "";

  constructor(tool: SyntaxTool | undefined) {
    this.#tool = tool;
  }

  begin(key: string): string {
    if (this.#written.has(key) || !this.#isText(key)) return "";
    this.#key = key;
    this.#value = "";
    return `${this.#written.size === 0 ? "{" : ","}${JSON.stringify(key)}:"`;
  }

  add(text: string): string {
    if (this.#key === null) return "";
    this.#value += text;
    return JSON.stringify(text).slice(1, -1);
  }

  end(): string {
    if (this.#key === null) return "";
    this.#written.set(this.#key, this.#value);
    this.#key = null;
    return '"';
  }

  /** Returns the rest of the JSON, so that the whole equals these parameters. */
  complete(parameters: JsonObject): string {
    const rest = Object.entries(parameters).filter(([key]) => !this.#written.has(key));
    const fields = rest.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    const comma = this.#written.size > 0 && fields.length > 0 ? "," : "";
    return `${this.#written.size === 0 ? "{" : comma}${fields.join(",")}}`;
  }

  breakOff(): string {
    const quote = this.end();
    return `${quote}${this.#written.size === 0 ? "{}" : "}"}`;
  }

  #isText(key: string): boolean {
    const schema = this.#tool === undefined ? undefined : parameterSchema(this.#tool, key);
    if (schema === undefined || schema["enum"] !== undefined) return false;
    const { types } = admitted(schema);
    return types.size === 1 && types.has("string");
  }
}
