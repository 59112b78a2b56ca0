import type { JsonObject } from "../../src/core/base/json.ts";
import type { Message, TextBlock } from "../../src/core/message/types.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { canvasTools, type PureCanvas, runCanvasTool } from "./pure-canvas.ts";

/** Runs one turn of a model against a canvas until it stops calling tools; gives the conversation with all that was said. */
export async function driveTurn(
  model: LanguageModel,
  canvas: PureCanvas,
  said: string,
  history: readonly Message[] = [],
): Promise<readonly Message[]> {
  const messages: Message[] = [...history, { role: "user", content: [text(said)] }];
  for (let round = 0; round < 60; round += 1) {
    let assembly = emptyAssembly;
    const request = {
      model: "scribe",
      system: "",
      messages,
      tools: canvasTools,
      maxTokens: 4096,
      thinking: "off",
    } as const;
    for await (const part of model.stream(request, new AbortController().signal)) assembly = assemble(assembly, part);
    if (assembly.end.type !== "finished") throw new Error(`The model did not finish: ${JSON.stringify(assembly.end)}`);
    const reply = assembledMessage(assembly, { api: model.api, provider: "test", model: "scribe" });
    if (reply === null) throw new Error("The model said nothing.");
    messages.push(reply);
    const calls = reply.content.filter((block) => block.type === "tool-use");
    if (calls.length === 0) return messages;
    for (const call of calls) {
      const answer: JsonObject = runCanvasTool(canvas, call.name, call.parameters);
      messages.push({
        role: "tool",
        tool_call_id: call.id,
        tool_name: call.name,
        content: [text(JSON.stringify(answer))],
        outcome: answer["ok"] === false ? "error" : "ok",
      });
    }
  }
  throw new Error("The model goes round in circles.");
}

/** The text of the last reply. */
export function lastWords(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last === undefined ? "" : last.content.map((block) => ("text" in block ? block.text : "")).join("");
}

function text(said: string): TextBlock {
  return { type: "text", text: said };
}
