import type { Fragment } from "../base/fragment.ts";
import type { FragmentSink } from "../base/fragment-sink.ts";
import { mayBeginTag } from "../base/tag-characters.ts";
import { showsForgottenLine } from "./forgotten-lines.ts";
import { endsInDoubt, showsForgottenTag, type KnownNames } from "./forgotten-tags.ts";
import type { Action, Grammar, NestedForm, Problem, ValueGuard } from "../base/grammar.ts";
import type { CallProblem } from "./judge-parameters.ts";
import { readNested } from "./nested-elements.ts";
import { OpenCall } from "./open-call.ts";
import type { CallPolicy } from "../../forest/run-rules.ts";
import { allowsCall, isOver, noCalls, withCall } from "../base/policy.ts";
import type { QuotedCall } from "../match/quoted-calls.ts";
import { filled, type Registers } from "../base/registers.ts";
import { parameterSchema, type ToolTable } from "../base/tools.ts";

/** The calls of a reply while it is read: the open one, those before it, and their fragments. */
export class ReplyCalls {
  readonly #sink: FragmentSink;
  readonly #tools: ToolTable;
  readonly #policy: CallPolicy;
  readonly #closesByGuess: boolean;
  readonly #guard: ValueGuard | undefined;
  readonly #nested: NestedForm | undefined;
  /** The fragments so far cover the reply up to here. */
  covered = 0;
  call: OpenCall | null = null;
  /** Whether a call has begun whose name is not known yet. */
  isMeant = false;
  /** Whether the policy has ended the reply. */
  isOver = false;
  soFar = noCalls;
  /** Whether only white space may follow the calls so far. */
  endsReply = false;
  /** Where the last call ended. */
  #keep = 0;
  #id: string | undefined;

  constructor(
    sink: FragmentSink,
    tools: ToolTable,
    policy: CallPolicy,
    { closesByGuess = false, guard, nested }: Pick<Grammar, "closesByGuess" | "guard" | "nested">,
  ) {
    this.#sink = sink;
    this.#tools = tools;
    this.#policy = policy;
    this.#closesByGuess = closesByGuess;
    this.#guard = guard;
    this.#nested = nested;
  }

  /** Sets the id of the call whose name has not arrived yet. */
  identify(id: string): void {
    this.#id = id;
  }

  /** Ends the reply at text after the last allowed call. */
  stop(at: number): void {
    this.#emit({ type: "stop", keep: this.#keep, start: this.covered, end: at });
    this.isOver = true;
  }

  /** Begins a call, or ends the reply when the policy refuses it. */
  begin(name: string, registers: Registers, at: number): void {
    // A call that cannot run, and whose end was not found.
    if (this.call !== null) this.end(at);
    const tool = this.#tools.find(name);
    if (!allowsCall(this.#policy, this.soFar, tool)) {
      this.#put({ type: "call-refused", name, keep: this.#keep, start: this.covered, end: at });
      this.isOver = true;
      return;
    }
    const id = registers["id"] ?? this.#id;
    this.#id = undefined;
    this.isMeant = false;
    const call = new OpenCall(tool?.name ?? name, this.soFar.count, tool);
    this.call = call;
    const started = { type: "call-start", call: call.ordinal, name: call.name, start: this.covered, end: at } as const;
    this.#emit(id === undefined ? started : { ...started, id });
  }

  /** Adds a piece to the open value, and notes whether a tag may begin in it. */
  addPiece(call: OpenCall, piece: string): void {
    call.add(piece);
    if (!call.mayHoldTags && this.#guard?.type === "tags") call.mayHoldTags = mayBeginTag(piece, this.#guard.tags);
  }

  /** Begins a parameter of the open call. */
  openParameter(
    call: OpenCall,
    name: string,
    action: Extract<Action, { readonly type: "parameter" }>,
    at: number,
  ): void {
    call.open(name, action.as, action.name !== undefined);
    this.emitStart(call, name, at, action.as === "json");
  }

  /**
   * Completes the open parameter, whose name and delimiters are in the registers; `guessed` is the closing tag that was
   * not there.
   */
  closeParameter(call: OpenCall, at: number, registers: Registers, guessed?: string): void {
    if (!this.#readNested(call)) this.#guardValue(call, registers, guessed);
    const list = call.listAsJson;
    if (list !== undefined) this.emitPiece(call, list, at);
    call.close(guessed !== undefined);
    this.emitEnd(call, call.parameter, at);
  }

  /** Reads a value of nested elements; false where it is none. */
  #readNested(call: OpenCall): boolean {
    const { tool, parameter, text, isBroken, isLiteral } = call;
    const schema = tool === undefined ? undefined : parameterSchema(tool, parameter);
    if (this.#nested === undefined || schema === undefined || isBroken || !isLiteral) return false;
    const isParameter = (name: string): boolean => this.#tools.isParameter(name);
    const value = readNested(text, { form: this.#nested, schema, isParameter });
    if (value !== undefined) call.becomeJson(value);
    return value !== undefined;
  }

  /** Refuses a call whose value shows that a tag was forgotten. */
  #guardValue(call: OpenCall, registers: Registers, guessed: string | undefined): void {
    const guard = this.#guard;
    if (guard === undefined || call.isBroken || !call.isLiteral) return;
    const { name, parameter, text } = call;
    const isParameter = (key: string): boolean => this.#tools.isParameter(key);
    if (guard.type === "lines") {
      const dashes = call.isTail ? "" : registers["dashes"];
      if (dashes === undefined || !call.isText || !showsForgottenLine(text, { key: parameter, dashes }, isParameter))
        return;
      call.fail({
        code: "AMBIGUOUS_CLOSE",
        message: `${name}: the value of ${parameter} holds a line of dashes with a parameter's name, as if the line that closes a value was forgotten. Nothing was run. Close each value; a value that holds such a line is written between \`${parameter} ----\` and \`---- ${parameter}\`.`,
      });
      return;
    }
    const known: KnownNames = { isParameter, isTool: (tool) => this.#tools.find(tool) !== undefined };
    // In a text of several lines, the tag at which a value would end may be one of them.
    const hasLines = (guessed !== undefined || call.followsGuess) && text.includes("\n");
    const isDoubtful = hasLines || (guessed !== undefined && endsInDoubt(text, guessed));
    if (!isDoubtful && !call.mayHoldTags && !call.endsWith(">")) return;
    if (!isDoubtful && !showsForgottenTag(text, guard.tags, known)) return;
    call.fail({
      code: "AMBIGUOUS_CLOSE",
      message: `${name}: the value of ${parameter} holds tags of this syntax, as if a closing tag before them was forgotten. Nothing was run. Close each value; if the tags belong to the value, ${guard.instead}.`,
    });
  }

  /** Records that the open or begun call cannot run; it is still read to its end. */
  fail(problem: Problem, found: string, registers: Registers, at: number): void {
    if (this.call === null) this.begin("", registers, at);
    const call = this.call;
    if (call === null) return;
    const facts = { ...registers, name: call.name === "" ? "The call" : call.name, found };
    call.fail({ code: problem.code, message: filled(problem.message, facts) });
  }

  /** Records that the reply ended inside a call. */
  truncated(registers: Registers, at: number): void {
    if (this.call === null) this.begin("", registers, at);
    const call = this.call;
    if (call === null) return;
    // That it names no tool says more than that it has no end.
    if (call.name === "" && call.isBroken) {
      this.end(at);
      return;
    }
    const where = call.isInParameter ? `inside the parameter ${call.parameter} of the call` : "inside the call";
    const message = `${call.name === "" ? "A tool call" : call.name}: the reply ended ${where}, which was not run. Write the whole call again, a shorter one if the reply was too long.`;
    this.call = null;
    this.isMeant = false;
    this.#count(call);
    this.#breakOff(call, { code: "TRUNCATED_CALL", message }, at);
  }

  /** Judges the complete call. */
  end(at: number): void {
    const call = this.call;
    if (call === null) return;
    const judged = call.judge(this.#tools, this.#closesByGuess);
    const { ordinal, name, json } = call;
    if (!judged.ok) {
      this.call = null;
      this.#breakOff(call, judged.error, at);
    } else {
      const { parameters, warnings } = judged.value;
      if (json !== undefined && !call.isShown) {
        for (const [key, value] of Object.entries(parameters)) {
          this.emitStart(call, key, at);
          const text = typeof value === "string" ? value : JSON.stringify(value);
          this.#emit({ type: "parameter", call: ordinal, name: key, text, start: this.covered, end: at });
          this.emitEnd(call, key, at);
        }
      }
      this.call = null;
      const type = call.isHidden ? "hidden-call" : "call-end";
      const ended = { type, call: ordinal, name, parameters, warnings, start: this.covered, end: at } as const;
      this.#put(json === undefined ? ended : { ...ended, json });
    }
    this.#count(call);
    this.#keep = at;
  }

  #count(call: OpenCall): void {
    this.soFar = withCall(this.soFar, call.tool);
    this.endsReply = isOver(this.#policy, this.soFar);
  }

  #breakOff({ ordinal, name }: OpenCall, { code, message }: CallProblem, at: number): void {
    this.#put({ type: "call-error", call: ordinal, name, code, message, start: this.covered, end: at });
  }

  /** Emits a piece of the open value. */
  emitPiece(call: OpenCall, text: string, end: number): void {
    if (call.isHidden) return;
    const start = this.covered;
    this.covered = end;
    this.#sink.valued(call.ordinal, call.parameter, text, start, end);
  }

  emitStart(call: OpenCall, name: string, end: number, isJson = false): void {
    const started = { type: "parameter-start", call: call.ordinal, name, start: this.covered, end } as const;
    this.#emit(isJson ? { ...started, isJson } : started);
  }

  emitEnd(call: OpenCall, name: string, end: number): void {
    this.#emit({ type: "parameter-end", call: call.ordinal, name, start: this.covered, end });
  }

  /** Emits text or reasoning up to an offset. */
  say(type: "text" | "reasoning", text: string, end: number): void {
    const start = this.covered;
    this.covered = end;
    this.#sink.said(type, text, start, end);
  }

  /** Emits input outside calls, up to an offset. */
  cover(type: "markup" | "dropped", end: number): void {
    this.#emit({ type, start: this.covered, end });
  }

  /** Emits that a call of a known tool was written where calls are not read, when the reply has no other. */
  emitQuoted({ name, where }: QuotedCall, end: number): void {
    this.#emit({ type: "quoted-call", name, where, start: this.covered, end });
  }

  /** Emits a fragment; a hidden call emits nothing before its end. */
  #emit(fragment: Fragment): void {
    if (this.call === null || !this.call.isHidden) this.#put(fragment);
  }

  #put(fragment: Fragment): void {
    this.covered = fragment.end;
    this.#sink.found(fragment);
  }
}
