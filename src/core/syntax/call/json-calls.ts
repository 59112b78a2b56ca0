import type { JsonPayload } from "../base/grammar.ts";
import type { JsonEvents } from "./json-reader.ts";
import type { OpenCall } from "./open-call.ts";
import { noRegisters } from "../base/registers.ts";
import type { ReplyCalls } from "./reply-calls.ts";
import { wireName } from "../base/tools.ts";

/** Turns the events of a JSON reader into the calls and parameters of a reply. */
export class JsonCalls implements JsonEvents {
  readonly #calls: ReplyCalls;
  readonly #payload: JsonPayload["type"];
  /** The offset in the reply of the reader's input. */
  inputAt = 0;

  constructor(calls: ReplyCalls, payload: JsonPayload["type"]) {
    this.#calls = calls;
    this.#payload = payload;
  }

  /** The call whose parameters are being read. */
  get #call(): OpenCall | null {
    return this.#calls.isOver ? null : this.#calls.call;
  }

  callOpened(): void {
    this.#calls.isMeant = true;
  }

  callNamed(name: string, at: number): void {
    const calls = this.#calls;
    if (calls.isOver) return;
    if (calls.call === null) calls.begin(name, noRegisters, this.inputAt + at);
    else if (wireName(calls.call.name) !== wireName(name)) {
      const message = "{name}: the call's JSON names another tool. Nothing was run: write it again.";
      calls.fail({ code: "MALFORMED_CALL", message }, "", noRegisters, this.inputAt + at);
    }
  }

  callIdentified(id: string): void {
    this.#calls.identify(id);
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
    this.#calls.emitStart(call, name, this.inputAt + at, !isString);
  }

  parameterPiece(text: string, at: number): void {
    const call = this.#call;
    if (call === null) return;
    if (this.#payload === "value") this.#calls.addPiece(call, text);
    this.#calls.emitPiece(call, text, this.inputAt + at);
  }

  parameterClosed(at: number): void {
    const call = this.#call;
    if (call === null || !call.isInParameter || this.#payload === "value") return;
    call.close();
    this.#calls.emitEnd(call, call.parameter, this.inputAt + at);
  }

  callClosed(json: string | undefined, at: number, isSound: boolean): void {
    const calls = this.#calls;
    if (calls.isOver) return;
    const end = this.inputAt + at;
    if (calls.call === null) {
      const message = "The call names no tool, so nothing was run. Write it again with the tool's name.";
      calls.fail({ code: "MALFORMED_CALL", message }, "", noRegisters, end);
    }
    if (calls.call === null) return;
    if (!isSound) {
      const message =
        "{name}: the JSON around the call's arguments is not valid, or has a key twice. Nothing was run: write the call again.";
      calls.fail({ code: "MALFORMED_CALL", message }, "", noRegisters, end);
    }
    calls.call.json = json ?? "{}";
    if (this.#payload === "calls") calls.end(end);
  }
}
