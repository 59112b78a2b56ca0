import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
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
  const profile: JsonObject = {
    ...(request.system.trim() === "" ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
    ...(declarations.length === 0 ? {} : { tools: [{ functionDeclarations: declarations }] }),
    ...(declarations.length > 0 && request.toolChoice === "none"
      ? { toolConfig: { functionCallingConfig: { mode: "NONE" } } }
      : {}),
    generationConfig: {
      ...(request.maxTokens === null ? {} : { maxOutputTokens: request.maxTokens }),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...thinkingFields(request, compat),
    },
  };
  const written = { profile, opening: [], turns: encodeTurns(turns, compat) };
  return bodyOf(request, written, geminiFormat(request.model));
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
function encodeTurns(turns: readonly Turn[], compat: GeminiCompat): readonly JsonObject[] {
  const contents: { readonly role: "user" | "model"; readonly parts: readonly JsonObject[] }[] = [];
  const append = (role: "user" | "model", parts: readonly JsonObject[]): void => {
    if (parts.length > 0) contents.push({ role, parts });
  };
  for (const turn of turns) {
    switch (turn.type) {
      case "user":
        append("user", turn.content.map(encodeUserBlock));
        break;
      case "system":
        append("user", [{ text: systemUpdate(instructionText(turn)) }]);
        break;
      case "assistant": {
        const last = contents.at(-1);
        const before = last?.role === "model" ? last.parts : [];
        if (before.length > 0) contents.pop();
        append("model", [...before, ...encodeStep(turn.content, compat)]);
        append(
          "user",
          turn.results.map((result) => encodeResult(result, compat)),
        );
        if (!compat.resultParts) append("user", turn.results.flatMap(attachments));
        break;
      }
    }
  }
  return contents.map(({ role, parts }) => ({ role, parts }));
}

function encodeUserBlock(block: WireContentBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "image":
    case "file": {
      const { source, mediaType, native } = block;
      // The provider detects the media type of an address when none is given.
      const kind = mediaType.endsWith("/*") ? {} : { mimeType: mediaType };
      return source.type === "url"
        ? { fileData: { ...kind, fileUri: source.url }, ...native?.data }
        : { inlineData: { mimeType: mediaType, data: source.data }, ...native?.data };
    }
    case "opaque":
      return block.raw;
  }
}

/**
 * A reply as the model gave it, with each signature in its place. Calls without a signature get the sentinel, in older
 * turns too, so that what was sent once remains a prefix of what is sent next.
 */
function encodeStep(content: readonly AssistantWireBlock[], compat: GeminiCompat): readonly JsonObject[] {
  const first = content.find((block) => block.type === "tool-use");
  const said = content.filter(
    (block) =>
      (block.type !== "thinking" || block.text !== "" || block.signature !== undefined) &&
      // An empty text is sent only for its signature.
      (block.type !== "text" || block.text.trim() !== "" || block.native === undefined || isSigned(block.native.data)),
  );
  return said.map((block): JsonObject => {
    switch (block.type) {
      case "text":
        return { text: block.text, ...signatureOf(block.native?.data) };
      case "refusal":
        return { text: block.text };
      case "thinking":
        return {
          text: block.text,
          thought: true,
          ...(block.signature === undefined ? {} : { thoughtSignature: block.signature }),
        };
      case "opaque":
        return block.raw;
      case "tool-use": {
        const signed = signatureOf(block.native?.data);
        const unproven = compat.signedCalls && block === first && signed["thoughtSignature"] === undefined;
        return {
          functionCall: {
            ...(compat.callIds ? { id: block.wireId } : {}),
            name: block.name,
            args: block.parameters,
          },
          ...(unproven ? { thoughtSignature: foreignSignature } : signed),
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

function encodeResult(result: WireResult, compat: GeminiCompat): JsonObject {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const rest = result.content.filter((block) => block.type !== "text");
  const placeholder =
    rest.length > 0 && !compat.resultParts ? ["(Its content other than text follows in the next message.)"] : [];
  const said = [...texts, ...placeholder].join("\n\n");
  return {
    functionResponse: {
      ...(compat.callIds ? { id: result.wireId } : {}),
      name: result.name,
      response: ownResponse(result) ?? (result.isError ? { error: said } : { output: said }),
      ...(rest.length > 0 && compat.resultParts ? { parts: rest.map(encodeUserBlock) } : {}),
    },
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
