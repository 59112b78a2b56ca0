import "./abort-signal.ts";
import type { ModelRequest } from "../model/request.ts";
import type { StreamPart } from "../model/stream-part.ts";

/** What a person sees when choosing a model, and what the host must know of it. */
export interface ModelInfo {
  /** `provider/model`, split at the first slash. */
  readonly id: string;
  readonly name: string;
  /** Total window in tokens. */
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  readonly tools: boolean;
  readonly thinking: boolean;
  /** Whether it answers without a network. */
  readonly local: boolean;
}

/** One model behind one provider. Failures come as a `failed` part; the iterable never throws. */
export interface LanguageModel {
  readonly info: ModelInfo;
  /** Which wire format it speaks; stored with what it wrote. */
  readonly api: string;
  /** Streams one reply. When `signal` aborts, the stream ends within 100 ms with a `failed` part of class `cancelled`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart>;
}

/** The models that this server can use; a value, built once from the configuration. */
export interface ModelCatalogue {
  list(): readonly ModelInfo[];
  find(id: string): LanguageModel | undefined;
}
