import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { ThinkingBlock } from "../../../core/message/types.ts";
import { listAt, textAt } from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { chatApi } from "./api.ts";
import type { ChatCompat } from "./compat.ts";

/** The fields in which servers send thinking as text. */
const textFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/** The text of reasoning details; empty when they are encrypted. */
function detailText(details: readonly JsonObject[]): string {
  return details.map((detail) => textAt(detail, "text") ?? textAt(detail, "summary") ?? "").join("");
}

/** The thinking in a piece of a reply, or in a whole message. */
export function thoughtOf(message: unknown): { readonly text: string; readonly details: readonly JsonObject[] } {
  const details = listAt(message, "reasoning_details").filter(isJsonObject);
  // An empty field yields to another field with text.
  const text = textFields.map((field) => textAt(message, field) ?? "").find((said) => said !== "");
  return { text: text ?? detailText(details), details };
}

/** The text of a thinking part in a content list, as Mistral writes it. */
export function thoughtPart(part: unknown): string | undefined {
  if (textAt(part, "type") !== "thinking") return undefined;
  const pieces = listAt(part, "thinking").map((piece) => textAt(piece, "text") ?? "");
  return pieces.join("") + (textAt(part, "thinking") ?? "");
}

/** Reads the thinking of a message that a client sent back, with the fields that held it. */
export function readThinking(message: JsonObject, model: string): readonly ThinkingBlock[] {
  const { text, details } = thoughtOf(message);
  const fields = textFields.filter((field) => textAt(message, field) === text);
  const parts = listAt(message, "content").filter((part) => thoughtPart(part) !== undefined);
  const block = (said: string, data: JsonObject): ThinkingBlock => ({
    type: "thinking",
    text: said,
    ...nativeOf({ api: chatApi, model }, data),
  });
  return [
    ...(fields.length === 0 && details.length === 0
      ? []
      : [
          block(text, {
            fields,
            ...(details.length === 0 ? {} : { reasoning_details: details }),
          }),
        ]),
    ...parts.filter(isJsonObject).map((part) => block(thoughtPart(part) ?? "", { part })),
  ];
}

/** The fields of a message that `readThinking` read. */
export function fieldsOfThinking(blocks: readonly ThinkingBlock[]): readonly string[] {
  return blocks.flatMap(({ native }) => {
    const fields = listOf(native?.data["fields"]).filter((field) => typeof field === "string");
    return native?.data["reasoning_details"] === undefined ? fields : [...fields, "reasoning_details"];
  });
}

interface WrittenThinking {
  /** Parts before the text. */
  readonly content: readonly JsonObject[];
  /** Texts before the other texts. */
  readonly texts: readonly string[];
  readonly fields: JsonObject;
}

/** Writes a model's own earlier thinking: into its original field, else into the field that the server reads. */
export function writeThinking(blocks: readonly ThinkingBlock[], replay: ChatCompat["thinkingReplay"]): WrittenThinking {
  const places = blocks.map((block) => ({ text: block.text, asText: false, ...placeOf(block, replay) }));
  const texts = new Map<string, string>();
  for (const { text, fields } of places) {
    for (const field of fields) {
      const before = texts.get(field);
      texts.set(field, before === undefined ? text : `${before}\n\n${text}`);
    }
  }
  const details = places.flatMap((place) => place.details);
  return {
    content: places.flatMap((place) => place.parts),
    texts: places.flatMap((place) => (place.asText && place.text !== "" ? [place.text] : [])),
    fields: { ...Object.fromEntries(texts), ...(details.length === 0 ? {} : { reasoning_details: details }) },
  };
}

interface Place {
  readonly asText?: true;
  readonly parts: readonly JsonObject[];
  readonly fields: readonly string[];
  readonly details: readonly Json[];
}

function placeOf(block: ThinkingBlock, replay: ChatCompat["thinkingReplay"]): Place {
  const data = block.native?.data;
  const part = data?.["part"];
  if (isJsonObject(part)) return { parts: [part], fields: [], details: [] };
  const details = listOf(data?.["reasoning_details"]);
  const named = data?.["fields"];
  if (Array.isArray(named)) return { parts: [], fields: named.filter((field) => typeof field === "string"), details };
  switch (replay) {
    case "none":
      return { parts: [], fields: [], details: [] };
    case "text":
      return { asText: true, parts: [], fields: [], details: [] };
    case "content":
      return {
        parts: [{ type: "thinking", thinking: [{ type: "text", text: block.text }] }],
        fields: [],
        details: [],
      };
    case "reasoning_details":
      // Encrypted details must be sent back unchanged; the text beside them adds nothing.
      return { parts: [], fields: details.length === 0 && block.text !== "" ? ["reasoning"] : [], details };
    case "reasoning_content":
    case "reasoning":
      return { parts: [], fields: block.text === "" ? [] : [replay], details };
  }
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
