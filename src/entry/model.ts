// `heddle/model`: the interface that a language model of your own implements. See docs/library/model.md.

export { noUsage } from "../core/message/usage.ts";
export type { Usage } from "../core/message/usage.ts";
export { costOf } from "../core/model/cost.ts";
export type { ModelFailure } from "../core/model/failure.ts";
export type { ModelPrices } from "../core/model/prices.ts";
export type { ModelRequest, ToolDefinition } from "../core/model/request.ts";
export type { StreamPart } from "../core/model/stream-part.ts";
export type { LanguageModel, ModelCatalogue, ModelInfo } from "../core/port/language-model.ts";
