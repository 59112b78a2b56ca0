import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { Gist } from "./gist.ts";

/** A reply as a client receives it: whole, or in the pieces in which its server sends it. */
export type ReceivedBody = string | readonly Uint8Array<ArrayBuffer>[];

/** A fetch that always returns the recorded reply, without a network. */
export function recorded(body: ReceivedBody): typeof fetch {
  return () =>
    Promise.resolve(
      new Response(typeof body === "string" ? body : piped(body), { headers: { "content-type": "text/event-stream" } }),
    );
}

function piped(pieces: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[next];
      next += 1;
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

/** What the network answers now. Clients are made once and asked often, as programs do. */
let answer: typeof fetch = recorded("");

function answering(body: ReceivedBody): void {
  answer = recorded(body);
}

const quiet = { apiKey: "none", maxRetries: 0, dangerouslyAllowBrowser: true, logLevel: "off" } as const;
const viaAnswer: typeof fetch = (input, init) => answer(input, init);
const anthropic = new Anthropic({ ...quiet, fetch: viaAnswer });
const openai = new OpenAI({ ...quiet, fetch: viaAnswer });
const google = new GoogleGenAI({ apiKey: "none", vertexai: false });
const asked = [{ role: "user", content: "?" }] as const;

/** Reads a recorded stream with the official client of a format. Rejects if that client throws. */
export const officialReaders: Readonly<Record<string, (body: ReceivedBody) => Promise<Gist>>> = {
  anthropic: async (body) => {
    answering(body);
    const message = await anthropic.messages.stream({ model: "m", max_tokens: 1, messages: [...asked] }).finalMessage();
    return {
      text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      thinking: message.content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      calls: message.content.flatMap((block) =>
        block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [],
      ),
      outputTokens: message.usage.output_tokens,
    };
  },
  chat: async (body) => {
    answering(body);
    const stream = openai.chat.completions.stream({ model: "m", messages: [...asked] });
    const completion = await stream.finalChatCompletion();
    const choice = completion.choices[0];
    return {
      text: typeof choice?.message.content === "string" ? choice.message.content : "",
      // The client drops thinking: the format's owner sends none.
      thinking: undefined,
      calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
        call.type === "function" ? [{ name: call.function.name, input: argumentsOf(call.function.arguments) }] : [],
      ),
      outputTokens: completion.usage?.completion_tokens,
    };
  },
  responses: async (body) => {
    answering(body);
    const response = await openai.responses.stream({ model: "m", input: "?" }).finalResponse();
    const said = response.output.flatMap((item) => (item.type === "message" ? item.content : []));
    return {
      text: said.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
      thinking: undefined,
      calls: response.output.flatMap((item) =>
        item.type === "function_call" ? [{ name: item.name, input: argumentsOf(item.arguments) }] : [],
      ),
      outputTokens: response.usage?.output_tokens,
    };
  },
  "gemini-stream": async (body) => {
    const real = globalThis.fetch;
    // This client accepts no custom fetch.
    globalThis.fetch = recorded(body);
    try {
      const chunks = await google.models.generateContentStream({ model: "gemini-3-flash", contents: "?" });
      const [parts, counts]: [Part[], { candidatesTokenCount?: number; thoughtsTokenCount?: number }[]] = [[], []];
      for await (const chunk of chunks) {
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
        if (chunk.usageMetadata !== undefined) counts.push(chunk.usageMetadata);
      }
      const usage = counts.at(-1);
      return {
        text: parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join(""),
        thinking: parts.map((part) => (part.thought === true ? (part.text ?? "") : "")).join(""),
        calls: parts.flatMap(({ functionCall: call }) =>
          call === undefined ? [] : [{ name: call.name ?? "", input: call.args ?? {} }],
        ),
        outputTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      };
    } finally {
      globalThis.fetch = real;
    }
  },
};

/** Iterates over the events of a stream with the official client, without putting the message together. */
export const officialIteration: Readonly<Record<string, (body: ReceivedBody) => Promise<number>>> = {
  anthropic: async (body) => {
    answering(body);
    return countOf(await anthropic.messages.create({ model: "m", max_tokens: 1, messages: [...asked], stream: true }));
  },
  chat: async (body) => {
    answering(body);
    return countOf(await openai.chat.completions.create({ model: "m", messages: [...asked], stream: true }));
  },
  responses: async (body) => {
    answering(body);
    return countOf(await openai.responses.create({ model: "m", input: "?", stream: true }));
  },
  "gemini-stream": async (body) => {
    const real = globalThis.fetch;
    globalThis.fetch = recorded(body);
    try {
      return await countOf(await google.models.generateContentStream({ model: "gemini-3-flash", contents: "?" }));
    } finally {
      globalThis.fetch = real;
    }
  },
};

async function countOf(events: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _event of events) count += 1;
  return count;
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly name?: string; readonly args?: unknown };
}

function argumentsOf(json: string): unknown {
  try {
    return JSON.parse(json === "" ? "{}" : json);
  } catch {
    return {};
  }
}
