import { textAt } from "../../adapters/providers/shared/json-read.ts";
import { fieldOf, listField, objectField, textField } from "../../adapters/providers/gemini/part.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { requestFault, toolSchemaFault } from "./published-schema.ts";
import { geminiError, type WireError } from "./wire-error.ts";

/** Returns the error with which the generateContent API refuses a request to a model; null when it would accept it. */
export function geminiFault(body: unknown, model: string): WireError | null {
  const message = faultText(body, model);
  return message === null ? null : geminiError(400, "INVALID_ARGUMENT", message);
}

const knownKeys: ReadonlySet<string> = new Set(
  "contents,systemInstruction,tools,toolConfig,generationConfig,safetySettings,cachedContent,labels,modelArmorConfig,store".split(
    ",",
  ),
);

function faultText(body: unknown, model: string): string | null {
  if (!isJsonObject(body)) return "Invalid JSON payload received.";
  for (const key of Object.keys(body)) {
    const camel = key.replaceAll(/_([a-z])/gu, (_whole, letter: string) => letter.toUpperCase());
    if (!knownKeys.has(camel)) return `Invalid JSON payload received. Unknown name "${key}": Cannot find field.`;
  }
  const contents = listField(body, "contents");
  if (contents.length === 0) return "* GenerateContentRequest.contents: contents is not specified\n";
  const fault = requestFault("gemini", body);
  if (fault !== null) return `Invalid value at '${fault.at}': ${fault.problem}`;
  return (
    toolFault(body) ??
    contentsFault(contents) ??
    turnsFault(contents.filter(isJsonObject)) ??
    signatureFault(contents.filter(isJsonObject), model) ??
    endFault(contents)
  );
}

function toolFault(body: JsonObject): string | null {
  for (const [at, tool] of listField(body, "tools").entries()) {
    for (const [place, declaration] of listField(tool, "functionDeclarations").entries()) {
      const name = textAt(declaration, "name") ?? "";
      if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)) {
        return `* GenerateContentRequest.tools[${at}].function_declarations[${place}].name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n`;
      }
      const schema = objectField(declaration, "parametersJsonSchema");
      const where = `GenerateContentRequest.tools[${at}].function_declarations[${place}].parameters_json_schema`;
      const fault = schema === undefined ? null : toolSchemaFault(schema, where);
      if (fault !== null) return `* ${fault.at}: ${fault.problem}\n`;
    }
  }
  return null;
}

function contentsFault(contents: readonly unknown[]): string | null {
  for (const [at, content] of contents.entries()) {
    const role = textAt(content, "role") ?? "user";
    if (role !== "user" && role !== "model" && role !== "function") return "Please use a valid role: user, model.";
    const parts = listField(content, "parts");
    if (parts.length === 0)
      return `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`;
    for (const [place, part] of parts.entries()) {
      const fault = partFault(part, `GenerateContentRequest.contents[${at}].parts[${place}]`);
      if (fault !== null) return fault;
    }
  }
  return null;
}

const dataKeys = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

function partFault(part: unknown, where: string): string | null {
  const held = dataKeys.filter((key) => fieldOf(part, key) !== undefined);
  const signed = textField(part, "thoughtSignature") !== undefined;
  if (held.length === 0 && !signed)
    return `* ${where}.data: required oneof field 'data' must have one initialized field\n`;
  if (held.length > 1) return `Invalid value at '${where}' (oneof), oneof field 'data' is already set.`;
  const text = textField(part, "text");
  if (text !== undefined && text.trim() === "" && !signed)
    return "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.";
  const response = objectField(part, "functionResponse");
  if (response === undefined) return null;
  if ((textField(response, "name") ?? "") === "") return `* ${where}.function_response.name: Name cannot be empty.\n`;
  return objectField(response, "response") === undefined
    ? `Invalid value at '${where}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`
    : null;
}

function partsOf(content: JsonObject): readonly JsonObject[] {
  return listField(content, "parts").filter(isJsonObject);
}

function inside(content: JsonObject, key: string): readonly JsonObject[] {
  return partsOf(content)
    .map((part) => objectField(part, key))
    .filter((held) => held !== undefined);
}

/** The results of a turn come right after it in one message, one for each call; TR3 also requires their order. */
function turnsFault(contents: readonly JsonObject[]): string | null {
  let open: readonly JsonObject[] = [];
  let before: unknown;
  for (const content of contents) {
    const role = content["role"];
    const calls = inside(content, "functionCall");
    const results = inside(content, "functionResponse");
    // The API reads adjacent messages of the model as one.
    const continues = role === "model" && before === "model";
    if (!continues && results.length !== open.length) {
      return open.length === 0
        ? "Please ensure that function response turn comes immediately after a function call turn."
        : countFault;
    }
    if (!continues && !results.every((result, place) => answers(result, open[place])))
      return "Please ensure that the function responses are in the order of their function calls, with the same names and ids.";
    if (calls.length > 0 && before === undefined)
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    open = continues ? open.concat(calls) : calls;
    before = role;
  }
  return open.length === 0 ? null : countFault;
}

const countFault =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

function answers(result: JsonObject, call: JsonObject | undefined): boolean {
  const [asked, given] = [textField(call, "id"), textField(result, "id")];
  return textField(result, "name") === textField(call, "name") && (asked === undefined || asked === given);
}

/** Gemini 3 checks the first call of each step back to the last message of a person. */
function signatureFault(contents: readonly JsonObject[], model: string): string | null {
  const version = /gemini-(\d+)/.exec(model);
  if (version === null || Number(version[1]) < 3) return null;
  const began = contents.findLastIndex(
    (content) => content["role"] !== "model" && inside(content, "functionResponse").length === 0,
  );
  for (const [at, content] of contents.entries()) {
    if (at < began) continue;
    const call = partsOf(content).find((part) => objectField(part, "functionCall") !== undefined);
    if (call === undefined || textField(call, "thoughtSignature") !== undefined) continue;
    const name = textField(objectField(call, "functionCall"), "name") ?? "";
    return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`, position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
  }
  return null;
}

function endFault(contents: readonly unknown[]): string | null {
  return textAt(contents.at(-1), "role") === "model"
    ? "Requests ending with a model turn are not supported. Please ensure that the conversation ends with a user turn or a function response turn."
    : null;
}
