import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { nearestWord } from "../../base/nearest-word.ts";
import type { ToolDefinition } from "../../model/request.ts";

/** A tool as a syntax knows it: its definition, whether it only reads, whether its calls are shown. */
export interface SyntaxTool extends ToolDefinition {
  /** Whether it only reads; a tool that does not say so may write. */
  readonly access?: "read" | "write";
  /** Its calls run without being shown. */
  readonly hidden?: boolean;
}

/** The tools of a conversation, found as models name them. */
export class ToolTable {
  readonly #toolsByName: ReadonlyMap<string, SyntaxTool>;
  /** Made when a name is asked for that no tool has. */
  #toolsByWireName: ReadonlyMap<string, SyntaxTool> | null = null;

  constructor(tools: readonly SyntaxTool[]) {
    this.#toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** The tool of that name; dots and hyphens count as underscores, which some models and syntaxes write instead. */
  find(name: string): SyntaxTool | undefined {
    const found = this.#toolsByName.get(name);
    if (found !== undefined) return found;
    const tools = [...this.#toolsByName.values()];
    this.#toolsByWireName ??= new Map(tools.toReversed().map((tool) => [wireName(tool.name), tool]));
    return this.#toolsByWireName.get(wireName(name));
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

/** A name of letters, digits and underscores alone. */
export function wireName(name: string): string {
  return name.replaceAll(/[.-]/g, "_");
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

/** The schema of a parameter, also of one that the tool does not name. */
export function parameterOrAnySchema(tool: SyntaxTool, name: string): JsonObject {
  const others = tool.inputSchema["additionalProperties"];
  return parameterSchema(tool, name) ?? (isJsonObject(others) ? others : {});
}

/** The parameters that a call must have. */
export function requiredOf(tool: SyntaxTool): readonly string[] {
  const { required } = tool.inputSchema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Whether a call may have parameters that the tool does not name. */
export function allowsOtherParameters(tool: SyntaxTool): boolean {
  return tool.inputSchema["additionalProperties"] !== false;
}
