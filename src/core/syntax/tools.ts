import { isJsonObject, type JsonObject } from "../base/json.ts";
import { nearestWord } from "../base/nearest-word.ts";
import type { ToolDefinition } from "../model/request.ts";

/** A tool as a syntax needs to know it. */
export interface SyntaxTool extends ToolDefinition {
  /** Whether it only reads; a tool that does not say so may write. */
  readonly access?: "read" | "write";
  /** Its calls run without being shown. */
  readonly hidden?: boolean;
}

/** The tools of a conversation, found as models name them. */
export class ToolTable {
  readonly #toolsByName: ReadonlyMap<string, SyntaxTool>;

  constructor(tools: readonly SyntaxTool[]) {
    this.#toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** The tool of that name; dots count as underscores, because some clients write them. */
  find(name: string): SyntaxTool | undefined {
    return this.#toolsByName.get(name) ?? this.#toolsByName.get(name.replaceAll(".", "_"));
  }

  /** Says to a model that there is no such tool, and which ones there are. */
  unknown(name: string): string {
    const names = [...this.#toolsByName.keys()];
    const nearest = nearestWord(name, names);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    const listed = names.length === 0 ? "There are no tools here." : `The tools are: ${names.join(", ")}.`;
    return `Unknown tool: ${name}.${hint} ${listed}`;
  }
}

/** The schema of each parameter. */
export function parametersOf(tool: SyntaxTool): JsonObject {
  const { properties } = tool.inputSchema;
  return isJsonObject(properties) ? properties : {};
}

/** The schema of one parameter; undefined where the tool does not name it. */
export function parameterSchema(tool: SyntaxTool, name: string): JsonObject | undefined {
  const properties = parametersOf(tool);
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(schema) ? schema : schema === true ? {} : undefined;
}

export function requiredOf(tool: SyntaxTool): readonly string[] {
  const { required } = tool.inputSchema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export function allowsOtherParameters(tool: SyntaxTool): boolean {
  return tool.inputSchema["additionalProperties"] !== false;
}
