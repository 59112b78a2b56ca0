import type { Json } from "../../base/json.ts";
import { err, type Result } from "../../base/result.ts";
import type { ValueForm } from "../base/grammar.ts";
import {
  halfCharacter,
  judgeJson,
  judgeWritten,
  type CallProblem,
  type JudgedCall,
  type WrittenParameter,
} from "./judge-parameters.ts";
import type { SyntaxTool, ToolTable } from "../base/tools.ts";

/** A call that is being read. */
export class OpenCall {
  readonly name: string;
  /** The index of the call in the reply, from 0. */
  readonly ordinal: number;
  readonly tool: SyntaxTool | undefined;
  /** The arguments, when they came as JSON. */
  json: string | undefined;
  /** Whether its parameters are shown while they stream. */
  isShown = false;
  /** The current parameter, and its value so far. */
  parameter = "";
  text = "";
  /** Whether a character with which a tag of its syntax begins came in the current value. */
  mayHoldTags = false;
  readonly isHidden: boolean;
  readonly #written: WrittenParameter[] = [];
  #problem: CallProblem | undefined;
  #isOpen = false;
  #form: ValueForm = "schema";
  #isTail = false;
  #isQuoted = false;
  #element = "";
  #elements: string[] = [];
  #halfIn: string | undefined;
  #lastPiece = "";

  constructor(name: string, ordinal: number, tool: SyntaxTool | undefined) {
    this.name = name;
    this.ordinal = ordinal;
    this.tool = tool;
    this.isHidden = tool?.hidden === true;
  }

  get isInParameter(): boolean {
    return this.#isOpen;
  }

  /** Whether it cannot run any more. */
  get isBroken(): boolean {
    return this.#problem !== undefined;
  }

  /** The elements of the current list as JSON; undefined outside a list. */
  get listAsJson(): string | undefined {
    return this.#form === "list" ? JSON.stringify(this.#elements) : undefined;
  }

  open(parameter: string, form: ValueForm, isTail: boolean): void {
    this.parameter = parameter;
    this.#isOpen = true;
    this.#form = form;
    this.#isTail = isTail;
    this.#isQuoted = false;
    this.text = "";
    this.mayHoldTags = false;
    this.#lastPiece = "";
    this.#element = "";
    this.#elements = [];
  }

  setForm(form: ValueForm): void {
    this.#form = form;
  }

  /** Records that the value is written in quotes of its syntax, so that it may hold anything. */
  quote(): void {
    this.#form = "string";
    this.#isQuoted = true;
  }

  /** Whether the open value ends with the call. */
  get isTail(): boolean {
    return this.#isTail;
  }

  /** Whether the open value is read as text, whatever it looks like. */
  get isText(): boolean {
    return this.#form === "string";
  }

  /** Whether the open value is text between tags, as it is. */
  get isLiteral(): boolean {
    return !this.#isQuoted && this.#form !== "list" && this.text !== "";
  }

  /** Replaces the open value, which was written in another form, by its JSON. */
  becomeJson(value: Json): void {
    this.#form = "json";
    this.text = JSON.stringify(value);
  }

  /** Adds a piece to the open value. */
  add(piece: string): void {
    this.text += piece;
    this.#lastPiece = piece;
  }

  /** Whether the open value ends with a character; asks its last piece, since joining a long value takes time. */
  endsWith(character: string): boolean {
    return this.#lastPiece.endsWith(character);
  }

  addToElement(text: string): void {
    this.#element += text;
  }

  endElement(): void {
    this.#elements.push(this.#element);
    this.#element = "";
  }

  /** Whether the value before the open one ended without its closing tag. */
  get followsGuess(): boolean {
    return this.#written.at(-1)?.isGuessed === true;
  }

  /** Ends the open value; `isGuessed`: its closing tag was not there. */
  close(isGuessed = false): void {
    this.#isOpen = false;
    this.#written.push({
      name: this.parameter,
      form: this.#form,
      text: this.text,
      elements: this.#elements,
      isTail: this.#isTail,
      isGuessed,
    });
  }

  /** Records that the current value holds half a character. */
  holdsHalf(): void {
    this.#halfIn ??= this.parameter;
  }

  /** Records a problem; the first one counts. */
  fail(problem: CallProblem): void {
    this.#problem ??= problem;
  }

  /** Returns the parameters to run the call with, or why it must not run. */
  judge(tools: ToolTable, closesByGuess: boolean): Result<JudgedCall, CallProblem> {
    if (this.#problem !== undefined) return err(this.#problem);
    if (this.tool === undefined) return err({ code: "UNKNOWN_TOOL", message: tools.unknown(this.name) });
    if (this.#halfIn !== undefined) return err(halfCharacter(this.name, this.#halfIn));
    return this.json === undefined
      ? judgeWritten(this.tool, this.#written, closesByGuess)
      : judgeJson(this.tool, this.json);
  }
}
