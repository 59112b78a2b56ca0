import type { Action } from "../base/grammar.ts";
import type { Registers } from "../base/registers.ts";
import type { ReplyCalls } from "./reply-calls.ts";

/** Applies an edge's action to the calls; `at` is the offset in the reply after the edge's match. */
export function act(action: Action, calls: ReplyCalls, registers: Registers, at: number): void {
  const { call } = calls;
  switch (action.type) {
    case "meant":
      calls.isMeant = true;
      return;
    case "begin":
      calls.begin(registers["name"] ?? "", registers, at);
      return;
    case "end":
      calls.end(at);
      return;
    case "parameter":
      if (call !== null) calls.openParameter(call, action.name ?? registers["key"] ?? "", action, at);
      return;
    case "piece":
      if (call !== null) {
        calls.addPiece(call, action.text);
        calls.emitPiece(call, action.text, at);
      }
      return;
    case "text-form":
      call?.quote();
      return;
    case "element-end":
      call?.endElement();
      return;
    case "value-end":
      if (call !== null) calls.closeParameter(call, at, registers, action.guessed);
      return;
    case "problem":
      calls.fail(action.problem, "", registers, at);
      return;
  }
}
