import "./abort-signal.ts";
import type { FolderId, RootId, RunId, TurnId } from "../base/ids.ts";
import type { ForestNode } from "../forest/types.ts";
import type { ModelPrices } from "../model/prices.ts";
import type { ServerToolKind } from "../model/server-tool.ts";
import type { ModelRequest } from "../model/request.ts";
import type { StreamPart } from "../model/stream-part.ts";
import type { Syntax } from "../syntax/base/syntax.ts";

/** What people see of a model when they choose one, and the model's limits. */
export interface ModelInfo {
  /** `provider/model`, split at the first slash. */
  readonly id: string;
  readonly name: string;
  /** Total window in tokens; null when unknown: the server then decides what is too long. */
  readonly contextTokensMax: number | null;
  /** The longest reply in tokens; null when unknown. */
  readonly outputTokensMax: number | null;
  readonly tools: boolean;
  readonly thinking: boolean;
  /** Whether the model answers without a network. */
  readonly local: boolean;
  /** Whether the model sees images; undefined when unknown: images are then sent, and the provider decides. */
  readonly vision?: boolean;
  /** The largest image or file the model accepts; undefined when unknown. */
  readonly media?: MediaLimits;
  /** The model's prices; undefined when unknown. */
  readonly prices?: ModelPrices;
  /** The tools that the provider runs itself for this model; undefined for none. */
  readonly serverTools?: readonly ServerToolKind[];
  /** Whether a request may end with the beginning of the reply, which the model then goes on with. */
  readonly prefill?: true;
  /** How the model learns of tools and calls them, when that is not its provider's native way. */
  readonly toolSyntax?: string;
  /** The syntax whose marks the model's chat template holds; undefined when none is known. */
  readonly proposedSyntax?: string;
}

/** A provider's limits for one image or file. */
export interface MediaLimits {
  readonly imageBytesMax: number;
  /** Longest side of an image in pixels. */
  readonly imageSideMax: number;
  /** Largest PDF or other file, in bytes. */
  readonly fileBytesMax: number;
  /** The size of all images and files of a request together, in bytes. */
  readonly totalBytesMax: number;
}

/** The turn that asks a model, for models that keep a session of their own. */
export interface AskingTurn {
  readonly rootId: RootId;
  readonly runId: RunId;
  readonly turnId: TurnId;
  /** The folder that the conversation works in; null without one. */
  readonly folderId: FolderId | null;
  /** From the first message to the run's head. */
  readonly path: readonly ForestNode[];
}

/** One model of one provider. A failure is the last part of its stream; the stream never throws. */
export interface LanguageModel {
  readonly info: ModelInfo;
  /** The wire format of the model; stored with what the model wrote. */
  readonly api: string;
  /** The syntax in which the model calls tools in its text, when it has one of its own. */
  readonly syntax?: Syntax;
  /** Whether its template has opened the reasoning already, so that a reply begins inside it. */
  readonly startsInReasoning?: boolean;
  /** Streams one reply. When `signal` aborts, the stream ends within 100 ms with a `failed` part of class `cancelled`. */
  stream(request: ModelRequest, signal: AbortSignal, asking?: AskingTurn): AsyncIterable<StreamPart>;
}

/** The models that a workspace can use. They may change between two calls, when keys or files change. */
export interface ModelCatalogue {
  list(): readonly ModelInfo[];
  find(id: string): LanguageModel | undefined;
  /** Returns the models of an alias, in the order in which they are asked; null for anything but an alias. */
  membersOf?(id: string): readonly string[] | null;
  /** Explains, in a sentence for people, why `find` has no model under this name and which models there are. */
  whyNot?(id: string): string;
  /** Asks the servers for their models, and for the limits of `id`, where that may be news. Waits briefly; never rejects. */
  refresh?(id?: string): Promise<void>;
  /** Takes the window that a server named when it refused a request as too long. Tokens. */
  learnWindow?(id: string, contextTokens: number): void;
}
