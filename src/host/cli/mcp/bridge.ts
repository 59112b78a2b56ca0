import { createParser } from "eventsource-parser";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import { readBoundedJson } from "../../../core/protocol/base/bounded-json.ts";
import { readLabel } from "../../server/mcp/door-call.ts";
import { clientHeader, sessionHeader } from "../../server/mcp/program-headers.ts";
import type { ServerAddress } from "../start/running-server.ts";

export interface BridgeOptions {
  /** Tells this process from the others that use the same token. */
  readonly session: string;
  readonly address: ServerAddress;
  /** Writes one message to the program. */
  write(text: string): void;
  note(sentence: string): void;
  /** Finds a server again, or starts one, after the first is gone. */
  findAgain(): Promise<Result<ServerAddress, Refusal>>;
}

type Id = string | number;

/**
 * Passes messages between a program's standard input and output and a server's `/mcp`: one request a message, in every
 * revision of the protocol. Holds no state of the protocol but the revision that an older client agreed on.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  #address: ServerAddress;
  readonly #open = new Map<Id, AbortController>();
  /** The requests whose answers are still to be written. */
  readonly #due = new Set<Promise<void>>();
  readonly #ended = new AbortController();
  /** The revision that an older client agreed on with `initialize`; a newer one says it in each message. */
  #agreed: string | null = null;
  /** The name that the program gave itself. */
  #client: string | null = null;
  #finding: Promise<Result<ServerAddress, Refusal>> | null = null;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#address = options.address;
    this.#stay();
  }

  /** Passes a line of the program on; a line that is no message has no effect and no answer. */
  receive(line: string): void {
    const read = readBoundedJson(line);
    if (!read.ok || !isJsonObject(read.value)) return;
    const message = read.value;
    const { id, method, params } = message;
    if (method === "notifications/cancelled" && isJsonObject(params)) {
      const cancelled = params["requestId"];
      if (isId(cancelled)) this.#open.get(cancelled)?.abort();
      return;
    }
    if (typeof method === "string" && isId(id)) {
      const answered = this.#request(id, method, message).finally(() => this.#due.delete(answered));
      if (method !== "subscriptions/listen") this.#due.add(answered);
    } else void this.#send(message, "", this.#ended.signal).then(drop, ignore);
  }

  /** Resolves when no request waits for its answer; one that listens for changes has none to wait for. */
  async settled(): Promise<void> {
    await Promise.all(this.#due);
  }

  /** Ends every open request and the session, so that the server releases its leases. */
  close(): void {
    this.#ended.abort();
    for (const request of this.#open.values()) request.abort();
  }

  async #request(id: Id, method: string, message: JsonObject): Promise<void> {
    const { params } = message;
    if (method === "initialize" && isJsonObject(params) && isJsonObject(params["clientInfo"])) {
      this.#client = readLabel(params["clientInfo"]["name"]);
    }
    const controller = new AbortController();
    this.#open.set(id, controller);
    const answer = { isGiven: false };
    try {
      const response = await this.#send(message, method, controller.signal);
      await this.#pass(response, { id, method, answer });
      if (!answer.isGiven) this.#refuse(id, "The server ended the exchange without an answer.");
    } catch (problem) {
      if (controller.signal.aborted) return;
      if (!answer.isGiven) this.#refuse(id, sentenceOf(problem));
    } finally {
      if (this.#open.get(id) === controller) this.#open.delete(id);
    }
  }

  /** Sends a message; where no server answers at the address, to the one that is found or started now. */
  async #send(message: JsonObject, method: string, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#post(message, method, signal);
    } catch (problem) {
      // Only a message that reached nobody is sent again.
      if (signal.aborted || !reachedNobody(problem)) throw problem;
    }
    const found = await this.#findAgain();
    if (!found.ok) throw new Error(found.error.message);
    return this.#post(message, method, signal);
  }

  #findAgain(): Promise<Result<ServerAddress, Refusal>> {
    this.#finding ??= this.#options.findAgain().then((found) => {
      this.#finding = null;
      if (!found.ok) return found;
      this.#address = found.value;
      this.#options.note(`heddle: the server was gone; this is now the one at ${found.value.url}.`);
      this.#stay();
      return found;
    });
    return this.#finding;
  }

  #post(message: JsonObject, method: string, signal: AbortSignal): Promise<Response> {
    const { url } = this.#address;
    return fetch(`${url}/mcp`, {
      method: "POST",
      headers: { ...this.#headers(), ...this.#revisionHeaders(message, method) },
      body: JSON.stringify(message),
      signal,
    });
  }

  #headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.#address.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      [sessionHeader]: this.#options.session,
      ...(this.#client === null ? {} : { [clientHeader]: encodeURIComponent(this.#client) }),
    };
  }

  /** Repeats in headers what the message says, as the protocol has it over HTTP. */
  #revisionHeaders({ params }: JsonObject, method: string): Record<string, string> {
    const meta = isJsonObject(params) ? params["_meta"] : undefined;
    const said = isJsonObject(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined;
    if (typeof said !== "string") return this.#agreed === null ? {} : { "mcp-protocol-version": this.#agreed };
    const name = namedIn(method, params);
    return {
      "mcp-protocol-version": encodeHeader(said),
      "mcp-method": encodeHeader(method),
      ...(name === null ? {} : { "mcp-name": encodeHeader(name) }),
    };
  }

  async #pass(
    response: Response,
    { id, method, answer }: { readonly id: Id; readonly method: string; readonly answer: { isGiven: boolean } },
  ): Promise<void> {
    const pass = (text: string): void => {
      const read = readBoundedJson(text);
      if (!read.ok || !isJsonObject(read.value)) return;
      const message = read.value;
      const isAnswer = "result" in message || "error" in message;
      if (isAnswer) {
        answer.isGiven = true;
        if (method === "initialize") this.#agreed = agreedRevision(message);
      }
      // What was refused before the message was read names no id.
      this.#write(isAnswer && !isId(message["id"]) ? { ...message, id } : message);
    };
    if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
      pass(await response.text());
      return;
    }
    const parser = createParser({ onEvent: ({ data }) => pass(data) });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  }

  #refuse(id: Id, message: string): void {
    this.#write({ jsonrpc: "2.0", id, error: { code: -32603, message } });
  }

  #write(message: JsonObject): void {
    if (!this.#ended.signal.aborted) this.#options.write(JSON.stringify(message));
  }

  /** Holds a request open as long as this process lives: when it ends, however it does, its leases are released. */
  #stay(): void {
    const { url } = this.#address;
    fetch(`${url}/mcp/session`, { method: "POST", headers: this.#headers(), signal: this.#ended.signal })
      .then(drop)
      .catch(ignore);
  }
}

/** Names the object of a message for the header that says it again. */
function namedIn(method: string, params: JsonObject[string] | undefined): string | null {
  if (!isJsonObject(params)) return null;
  const key = method === "resources/read" ? "uri" : method === "tools/call" || method === "prompts/get" ? "name" : null;
  const name = key === null ? undefined : params[key];
  return typeof name === "string" ? name : null;
}

function agreedRevision({ result }: JsonObject): string | null {
  const version = isJsonObject(result) ? result["protocolVersion"] : undefined;
  return typeof version === "string" ? version : null;
}

/** Writes a value as a header may have it: one that is not plain goes in base64, as the protocol says. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value) && value.trim() === value && !value.startsWith("=?base64?");
  return isPlain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number";
}

function reachedNobody(problem: unknown): boolean {
  return causeCode(problem) === "ECONNREFUSED";
}

function causeCode(problem: unknown): unknown {
  const cause = problem instanceof Error ? problem.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}

function sentenceOf(problem: unknown): string {
  if (problem instanceof Error && problem.cause === undefined) return problem.message;
  return "The Heddle server ended during this call, so whether it took effect is unknown. Read again before you repeat it.";
}

async function drop(response: Response): Promise<void> {
  // The end of the stream is the end of the session; nothing is said on it.
  await response.arrayBuffer().catch(ignore);
}

function ignore(): void {
  // The next request reports what is wrong.
}
