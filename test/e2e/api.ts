import type { JsonObject } from "../../src/core/base/json.ts";

/** The server's HTTP interface, as a script would use it. Tests compare the browser's view with it. */
export class Api {
  readonly #origin: string;
  readonly #token: string;

  constructor(server: { readonly origin: string; readonly token: string }) {
    this.#origin = server.origin;
    this.#token = server.token;
  }

  async get<Answer>(path: string): Promise<Answer> {
    const response = await fetch(`${this.#origin}${path}`, { headers: { authorization: `Bearer ${this.#token}` } });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async post<Answer>(path: string, body: JsonObject): Promise<Answer> {
    const response = await fetch(`${this.#origin}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  /** The text of a block, as stored. */
  async textOf(blockId: string): Promise<string> {
    const read = await this.post<{ content: string }>("/api/tools/block_read", {
      block_id: blockId,
      line_numbers: false,
    });
    return read.content;
  }

  /** The stored text of the canvas that a new workspace begins with. */
  async welcomeText(): Promise<string> {
    const { conversations } = await this.get<{ conversations: readonly { canvasId: string }[] }>("/api/conversations");
    return this.textOf(conversations[0]?.canvasId ?? "");
  }
}
