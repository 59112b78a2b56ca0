import "./abort-signal.ts";
import type { ModelPrices } from "../model/prices.ts";
import type { ModelRequest } from "../model/request.ts";
import type { StreamPart } from "../model/stream-part.ts";
import type { Syntax } from "../syntax/base/syntax.ts";

/** What people see of a model when they choose one, and its limits. */
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
  /** Whether it sees images; undefined where nobody knows: then they are sent, and the provider judges. */
  readonly vision?: boolean;
  /** How large an image or a file it takes; undefined where nobody knows. */
  readonly media?: MediaLimits;
  /** What it costs; undefined where nobody knows. */
  readonly prices?: ModelPrices;
  /** How it is told of tools and calls them, where that is not its provider's own way. */
  readonly toolSyntax?: string;
}

/** What a provider takes of one image or file. */
export interface MediaLimits {
  readonly imageBytesMax: number;
  /** Longest side of an image in pixels. */
  readonly imageSideMax: number;
  /** Largest PDF or other file, in bytes. */
  readonly fileBytesMax: number;
  /** All images and files of a request together, in bytes. */
  readonly totalBytesMax: number;
}

/** One model of one provider. A failure is the last part of its stream; the stream never throws. */
export interface LanguageModel {
  readonly info: ModelInfo;
  /** Which wire format it speaks; stored with what it wrote. */
  readonly api: string;
  /** How it calls tools in its text, where it brings a syntax of its own. */
  readonly syntax?: Syntax;
  /** Streams one reply. When `signal` aborts, the stream ends within 100 ms with a `failed` part of class `cancelled`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart>;
}

/** The models that a workspace can use. They may change between two calls, when keys or files do. */
export interface ModelCatalogue {
  list(): readonly ModelInfo[];
  find(id: string): LanguageModel | undefined;
  /** Why `find` finds nothing under this name, and what there is, in a sentence for people. */
  whyNot?(id: string): string;
}
