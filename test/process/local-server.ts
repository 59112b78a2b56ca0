import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request to the model of a local server. */
interface AskedBody {
  readonly model?: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly unknown[];
  readonly max_tokens?: number;
}

/** A program that serves a model on the own machine, as it answers over HTTP. */
export interface ServerKind {
  readonly name: string;
  /** Answers to questions about the model, by method and path; anything else is 404. */
  readonly said: Readonly<Record<string, object>>;
  /** The window in which it really runs. */
  readonly window: number;
  /** The error of a request that does not fit; null for a server that drops the beginning without a word. */
  readonly refuse: (asked: {
    readonly prompt: number;
    readonly wished: number;
  }) => { readonly status: number; readonly body: object } | null;
}

const listed = (entry: object): object => ({
  object: "list",
  data: [{ id: "house", object: "model", created: 1, ...entry }],
});
const tooLong = (window: number, prompt: number, wished: number): object => ({
  object: "error",
  message: `This model's maximum context length is ${window} tokens. However, you requested ${prompt + wished} tokens (${prompt} in the messages, ${wished} in the completion). Please reduce the length of the messages or completion.`,
  type: "BadRequestError",
  param: null,
  code: 400,
});

/** vLLM: the list has the window, and prompt and limit together must fit it. */
export function vllm(window: number): ServerKind {
  return {
    name: `vLLM with ${window}`,
    said: { "GET /v1/models": listed({ owned_by: "vllm", root: "maker/house", parent: null, max_model_len: window }) },
    window,
    refuse: ({ prompt, wished }) =>
      prompt + Math.max(1, wished) > window ? { status: 400, body: tooLong(window, prompt, wished) } : null,
  };
}

/** llama.cpp: the list has the window of training, `/props` that of a slot; a long prompt is refused. */
export function llamaCpp(window: number): ServerKind {
  return {
    name: `llama.cpp with ${window}`,
    said: {
      "GET /v1/models": listed({
        id: "/models/house.gguf",
        owned_by: "llamacpp",
        meta: { vocab_type: 2, n_ctx_train: 131_072 },
      }),
      "GET /props": {
        default_generation_settings: { id: 0, n_ctx: window, params: {} },
        total_slots: 1,
        model_path: "/models/house.gguf",
        modalities: { vision: false, audio: false },
      },
    },
    window,
    refuse: ({ prompt }) =>
      prompt < window
        ? null
        : {
            status: 400,
            body: {
              error: {
                code: 400,
                message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
                type: "exceed_context_size_error",
                n_prompt_tokens: prompt,
                n_ctx: window,
              },
            },
          },
  };
}

/** Ollama: `/api/show` has the model's own window and the one that it is loaded with; a long prompt loses its beginning. */
export function ollama(window: number): ServerKind {
  return {
    name: `Ollama with ${window}`,
    said: {
      "GET /v1/models": listed({ owned_by: "library" }),
      "POST /api/show": {
        parameters: `num_ctx                        ${window}\ntop_p                          0.95`,
        details: { family: "qwen3", parameter_size: "4.0B" },
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        capabilities: ["completion", "tools"],
      },
      "GET /api/ps": { models: [] },
    },
    window,
    refuse: () => null,
  };
}

/** A server that says nothing of its model: its window shows in its refusal alone. */
export function silent(window: number): ServerKind {
  const { refuse } = vllm(window);
  return { name: `a silent server with ${window}`, said: {}, window, refuse };
}

export interface LocalServer {
  /** The address as a person sets it, with the version. */
  readonly url: string;
  readonly bodies: readonly AskedBody[];
  close(): Promise<void>;
}

/** The answer of every model here, of some 230 tokens: whole when it ends with "Done." */
export const wholeAnswer = `${"Warp, weft and shuttle make a cloth. ".repeat(25)}Done.`;

/** Counts as these servers do, roughly: four characters a token. */
const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value ?? []).length / 4);

/** Starts a server that streams `wholeAnswer`, cut where its window or the request's limit ends. */
export async function startLocalServer(kind: ServerKind): Promise<LocalServer> {
  const bodies: AskedBody[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const said = kind.said[`${incoming.method} ${incoming.url}`];
      if (said !== undefined) return json(outgoing, 200, said);
      if (incoming.url !== "/v1/chat/completions")
        return json(outgoing, 404, { error: { message: "File Not Found", code: 404 } });
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as AskedBody;
      bodies.push(body);
      const prompt = tokensOf(body.messages) + tokensOf(body.tools);
      const refused = kind.refuse({ prompt, wished: body.max_tokens ?? 0 });
      if (refused !== null) return json(outgoing, refused.status, refused.body);
      const room = Math.min(body.max_tokens ?? kind.window, Math.max(1, kind.window - prompt));
      stream(outgoing, { prompt, room });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function json(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function stream(outgoing: ServerResponse, { prompt, room }: { readonly prompt: number; readonly room: number }): void {
  const content = wholeAnswer.slice(0, room * 4);
  const reason = content === wholeAnswer ? "stop" : "length";
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "house", ...fields })}\n\n`;
  const choice = (delta: object, finish: string | null): object => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: Math.ceil(content.length / 4),
    total_tokens: prompt + room,
  };
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  outgoing.write(chunk(choice({ role: "assistant", content: "" }, null)));
  for (let at = 0; at < content.length; at += 200)
    outgoing.write(chunk(choice({ content: content.slice(at, at + 200) }, null)));
  outgoing.write(chunk(choice({}, reason)));
  outgoing.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
}
