import type { ModelRequest } from "../../core/model/request.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { LanguageModel, ModelCatalogue, ModelInfo } from "../../core/port/language-model.ts";

const info: ModelInfo = {
  id: "fed/model",
  name: "Fed model",
  contextTokensMax: 100_000,
  outputTokensMax: 4_096,
  tools: true,
  thinking: true,
  local: true,
};

/** A model whose replies a test feeds part by part, so that it can act between two words. */
export class FedModel implements LanguageModel {
  readonly info: ModelInfo;
  readonly api: string;
  readonly requests: ModelRequest[] = [];
  #waiting: StreamPart[] = [];
  #wake = (): void => {};

  constructor({ api = "scripted", ...given }: Partial<ModelInfo> & { readonly api?: string } = {}) {
    this.info = { ...info, ...given };
    this.api = api;
  }

  get catalogue(): ModelCatalogue {
    return { list: () => [this.info], find: (id) => (id === this.info.id ? this : undefined) };
  }

  /** Sends parts of the reply under way, or of the next one. */
  feed(...parts: readonly StreamPart[]): void {
    this.#waiting.push(...parts);
    this.#wake();
  }

  /** Sends a whole part of text and ends the reply, unless `stop` is null. */
  say(text: string, stop: "end-turn" | "max-tokens" | null = "end-turn"): void {
    this.feed({ type: "text-start", index: 0 }, { type: "text-delta", index: 0, text });
    if (stop !== null) this.end(stop);
  }

  end(reason: Extract<StreamPart, { readonly type: "finished" }>["reason"] = "end-turn"): void {
    this.feed({ type: "text-end", index: 0 }, { type: "finished", reason, usage: noUsage });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart> {
    this.requests.push(request);
    signal.addEventListener("abort", () => this.#wake());
    for (;;) {
      for (let part = this.#waiting.shift(); part !== undefined; part = this.#waiting.shift()) {
        yield part;
        if (part.type === "finished" || part.type === "failed") return;
      }
      if (signal.aborted) {
        yield { type: "failed", failure: { class: "cancelled", message: "Stopped.", retryable: false } };
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
