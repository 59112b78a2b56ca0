import type { JsonObject } from "../../src/core/base/json.ts";
import type { Message, TextBlock } from "../../src/core/message/types.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { ToolDefinition } from "../../src/core/model/request.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import { canvasTools, type PureCanvas, runCanvasTool } from "./pure-canvas.ts";

/** The tools and history of a turn. */
export interface TurnSetting {
  readonly tools: readonly ToolDefinition[];
  readonly history: readonly Message[];
  run(name: string, parameters: JsonObject): Promise<JsonObject>;
}

/** Runs one turn of a model on a canvas in memory; returns the whole conversation. */
export function driveTurn(
  model: LanguageModel,
  canvas: PureCanvas,
  said: string,
  history: readonly Message[] = [],
): Promise<readonly Message[]> {
  const run = (name: string, parameters: JsonObject): Promise<JsonObject> =>
    Promise.resolve(runCanvasTool(canvas, name, parameters));
  return driveWith(model, { tools: canvasTools, history, run }, said);
}

/** Runs one turn of a model until it stops calling tools. */
export async function driveWith(model: LanguageModel, setting: TurnSetting, said: string): Promise<readonly Message[]> {
  const { tools, history } = setting;
  const messages: Message[] = [...history, { role: "user", content: [text(said)] }];
  for (let round = 0; round < 80; round += 1) {
    let assembly = emptyAssembly;
    const request = { model: "scribe", system: "", messages, tools, maxTokens: 4096, thinking: "off" } as const;
    for await (const part of model.stream(request, new AbortController().signal)) assembly = assemble(assembly, part);
    if (assembly.end.type !== "finished") throw new Error(`The model did not finish: ${JSON.stringify(assembly.end)}`);
    const reply = assembledMessage(assembly, { api: model.api, provider: "test", model: "scribe" });
    if (reply === null) throw new Error("The model said nothing.");
    messages.push(reply);
    const calls = reply.content.filter((block) => block.type === "tool-use");
    if (calls.length === 0) return messages;
    for (const call of calls) {
      const answer = await setting.run(call.name, call.parameters);
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
