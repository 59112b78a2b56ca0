import type { ThinkingLevel } from "../forest/run-rules.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message, NativeExtras } from "../message/types.ts";
import type { ServerTool } from "./server-tool.ts";

/** A tool as described to a model. `inputSchema` is a JSON Schema of type object. */
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
  /** Tools that the provider itself runs; a codec leaves out those that its API does not have. */
  readonly serverTools?: readonly ServerTool[];
  /**
   * "none": the reply must not call a tool. Tools that the history calls stay listed, because servers refuse it
   * otherwise.
   */
  readonly toolChoice?: "none";
  /** Upper bound of the reply in tokens, at least 1; null leaves it to the server. */
  readonly maxTokens: number | null;
  readonly temperature?: number;
  /** How much the model may think before it answers. */
  readonly thinking: ThinkingLevel;
  /**
   * JSON Schema of type object that the whole text of the reply must fit. The provider is asked for it; `readStructuredReply`
   * checks what came.
   */
  readonly outputSchema?: JsonObject;
  /**
   * Everything but the path of a request that came in one API's format. It goes to a server of that API as its client
   * wrote it, unrepaired. Absent when the request goes to another server than the client was written for.
   */
  readonly native?: NativeExtras;
  /** The last message is the beginning of the reply, which goes on from its last word. Only where the model accepts it. */
  readonly prefill?: true;
}
