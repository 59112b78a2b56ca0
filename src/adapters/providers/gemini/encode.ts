import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { ServerTool } from "../../../core/model/server-tool.ts";
import { withoutKeys } from "../shared/json-read.ts";
import { bodyOf, isSameFormat, ownIds, type RequestFormat } from "../shared/profile.ts";
import {
  type AssistantWireBlock,
  instructionText,
  plainWireId,
  projectPath,
  type Turn,
  type WireContentBlock,
  type WireResult,
} from "../shared/project.ts";
import { systemUpdate } from "../shared/system-update.ts";
import { fieldsOf } from "../shared/wire-shape.ts";
import { geminiApi } from "./api.ts";
import type { GeminiCompat } from "./compat.ts";
import { decodeRequest } from "./decode-request.ts";
import { foreignSignature } from "./signature.ts";

/** The format of requests to one model; the body does not name the model. */
function geminiFormat(model: string): RequestFormat {
  return {
    api: geminiApi,
    path: "contents",
    terms: [
      "systemInstruction",
      "tools",
      "generationConfig.maxOutputTokens",
      "generationConfig.temperature",
      "generationConfig.thinkingConfig",
    ],
    read: (body) => decodeRequest(body, { model, stream: false }).request,
  };
}

/** Encodes a request as a body of `POST /v1beta/models/…:generateContent`, streamed or not. */
export function encodeRequest(request: ModelRequest, compat: GeminiCompat): JsonObject {
  const turns = projectPath(request.messages, {
    api: geminiApi,
    model: request.model,
    wireId: ownIds(request, geminiApi) ?? plainWireId,
    resumesPauses: false,
    signedEmptyTexts: true,
    opensWithUser: true,
    fromSameFormat: isSameFormat(request, geminiApi),
    images: compat.images,
  });
  const declarations = request.tools.map((tool) => ({
    name: tool.name,
    ...(tool.description === "" ? {} : { description: tool.description }),
    parametersJsonSchema: tool.inputSchema,
  }));
  const own = compat.serverTools ? (request.serverTools ?? []).map(encodeServerTool) : [];
  const tools = [...(declarations.length === 0 ? [] : [{ functionDeclarations: declarations }]), ...own];
  const toolConfig = {
    ...(declarations.length > 0 && request.toolChoice === "none" ? { functionCallingConfig: { mode: "NONE" } } : {}),
    // Without it the API refuses its own tools beside functions.
    ...(own.length > 0 && declarations.length > 0 ? { includeServerSideToolInvocations: true } : {}),
  };
  const profile: JsonObject = {
    ...(request.system.trim() === "" ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(Object.keys(toolConfig).length === 0 ? {} : { toolConfig }),
    generationConfig: {
      ...(request.maxTokens === null ? {} : { maxOutputTokens: request.maxTokens }),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...thinkingFields(request, compat),
      ...(request.outputSchema === undefined
        ? {}
        : { responseMimeType: "application/json", responseJsonSchema: request.outputSchema }),
    },
  };
  const exact = isSameFormat(request, geminiApi);
  const written = { profile, opening: [], turns: encodeTurns(turns, { ...compat, exact }) };
  return bodyOf(request, written, geminiFormat(request.model));
}

function encodeServerTool({ kind, stores }: ServerTool): JsonObject {
  switch (kind) {
    case "web-search":
      return { googleSearch: {} };
    case "code-execution":
      return { codeExecution: {} };
    case "url-context":
      return { urlContext: {} };
    case "file-search":
      return { fileSearch: { fileSearchStoreNames: stores } };
  }
}

const thinkingBudgets = { low: 2048, medium: 8192, high: 16_384 } as const;

function thinkingFields(request: ModelRequest, compat: GeminiCompat): JsonObject {
  const off = request.thinking === "off";
  switch (compat.thinking) {
    case "none":
      return {};
    case "level":
      return {
        thinkingConfig: { includeThoughts: !off, thinkingLevel: off ? compat.leastLevel : request.thinking },
      };
    case "budget":
      return {
        thinkingConfig: {
          includeThoughts: !off,
          thinkingBudget: request.thinking === "off" ? compat.leastBudget : thinkingBudgets[request.thinking],
        },
      };
  }
}

/**
 * The results of a reply are alone in one message, in the order of its calls, since the provider counts its parts. Adjacent
 * replies are joined, since a call must directly follow a person's or a tool's message.
 */
function encodeTurns(turns: readonly Turn[], compat: Facts): readonly JsonObject[] {
  const contents: WireContent[] = [];
  const append = (role: WireContent["role"], parts: readonly JsonObject[], shape?: JsonObject): void => {
    const last = contents.at(-1);
    if (parts.length === 0) return;
    if (shape?.["joins"] === true && last?.role === role)
      contents[contents.length - 1] = { ...last, parts: [...last.parts, ...parts] };
    else contents.push({ role, parts, fields: fieldsOf(shape) });
  };
  for (const turn of turns) {
    switch (turn.type) {
      case "user":
        append("user", turn.content.map(encodeUserBlock), turn.extras);
        break;
      case "system":
        append("user", [{ text: systemUpdate(instructionText(turn)) }], turn.extras);
        break;
      case "assistant": {
        const last = contents.at(-1);
        const before = last?.role === "model" ? last.parts : [];
        if (before.length > 0) contents.pop();
        append("model", [...before, ...encodeStep(turn.content, compat)], turn.extras);
        const calls = turn.content.filter((block) => block.type === "tool-use");
        for (const [at, result] of turn.results.entries()) {
          const isNamed = calls[at]?.native?.data["callId"] === true;
          // A client that answers the calls in several messages is followed.
          const joins = at > 0 && (!compat.exact || result.extras?.["apart"] !== true);
          append("user", [encodeResult(result, compat, isNamed)], joins ? { joins } : result.extras);
        }
        if (!compat.resultParts && !compat.exact) append("user", turn.results.flatMap(attachments));
        break;
      }
    }
  }
  return contents.map(({ role, parts, fields }) => ({ role, parts, ...fields }));
}

interface WireContent {
  readonly role: "user" | "model";
  readonly parts: readonly JsonObject[];
  readonly fields: JsonObject;
}

/** The facts of the model; `exact` where the request came from a client of the format, and goes out as it came. */
type Facts = GeminiCompat & { readonly exact: boolean };

function encodeUserBlock(block: WireContentBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { text: block.text, ...withoutKeys(block.native?.data ?? {}, "response") };
    case "image":
    case "file": {
      const { source, mediaType, native } = block;
      const { media: _inner, ...rest } = native?.data ?? {};
      const named = fieldsOf(native?.data, "media");
      // The provider detects the media type of an address when none is given.
      const kind = mediaType.endsWith("/*") ? {} : { mimeType: mediaType };
      return source.type === "url"
        ? { fileData: { ...kind, fileUri: source.url, ...named }, ...rest }
        : { inlineData: { mimeType: mediaType, data: source.data, ...named }, ...rest };
    }
    case "opaque":
      return block.raw;
  }
}

/**
 * A reply as the model gave it, with each signature in its place. Calls without a signature get the sentinel, in older
 * turns too, so that what was sent once remains a prefix of what is sent next.
 */
function encodeStep(content: readonly AssistantWireBlock[], compat: Facts): readonly JsonObject[] {
  const first = content.find((block) => block.type === "tool-use");
  const said = content.filter(
    (block) =>
      (block.type !== "thinking" || block.text !== "" || block.signature !== undefined) &&
      // An empty text is sent only for its signature.
      (block.type !== "text" ||
        compat.exact ||
        block.text.trim() !== "" ||
        block.native === undefined ||
        isSigned(block.native.data)),
  );
  return said.map((block): JsonObject => {
    switch (block.type) {
      case "text":
        return { text: block.text, ...signatureOf(block.native?.data), ...fieldsOf(block.native?.data, "part") };
      case "refusal":
        return { text: block.text };
      case "thinking":
        return {
          text: block.text,
          thought: true,
          ...(block.signature === undefined ? {} : { thoughtSignature: block.signature }),
          ...fieldsOf(block.native?.data, "part"),
        };
      case "opaque":
        return block.raw;
      case "tool-use": {
        const signed = signatureOf(block.native?.data);
        const unproven =
          compat.signedCalls && !compat.exact && block === first && signed["thoughtSignature"] === undefined;
        const isNamed = block.native?.data["callId"] === true || (compat.callIds && !compat.exact);
        return {
          functionCall: {
            ...(isNamed ? { id: block.wireId } : {}),
            name: block.name,
            args: block.parameters,
            ...fieldsOf(block.native?.data, "call"),
          },
          ...(unproven ? { thoughtSignature: foreignSignature } : signed),
          ...fieldsOf(block.native?.data, "part"),
        };
      }
    }
  });
}

function isSigned(data: JsonObject): boolean {
  return typeof data["thoughtSignature"] === "string";
}

function signatureOf(data: JsonObject | undefined): JsonObject {
  const signature: Json | undefined = data?.["thoughtSignature"];
  return typeof signature === "string" ? { thoughtSignature: signature } : {};
}

function encodeResult(result: WireResult, compat: Facts, isNamed: boolean): JsonObject {
  const own = result.extras;
  const withId = own?.["callId"] === true || (!compat.exact && (compat.callIds || isNamed));
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const rest = result.content.filter((block) => block.type !== "text");
  const inResult = compat.resultParts || compat.exact;
  const placeholder =
    rest.length > 0 && !inResult ? ["(Its content other than text follows in the next message.)"] : [];
  const said = [...texts, ...placeholder].join("\n\n");
  return {
    functionResponse: {
      ...(withId ? { id: result.wireId } : {}),
      name: result.name,
      response: ownResponse(result) ?? (result.isError ? { error: said } : { output: said }),
      ...(rest.length > 0 && inResult ? { parts: rest.map(encodeUserBlock) } : {}),
      ...fieldsOf(own, "result"),
    },
    ...fieldsOf(own, "part"),
  };
}

/** The result object from a client of this format. */
function ownResponse(result: WireResult): JsonObject | undefined {
  const [first] = result.content;
  const given = first?.type === "text" ? first.native?.data["response"] : undefined;
  return isJsonObject(given) ? given : undefined;
}

/** The content that a result of an older model cannot carry. */
function attachments(result: WireResult): readonly JsonObject[] {
  const list = result.content.filter((block) => block.type !== "text");
  return list.length === 0 ? [] : [{ text: `Attachments from ${result.name}:` }, ...list.map(encodeUserBlock)];
}
