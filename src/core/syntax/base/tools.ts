import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { nearestWord } from "../../base/nearest-word.ts";
import type { ToolDefinition } from "../../model/request.ts";

/** A tool as a syntax knows it: its definition, whether it only reads, whether its calls are shown. */
export interface SyntaxTool extends ToolDefinition {
  /** Whether it only reads; absent means that it may write. */
  readonly access?: "read" | "write";
  /** Its calls run without being shown. */
  readonly hidden?: boolean;
}

/** The tools of a conversation, looked up by the names that models write. */
export class ToolTable {
  readonly #toolsByName: ReadonlyMap<string, SyntaxTool>;
  /** Built when a name matches no tool exactly. */
  #toolsByWireName: ReadonlyMap<string, SyntaxTool> | null = null;
  /** Built when a value holds what looks like a tag. */
  #parameters: ReadonlySet<string> | null = null;

  constructor(tools: readonly SyntaxTool[]) {
    this.#toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Finds a tool by name; dots and hyphens count as underscores, which some models and syntaxes write instead. */
  find(name: string): SyntaxTool | undefined {
    const found = this.#toolsByName.get(name);
    if (found !== undefined) return found;
    const tools = [...this.#toolsByName.values()];
    this.#toolsByWireName ??= new Map(tools.toReversed().map((tool) => [wireName(tool.name), tool]));
    return this.#toolsByWireName.get(wireName(name));
  }

  /** Whether any tool declares a parameter of this name. */
  isParameter(name: string): boolean {
    this.#parameters ??= new Set(
      [...this.#toolsByName.values()].flatMap((tool) => Object.keys(parametersOf(tool)).flatMap(withSingular)),
    );
    return this.#parameters.has(name);
  }

  /** Returns the message that a tool is unknown, with the available ones. */
  unknown(name: string): string {
    const names = [...this.#toolsByName.keys()];
    const nearest = nearestWord(name, names);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    const listed = names.length === 0 ? "There are no tools here." : `The tools are: ${names.join(", ")}.`;
    return `Unknown tool: ${name}.${hint} ${listed}`;
  }
}

/** A list's parameter, and the name of one of its elements. */
function withSingular(name: string): readonly string[] {
  return name.endsWith("s") ? [name, name.slice(0, -1)] : [name];
}

/** Returns a name of only letters, digits and underscores. */
export function wireName(name: string): string {
  return name.replaceAll(/[.-]/g, "_");
}

/** Returns the schema of each parameter. */
export function parametersOf(tool: SyntaxTool): JsonObject {
  const { properties } = tool.inputSchema;
  return isJsonObject(properties) ? properties : {};
}

/** Returns the schema of one parameter; undefined when the tool does not declare it. */
export function parameterSchema(tool: SyntaxTool, name: string): JsonObject | undefined {
  const properties = parametersOf(tool);
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(schema) ? schema : schema === true ? {} : undefined;
}

/** Returns the schema of a parameter, even of an undeclared one. */
export function parameterOrAnySchema(tool: SyntaxTool, name: string): JsonObject {
  const others = tool.inputSchema["additionalProperties"];
  return parameterSchema(tool, name) ?? (isJsonObject(others) ? others : {});
}

/** Returns the parameters that a call must have. */
export function requiredOf(tool: SyntaxTool): readonly string[] {
  const { required } = tool.inputSchema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Whether a call may have undeclared parameters. */
export function allowsOtherParameters(tool: SyntaxTool): boolean {
  return tool.inputSchema["additionalProperties"] !== false;
}
