import type { JsonObject } from "../base/json.ts";
import type { Message, NativeExtras } from "../message/types.ts";

/** A tool as a model is told of it. `inputSchema` is a JSON Schema of type object. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** One request to a language model, in Heddle's terms. Each provider's codec translates it. */
export interface ModelRequest {
  /** The provider's name of the model. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** "none": the reply calls no tool. They stay listed where the history calls them, because servers refuse it otherwise. */
  readonly toolChoice?: "none";
  /** Upper bound of the reply in tokens; at least 1. */
  readonly maxTokens: number;
  readonly temperature?: number;
  /** How much the model may think before it answers. */
  readonly thinking: "off" | "low" | "medium" | "high";
  /**
   * All but the path of a request that came in one API's format. Such a request goes to a server of that API as its client
   * wrote it, unrepaired; leave this out where another server is asked than the one that the client was written for.
   */
  readonly native?: NativeExtras;
}
