import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { ToolSpec } from "../../../core/tool/base/types.ts";
import { toolDefinition } from "../../../core/tool/base/definitions.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import type { Right } from "../../../core/rights/token-right.ts";
import type { DoorCall } from "./door-call.ts";

/** A tool as an outside program is offered it. */
export interface DoorTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
  /** What a scoped token must allow for it. */
  readonly right: Right;
  /** What the protocol's extensions say of it. */
  readonly meta?: JsonObject;
  /** Runs a call; `name` is as it was called. A refusal is an answer. */
  run(parameters: JsonObject, call: DoorCall, name: string): Promise<ToolAnswer>;
}

/** Hints for clients, from the facts of the tool's row. */
interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Builds the description of a tool from its row, with the parameters that only this door has. */
export function describedTool(
  spec: ToolSpec,
  added: { readonly properties?: JsonObject } = {},
): Pick<DoorTool, "name" | "description" | "inputSchema" | "annotations" | "right"> {
  const { name, description, inputSchema } = toolDefinition(spec);
  const properties = inputSchema["properties"];
  return {
    name,
    description,
    inputSchema: {
      ...inputSchema,
      properties: { ...(isJsonObject(properties) ? properties : {}), ...added.properties },
      additionalProperties: false,
    },
    right: spec.access,
    annotations: {
      readOnlyHint: spec.access === "read",
      destructiveHint: name.endsWith("_delete"),
      idempotentHint: spec.idempotent,
      openWorldHint: spec.reach.outward,
    },
  };
}
