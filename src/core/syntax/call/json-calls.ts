import type { JsonPayload } from "../base/grammar.ts";
import type { JsonEvents } from "./json-reader.ts";
import type { OpenCall } from "./open-call.ts";
import { noRegisters } from "../base/registers.ts";
import type { ReplyCalls } from "./reply-calls.ts";

/** What a reader of JSON tells becomes the calls and parameters of a reply. */
export class JsonCalls implements JsonEvents {
  readonly #told: ReplyCalls;
  readonly #payload: JsonPayload["type"];
  /** Where in the reply the input that the reader sees begins. */
  inputAt = 0;

  constructor(told: ReplyCalls, payload: JsonPayload["type"]) {
    this.#told = told;
    this.#payload = payload;
  }

  /** The call whose parameters are told. */
  get #call(): OpenCall | null {
    return this.#told.isOver ? null : this.#told.call;
  }

  callOpened(): void {
    this.#told.isMeant = true;
  }

  callNamed(name: string, at: number): void {
    const told = this.#told;
    if (!told.isOver && told.call === null) told.begin(name, noRegisters, this.inputAt + at);
  }

  callIdentified(id: string): void {
    this.#told.identify(id);
  }

  parameterOpened(name: string, isString: boolean, at: number): void {
    const call = this.#call;
    if (call === null) return;
    if (this.#payload === "value") {
      call.setForm(isString ? "string" : "json");
      return;
    }
    call.isShown = true;
    call.open(name, "json", false);
    this.#told.tellStart(call, name, this.inputAt + at, !isString);
  }

  parameterPiece(text: string, at: number): void {
    const call = this.#call;
    if (call === null) return;
    if (this.#payload === "value") call.text += text;
    this.#told.tellPiece(call, text, this.inputAt + at);
  }

  parameterClosed(at: number): void {
    const call = this.#call;
    if (call === null || !call.isInParameter || this.#payload === "value") return;
    call.close();
    this.#told.tellEnd(call, call.parameter, this.inputAt + at);
  }

  callClosed(json: string | undefined, at: number): void {
    const told = this.#told;
    if (told.isOver) return;
    const end = this.inputAt + at;
    if (told.call === null) {
      const message = "The call names no tool, so nothing was run: write it again with the tool's name.";
      told.fail({ code: "MALFORMED_CALL", message }, "", noRegisters, end);
    }
    if (told.call === null) return;
    told.call.json = json ?? "{}";
    if (this.#payload === "calls") told.end(end);
  }
}
