import { listAt, textAt } from "../../adapters/providers/shared/json-read.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { requestFault, toolSchemaFault } from "./published-schema.ts";
import { interactionsError, type WireError } from "./wire-error.ts";

/** Returns the error with which the Interactions API refuses a request without state; null when it would accept it. */
export function interactionsFault(body: unknown): WireError | null {
  const message = faultText(body);
  return message === null ? null : interactionsError(400, "invalid_request", message);
}

const knownKeys: ReadonlySet<string> = new Set(
  "model,input,system_instruction,tools,generation_config,response_format,response_mime_type,response_modalities,safety_settings,cached_content,labels,service_tier,store,stream,background,previous_interaction_id".split(
    ",",
  ),
);

function faultText(body: unknown): string | null {
  if (!isJsonObject(body)) return "Invalid JSON payload received.";
  for (const key of Object.keys(body)) if (!knownKeys.has(key)) return `Unknown parameter '${key}'.`;
  const fault = requestFault("interactions", body);
  if (fault !== null) return `Invalid value at '${fault.at}': ${fault.problem}`;
  const { input } = body;
  if (typeof input === "string") return input === "" ? "Invalid input: 'input' must not be empty." : null;
  const steps = Array.isArray(input) ? input.filter(isJsonObject) : [];
  if (steps.length === 0 || steps.length !== listAt(body, "input").length)
    return "Invalid input: 'input' must be a text or a list of steps.";
  return (
    toolFault(body) ?? stepsFault(steps) ?? orderFault(steps) ?? signatureFault(steps, textAt(body, "model") ?? "")
  );
}

function toolFault(body: JsonObject): string | null {
  for (const [at, tool] of listAt(body, "tools").entries()) {
    if (textAt(tool, "type") !== "function") continue;
    const name = textAt(tool, "name") ?? "";
    if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name))
      return `Invalid value at 'tools[${at}].name': Invalid function name. Must start with a letter or an underscore, with a maximum length of 64.`;
    const schema = isJsonObject(tool) ? tool["parameters"] : undefined;
    const fault = schema === undefined ? null : toolSchemaFault(schema, `tools[${at}].parameters`);
    if (fault !== null) return `Invalid value at '${fault.at}': ${fault.problem}`;
  }
  return null;
}

const stepTypes =
  /^(?:user_input|model_output|thought|function_(?:call|result)|(?:google_search|google_maps|code_execution|url_context|file_search|mcp_server_tool|retrieval|processing)_(?:call|result))$/;
const contentTypes = /^(?:text|image|audio|video|document)$/;

function stepsFault(steps: readonly JsonObject[]): string | null {
  for (const [at, step] of steps.entries()) {
    const type = textAt(step, "type") ?? "";
    const where = `input[${at}]`;
    if (!stepTypes.test(type)) return `Invalid value at '${where}.type': "${type}" is not a step.`;
    const fault = stepFault(step, type, where);
    if (fault !== null) return fault;
  }
  return null;
}

function stepFault(step: JsonObject, type: string, where: string): string | null {
  switch (type) {
    case "user_input":
    case "model_output":
      return contentFault(listAt(step, "content"), `${where}.content`);
    case "thought":
      return step["summary"] === undefined || listAt(step, "summary").length > 0
        ? null
        : `Invalid value at '${where}.summary': must not be empty.`;
    case "function_call":
      if ((textAt(step, "id") ?? "") === "") return `Missing required field '${where}.id'.`;
      if ((textAt(step, "name") ?? "") === "") return `Missing required field '${where}.name'.`;
      return isJsonObject(step["arguments"]) ? null : `Invalid value at '${where}.arguments': must be an object.`;
    case "function_result": {
      const { result } = step;
      if ((textAt(step, "call_id") ?? "") === "") return `Missing required field '${where}.call_id'.`;
      if (result === undefined || result === null) return `Missing required field '${where}.result'.`;
      return Array.isArray(result) ? contentFault(result, `${where}.result`) : null;
    }
    default:
      return null;
  }
}

function contentFault(content: readonly unknown[], where: string): string | null {
  if (content.length === 0) return `Invalid input at '${where}': must not be empty.`;
  for (const [at, part] of content.entries()) {
    const type = textAt(part, "type") ?? "";
    if (!contentTypes.test(type)) return `Invalid value at '${where}[${at}].type': "${type}" is not a content.`;
    if (type === "text" && (textAt(part, "text") ?? "").trim() === "")
      return `Invalid input at '${where}[${at}].text': must not be empty.`;
    if (type !== "text" && textAt(part, "data") === undefined && textAt(part, "uri") === undefined)
      return `Invalid input at '${where}[${at}]': one of 'data' and 'uri' is required.`;
  }
  return null;
}

/** Every call is answered before anything else is said, in the order of the calls (TR3), and the end is not the model's. */
function orderFault(steps: readonly JsonObject[]): string | null {
  let open: readonly JsonObject[] = [];
  let answered = 0;
  const ids = new Set<string>();
  for (const [at, step] of steps.entries()) {
    const type = textAt(step, "type");
    if (type === "function_result") {
      const call = open[answered];
      if (call === undefined || textAt(step, "call_id") !== textAt(call, "id"))
        return `Invalid input at 'input[${at}]': no tool call found for function call output with call_id ${textAt(step, "call_id") ?? ""} here.`;
      if (step["name"] !== undefined && textAt(step, "name") !== textAt(call, "name"))
        return `Invalid input at 'input[${at}].name': the call is one of ${textAt(call, "name") ?? ""}.`;
      answered += 1;
      continue;
    }
    if (answered > 0 || type === "user_input") {
      if (answered < open.length) return unanswered(open[answered]);
      open = [];
      answered = 0;
    }
    if (type !== "function_call") continue;
    const id = textAt(step, "id") ?? "";
    if (ids.has(id)) return `Invalid input at 'input[${at}].id': function call ids must be unique.`;
    ids.add(id);
    open = [...open, step];
  }
  if (answered < open.length) return unanswered(open[answered]);
  const last = textAt(steps.at(-1), "type");
  return last === "user_input" || last === "function_result"
    ? null
    : "Requests ending with a model turn are not supported. The last step must be a user_input or a function_result.";
}

function unanswered(call: JsonObject | undefined): string {
  return `No tool output found for function call ${textAt(call, "id") ?? ""}.`;
}

/** Gemini 3 wants each group of calls since the last message of a person proven: by its own signature or its thought's. */
function signatureFault(steps: readonly JsonObject[], model: string): string | null {
  const version = /gemini-(\d+)/.exec(model);
  if (version === null || Number(version[1]) < 3) return null;
  const began = steps.findLastIndex((step) => step["type"] === "user_input");
  let proven = false;
  let inCalls = false;
  for (const [at, step] of steps.entries()) {
    if (at < began) continue;
    const isCall = step["type"] === "function_call";
    const signed = (textAt(step, "signature") ?? "") !== "";
    if (step["type"] === "function_result") proven = false;
    else if (signed) proven = true;
    if (isCall && !inCalls && !proven)
      return `Function call is missing a thought_signature in 'input[${at}]'. Send the signature of the call or of its thought back as it came.`;
    inCalls = isCall;
  }
  return null;
}
