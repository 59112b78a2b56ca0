import type { Fragment, FragmentBody } from "./fragment.ts";
import type { Action, JsonPayload, Problem } from "./grammar.ts";
import type { JsonEvents } from "./json-reader.ts";
import { OpenCall } from "./open-call.ts";
import { allowsCall, isOver, noCalls, withCall, type CallPolicy } from "./policy.ts";
import { filled, type Registers } from "./token-match.ts";
import type { ToolTable } from "./tools.ts";

/** The calls of a reply while it is read: the one that is open, those before it, and the fragments that tell of them. */
export class ReplyCalls {
  readonly #tools: ToolTable;
  readonly #policy: CallPolicy;
  readonly #closesByGuess: boolean;
  /** What the current piece gave. */
  out: Fragment[] = [];
  /** The fragments so far cover the reply up to here. */
  covered = 0;
  /** Where in the reply the input that a reader of JSON sees begins. */
  inputAt = 0;
  call: OpenCall | null = null;
  /** A call is meant whose name is not known yet. */
  isMeant = false;
  /** The policy ended the reply. */
  isOver = false;
  soFar = noCalls;
  /** Where the last call ended. */
  #keep = 0;
  #id: string | undefined;

  constructor(tools: ToolTable, policy: CallPolicy, closesByGuess: boolean) {
    this.#tools = tools;
    this.#policy = policy;
    this.#closesByGuess = closesByGuess;
  }

  /** Whether nothing but white space may come after the calls so far. */
  get endsReply(): boolean {
    return isOver(this.#policy, this.soFar);
  }

  /** Text came where nothing may come any more. */
  stop(at: number): void {
    this.tell({ type: "stop", keep: this.#keep }, at);
    this.isOver = true;
  }

  /** A call begins, or the policy refuses it and the reply is over. */
  begin(name: string, registers: Registers, at: number): void {
    const tool = this.#tools.find(name);
    if (!allowsCall(this.#policy, this.soFar, tool)) {
      this.tell({ type: "call-refused", name, keep: this.#keep }, at);
      this.isOver = true;
      return;
    }
    const id = registers["id"] ?? this.#id;
    this.#id = undefined;
    this.isMeant = false;
    this.call = new OpenCall(tool?.name ?? name, this.soFar.count, tool);
    this.tell(
      { type: "call-start", call: this.call.ordinal, name: this.call.name, ...(id === undefined ? {} : { id }) },
      at,
    );
  }

  /** A parameter of the open call begins. */
  openParameter(
    call: OpenCall,
    name: string,
    action: Extract<Action, { readonly type: "parameter" }>,
    at: number,
  ): void {
    call.open(name, action.as, action.name !== undefined);
    this.tell({ type: "parameter-start", call: call.ordinal, name }, at);
  }

  /** The parameter that is open is complete. */
  closeParameter(call: OpenCall, at: number): void {
    const list = call.listAsJson;
    if (list !== undefined) this.tell({ type: "parameter", call: call.ordinal, name: call.parameter, text: list }, at);
    call.close();
    this.tell({ type: "parameter-end", call: call.ordinal, name: call.parameter }, at);
  }

  /** The call that is open or meant cannot run; it is still read to its end. */
  fail(problem: Problem, found: string, registers: Registers, at: number): void {
    if (this.call === null) this.begin("", registers, at);
    const call = this.call;
    if (call === null) return;
    const facts = { ...registers, name: call.name === "" ? "The call" : call.name, found };
    call.fail({ code: problem.code, message: filled(problem.message, facts) });
  }

  /** The reply ended inside a call. */
  truncated(registers: Registers, at: number): void {
    if (this.call === null) this.begin("", registers, at);
    const call = this.call;
    if (call === null) return;
    const where = call.isInParameter ? `inside the parameter ${call.parameter} of the call` : "inside the call";
    const message = `${call.name === "" ? "A tool call" : call.name}: the reply ended ${where}, which was not run. Write the whole call again, a shorter one if the reply was too long.`;
    this.call = null;
    this.isMeant = false;
    this.soFar = withCall(this.soFar, call.tool);
    this.tell({ type: "call-error", call: call.ordinal, name: call.name, code: "TRUNCATED_CALL", message }, at);
  }

  /** The call is over: it is judged. */
  end(at: number): void {
    const call = this.call;
    if (call === null) return;
    const judged = call.judge(this.#tools, this.#closesByGuess);
    const { ordinal, name, json } = call;
    if (!judged.ok) {
      this.call = null;
      this.tell({ type: "call-error", call: ordinal, name, ...judged.error }, at);
    } else {
      const { parameters, warnings } = judged.value;
      if (json !== undefined && !call.isShown) {
        for (const [key, value] of Object.entries(parameters)) {
          this.tell({ type: "parameter-start", call: ordinal, name: key }, at);
          const text = typeof value === "string" ? value : JSON.stringify(value);
          this.tell({ type: "parameter", call: ordinal, name: key, text }, at);
          this.tell({ type: "parameter-end", call: ordinal, name: key }, at);
        }
      }
      this.call = null;
      const type = call.tool?.hidden === true ? "hidden-call" : "call-end";
      this.tell({ type, call: ordinal, name, parameters, ...(json === undefined ? {} : { json }), warnings }, at);
    }
    this.soFar = withCall(this.soFar, call.tool);
    this.#keep = at;
  }

  /** What a reader of JSON tells becomes fragments. */
  jsonEvents(payload: JsonPayload): JsonEvents {
    const isValue = payload.type === "value";
    const told = (call: OpenCall | null): call is OpenCall => call !== null && !this.isOver;
    return {
      callOpened: () => {
        this.isMeant = true;
      },
      callNamed: (name, at) => {
        if (!this.isOver && this.call === null) this.begin(name, {}, this.inputAt + at);
      },
      callIdentified: (id) => {
        this.#id = id;
      },
      parameterOpened: (name, isString, at) => {
        const call = this.call;
        if (!told(call)) return;
        if (isValue) {
          call.setForm(isString ? "string" : "json");
          return;
        }
        call.isShown = true;
        call.open(name, "json", false);
        this.tell({ type: "parameter-start", call: call.ordinal, name }, this.inputAt + at);
      },
      parameterPiece: (text, at) => {
        const call = this.call;
        if (!told(call)) return;
        if (isValue) call.text += text;
        this.tellPiece(call, text, this.inputAt + at);
      },
      parameterClosed: (at) => {
        const call = this.call;
        if (!told(call) || !call.isInParameter) return;
        if (isValue) return;
        call.close();
        this.tell({ type: "parameter-end", call: call.ordinal, name: call.parameter }, this.inputAt + at);
      },
      callClosed: (json, at) => {
        if (this.isOver) return;
        if (this.call === null) {
          this.fail(
            {
              code: "MALFORMED_CALL",
              message: "The call names no tool, so nothing was run: write it again with the tool's name.",
            },
            "",
            {},
            this.inputAt + at,
          );
        }
        if (this.call === null) return;
        this.call.json = json ?? "{}";
        if (payload.type === "calls") this.end(this.inputAt + at);
      },
    };
  }

  /** As `tell`, for what comes most often: a piece of the value that is open. */
  tellPiece(call: OpenCall, text: string, end: number): void {
    if (call.isHidden) return;
    const start = this.covered;
    this.covered = end;
    this.out.push({ type: "parameter", call: call.ordinal, name: call.parameter, text, start, end });
  }

  /** Covers the reply up to an offset with a fragment; nothing of a hidden call is told before its end. */
  tell(body: FragmentBody, end: number): void {
    if (this.call?.tool?.hidden === true && body.type !== "call-refused") return;
    this.out.push(Object.assign(body, { start: this.covered, end }));
    this.covered = end;
  }
}
