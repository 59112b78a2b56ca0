import { assert } from "../../src/core/base/assert.ts";
import { toolUses } from "../../src/core/message/content.ts";
import { checkRequest } from "../../src/core/message/transcript.ts";
import type { AssistantMessage, Message } from "../../src/core/message/types.ts";
import { assemble, assembledMessage, emptyAssembly, partialMessage } from "../../src/core/model/assemble.ts";
import { SseReader } from "../../src/adapters/providers/shared/sse.ts";
import { decoderFor } from "./recorded-codecs.ts";
import type { RecordedStream } from "./recordings.ts";
import { model, requestOf, type Wire, wires } from "./wires.ts";

/** The formats, each with the rules of its strictest server. */
const targets: readonly (readonly [string, Wire])[] = [
  "Claude 4.8",
  "openai",
  "Responses, gpt-5.4",
  "Gemini 3",
  "Interactions, Gemini 3",
].map((name) => {
  const wire = wires[name];
  assert(wire !== undefined, `there is a wire ${name}`);
  return [name, wire] as const;
});

const said = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** The path after a cut reply: the kept part, its calls answered as not run, and the next question. */
function closed(reply: AssistantMessage | null): readonly Message[] {
  const question = said("What do you see?");
  if (reply === null) return [question];
  const answers = toolUses(reply).map((call): Message => ({
    role: "tool",
    tool_call_id: call.id,
    tool_name: call.name === "" ? "unnamed" : call.name,
    content: [{ type: "text", text: "Cancelled by user before execution" }],
    outcome: "cancelled",
  }));
  return [question, reply, ...answers, said("Go on.")];
}

/**
 * Cuts a stream after those of its events that `picks` chooses, and checks the rest against the rules of histories and
 * of all formats. Returns the number of cuts. Throws, naming the recording and the event, where a provider would
 * refuse.
 */
export function checkCuts(row: RecordedStream, picks: (event: number) => boolean): number {
  const reader = new SseReader();
  const events = [...reader.push(new TextEncoder().encode(row.body)), ...reader.end()];
  const origin = { api: decoderFor(row.api).api, provider: row.host, model };
  let decoder = decoderFor(row.api).start();
  let assembly = emptyAssembly;
  let cuts = 0;
  for (const [at, event] of events.entries()) {
    assembly = decoder.push(event).reduce(assemble, assembly);
    const over = assembly.end.type !== "open";
    if (picks(at)) {
      const isWhole = assembly.end.type === "finished";
      const reply = isWhole ? assembledMessage(assembly, origin) : partialMessage(assembly, origin);
      check(closed(reply), `${row.id} cut behind event ${at}`);
      cuts += 1;
    }
    if (!over) continue;
    // Some recordings hold several replies.
    decoder = decoderFor(row.api).start();
    assembly = emptyAssembly;
  }
  return cuts;
}

function check(path: readonly Message[], what: string): void {
  const history = checkRequest(path);
  assert(history.ok, `${what}: ${history.ok ? "" : JSON.stringify(history.error)}`);
  for (const [name, wire] of targets) {
    const fault = wire.fault(wire.encode(requestOf(path)));
    assert(fault === null, `${what}, sent to ${name}: ${JSON.stringify(fault)}`);
  }
}
