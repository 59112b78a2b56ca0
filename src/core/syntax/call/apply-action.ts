import type { Action } from "../base/grammar.ts";
import type { Registers } from "../base/registers.ts";
import type { ReplyCalls } from "./reply-calls.ts";

/** Does what an edge says of the calls; `at` is the offset in the reply behind what the edge matched. */
export function act(action: Action, told: ReplyCalls, registers: Registers, at: number): void {
  const { call } = told;
  switch (action.type) {
    case "meant":
      told.isMeant = true;
      return;
    case "begin":
      told.begin(registers["name"] ?? "", registers, at);
      return;
    case "end":
      told.end(at);
      return;
    case "parameter":
      if (call !== null) told.openParameter(call, action.name ?? registers["key"] ?? "", action, at);
      return;
    case "piece":
      if (call !== null) {
        call.text += action.text;
        told.tellPiece(call, action.text, at);
      }
      return;
    case "text-form":
      call?.setForm("string");
      return;
    case "element-end":
      call?.endElement();
      return;
    case "value-end":
      if (call !== null) told.closeParameter(call, at);
      return;
    case "problem":
      told.fail(action.problem, "", registers, at);
      return;
    case "set":
      registers[action.register] = action.value;
      return;
  }
}
