import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Message } from "../../../src/core/message/types.ts";
import { noUsage } from "../../../src/core/message/usage.ts";
import type { ModelRequest } from "../../../src/core/model/request.ts";
import type { StreamPart } from "../../../src/core/model/stream-part.ts";
import { startMockProvider, type MockProvider } from "../../../src/testing/mock-provider/server.ts";
import type { Agent } from "./programs.ts";

/** A call of Heddle's MCP server. `$LEASE` in its arguments is the lease of the last check-out. */
export interface Edit {
  readonly server: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Returns the words that make a model call these tools, one after the other. */
export function editWords(edits: readonly Edit[]): string {
  return `EDIT ${JSON.stringify(edits)} ENDEDIT`;
}

function editsOf(words: string): readonly Edit[] | null {
  const edits = /EDIT (\[.*\]) ENDEDIT/su.exec(words)?.[1];
  return edits === undefined ? null : (JSON.parse(edits) as readonly Edit[]);
}

/** Returns the call that follows these results; undefined after the last. */
function nextEdit(words: string, results: readonly string[]): Edit | undefined {
  const edit = editsOf(words)?.[results.length];
  if (edit === undefined) return undefined;
  const leases = [...results.join("\n").matchAll(/lease_id\\*"\s*:\s*\\*"([^"\\]+)/gu)];
  return JSON.parse(JSON.stringify(edit).replaceAll("$LEASE", leases.at(-1)?.[1] ?? "")) as Edit;
}

function wordsOf(message: Message | undefined): string {
  return (message?.content ?? []).flatMap((block) => ("text" in block ? [block.text] : [])).join("\n");
}

/** A provider that the agents can be sent to. */
export interface AgentProvider {
  readonly url: string;
  readonly seen: Pick<MockProvider, "requests" | "rejections">;
  close(): Promise<void>;
}

/** Starts a mock of an agent's provider. */
export async function startAgentProvider(agent: Agent): Promise<AgentProvider> {
  const { api } = agent;
  const seen = await startMockProvider({
    api,
    strict: false,
    // Codex has tools of its own form, which are no function tools.
    reply: (asked, signal) => reply(asked, { signal, agent, isAside: api !== "responses" && asked.tools.length === 0 }),
  });
  const front = await startFront(seen.url, api);
  return {
    url: front.url,
    seen,
    close: async () => {
      front.close();
      await seen.close();
    },
  };
}

/** Answers as the words of the prompt say; without any, with a greeting. */
async function* reply(
  { messages, tools }: ModelRequest,
  { signal, agent, isAside }: { readonly signal: AbortSignal; readonly agent: Agent; readonly isAside: boolean },
): AsyncGenerator<StreamPart> {
  const last = messages.at(-1);
  // Earlier words of a turn that was stopped may be in the same message.
  const text = (last?.content ?? []).flatMap((block) => ("text" in block ? [block.text] : [])).at(-1) ?? "";
  const asked = messages.findLastIndex((message) => editsOf(wordsOf(message)) !== null);
  const results = messages.slice(asked + 1).filter(({ role }) => role === "tool");
  const edit = isAside || asked === -1 ? undefined : nextEdit(wordsOf(messages[asked]), results.map(wordsOf));
  const [, name, parameters] =
    edit !== undefined
      ? ["", agent.toolName(edit.server, edit.name), JSON.stringify(edit.arguments)]
      : (/CALL (\w+) (\{.*\})/u.exec(last?.role === "user" ? text : "") ?? []);
  const finished = (reason: "end-turn" | "tool-use"): StreamPart => ({ type: "finished", reason, usage: noUsage });
  if (
    name !== undefined &&
    parameters !== undefined &&
    (edit !== undefined || tools.some((tool) => tool.name === name))
  ) {
    yield { type: "tool-call-start", index: 0, id: `call_${Date.now()}`, name };
    yield { type: "tool-call-delta", index: 0, text: parameters };
    yield { type: "tool-call-end", index: 0 };
    yield finished("tool-use");
    return;
  }
  yield { type: "text-start", index: 0 };
  if (!isAside && last?.role === "user" && text.includes("SLOW")) {
    for (let at = 0; at < 100 && !signal.aborted; at += 1) {
      yield { type: "text-delta", index: 0, text: `slow ${at} ` };
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } else if (isAside) {
    // What Gemini asks before each prompt; as the title that others ask for, it is as good as any.
    yield { type: "text-delta", index: 0, text: '{"reasoning":"x","model_choice":"flash","next_speaker":"user"}' };
  } else {
    yield { type: "text-delta", index: 0, text: last?.role === "tool" ? "RESULT: done." : "Hello from the mock." };
  }
  yield { type: "text-end", index: 0 };
  yield finished("end-turn");
}

interface ResponsesItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: unknown;
}

/** Answers what needs calls of Codex's own forms, a custom one and those with a namespace; null: the mock answers. */
function codexEvents(body: string): string | null {
  let input: readonly ResponsesItem[];
  try {
    ({ input } = JSON.parse(body) as { readonly input: readonly ResponsesItem[] });
  } catch {
    return null;
  }
  const textOf = ({ content }: ResponsesItem): string =>
    Array.isArray(content) ? content.map(({ text }: { readonly text?: string }) => text ?? "").join("\n") : "";
  const last = input.at(-1) ?? {};
  const id = `call_${Date.now()}`;
  const patch = last.role === "user" ? /PATCH\n([\s\S]*)\nENDPATCH/u.exec(textOf(last))?.[1] : undefined;
  const asked = input.findLastIndex((item) => editsOf(textOf(item)) !== null);
  const results = input.slice(asked + 1).filter(({ type }) => type === "function_call_output");
  const edit =
    asked === -1
      ? undefined
      : nextEdit(
          textOf(input[asked] ?? {}),
          results.map(({ output }) => JSON.stringify(output)),
        );
  const call = { id, status: "completed", call_id: id };
  const said = { type: "message", id, role: "assistant", status: "completed" };
  const item =
    patch !== undefined
      ? { ...call, type: "custom_tool_call", name: "apply_patch", input: patch }
      : edit !== undefined
        ? {
            ...call,
            type: "function_call",
            namespace: `mcp__${edit.server}`,
            name: edit.name,
            arguments: JSON.stringify(edit.arguments),
          }
        : asked !== -1 || last.type === "custom_tool_call_output"
          ? { ...said, content: [{ type: "output_text", text: "RESULT: done." }] }
          : null;
  if (item === null) return null;
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const events = [
    { type: "response.created", response: { id: `resp_${id}` } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: `resp_${id}`, usage } },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** Is before the mock, which knows the provider's documented paths alone: Claude Code adds `?beta=true`. */
async function startFront(url: string, api: Agent["api"]): Promise<{ readonly url: string; close(): void }> {
  const front = createServer((incoming, outgoing) => {
    const { pathname, search } = new URL(incoming.url ?? "/", url);
    const path = api === "gemini" ? pathname + search : pathname;
    const { method, headers } = incoming;
    const pass = (body: Buffer): void => {
      const asked = request(new URL(path, url), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      asked.on("error", () => outgoing.destroy());
      outgoing.on("close", () => asked.destroy());
      asked.end(body);
    };
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const body = Buffer.concat(pieces);
      const own = api === "responses" && method === "POST" ? codexEvents(body.toString()) : null;
      if (own === null) return pass(body);
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(own);
    });
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port } = front.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => front.closeAllConnections() };
}
