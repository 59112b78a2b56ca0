import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { admitted, itemsOf, wanted } from "../call/coerce.ts";
import type { CallPolicy } from "../../forest/run-rules.ts";
import type { Syntax } from "../base/syntax.ts";
import { parametersOf, requiredOf, type SyntaxTool } from "../base/tools.ts";
import { writeCalls } from "./write-calls.ts";

/**
 * Returns the part of the system prompt that teaches a model to call tools in a syntax; empty for native calls and
 * without tools.
 */
export function promptSection(syntax: Syntax, tools: readonly SyntaxTool[], policy: CallPolicy): string {
  if (syntax.tier === "native" || tools.length === 0) return "";
  const opening = [`# Tools`, `${syntax.explanation} ${policyWords[policy]}`];
  return [...opening, ...tools.map((tool) => toolSection(syntax, tool))].join("\n\n");
}

const policyWords: Record<CallPolicy, string> = {
  "serial-one": "Make one call in a reply, at its end, and wait for the result.",
  smart:
    "Several calls that only read may follow each other in a reply; a call that changes something must be the only call, at the end of the reply. Then wait for the results.",
  "serial-all": "Several calls may follow each other in a reply; they run in their order. Then wait for the results.",
  parallel: "Several calls may follow each other in a reply; they run at the same time. Then wait for the results.",
};

/** Describes one tool: its purpose, its parameters with the required ones first, and an example in the syntax. */
function toolSection(syntax: Syntax, tool: SyntaxTool): string {
  const required = requiredOf(tool);
  const all = Object.entries(parametersOf(tool)).map(
    ([name, schema]) => [name, isJsonObject(schema) ? schema : {}] as const,
  );
  const ordered = [
    ...all.filter(([name]) => required.includes(name)),
    ...all.filter(([name]) => !required.includes(name)),
  ];
  const lines = ordered.map(([name, schema]) => parameterLine(name, schema, required.includes(name)));
  const parameters = Object.fromEntries(ordered.map(([name, schema]) => [name, sampleOf(name, schema)]));
  const example = writeCalls(syntax, [{ name: tool.name, parameters }], [tool]);
  return [
    `## ${tool.name}`,
    ...(tool.description === "" ? [] : [tool.description]),
    lines.length === 0 ? "No parameters." : `Parameters:\n${lines.join("\n")}`,
    ...(example.ok ? [`Usage:\n${example.value}`] : []),
  ].join("\n\n");
}

function parameterLine(name: string, schema: JsonObject, isRequired: boolean): string {
  const description =
    typeof schema["description"] === "string" ? schema["description"].replace(/^\(required\)\s*/i, "") : "";
  const mark = isRequired ? " (required)" : "";
  return `- ${name}${mark}: ${wanted(schema)}${description === "" ? "" : `. ${description}`}`;
}

const longTextNames = /^(?:content|text|body|patch|diff|code|new_text|old_text|message)$/;
const sampleDepthMax = 4;

/** Returns a sample value for an example. */
function sampleOf(name: string, schema: JsonObject, depth = 0): Json {
  const { types, byType } = admitted(schema);
  const choices = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  if (choices[0] !== undefined) return choices[0];
  if (types.has("string")) return longTextNames.test(name) ? "first line\nsecond line" : `the ${name}`;
  if (types.has("array")) {
    const element = depth < sampleDepthMax ? sampleOf(name.replace(/s$/, ""), itemsOf(schema), depth + 1) : null;
    return typeof element === "string" ? [`${element} 1`, `${element} 2`] : [element];
  }
  if (types.has("object") && depth < sampleDepthMax) {
    const properties = (byType.get("object") ?? []).map((one) => one["properties"]).find(isJsonObject);
    return Object.fromEntries(
      Object.entries(properties ?? {}).map(([key, field]) => [
        key,
        sampleOf(key, isJsonObject(field) ? field : {}, depth + 1),
      ]),
    );
  }
  if (types.has("integer") || types.has("number")) return 1;
  return types.has("boolean") ? true : null;
}
