import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { fieldsWhere, withoutKeys } from "../shared/json-read.ts";

/** Returns the value under a key in camel case or with underscores. */
export function fieldOf(value: unknown, key: string): unknown {
  if (!isJsonObject(value)) return undefined;
  return value[key] ?? value[underscored(key)];
}

/** The keys that this code asks for, each with its form with underscores. */
const forms = new Map<string, string>();

function underscored(key: string): string {
  const known = forms.get(key);
  if (known !== undefined) return known;
  const form = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  forms.set(key, form);
  return form;
}

/** Returns the object under such a key, or undefined. */
export function objectField(value: unknown, key: string): JsonObject | undefined {
  const found = fieldOf(value, key);
  return isJsonObject(found) ? found : undefined;
}

/** Returns the list under such a key; empty when there is none. */
export function listField(value: unknown, key: string): readonly unknown[] {
  const found = fieldOf(value, key);
  return Array.isArray(found) ? found : [];
}

/** Returns the string under such a key, or undefined. */
export function textField(value: unknown, key: string): string | undefined {
  const found = fieldOf(value, key);
  return typeof found === "string" ? found : undefined;
}

/** One part of a message in this format. */
export type Part =
  | {
      readonly type: "text";
      readonly text: string;
      readonly thought: boolean;
      readonly signature: string | undefined;
      /** Fields that Heddle has no term for. */
      readonly rest: JsonObject;
    }
  | {
      readonly type: "call";
      readonly call: JsonObject;
      readonly signature: string | undefined;
      readonly rest: JsonObject;
    }
  | { readonly type: "other"; readonly raw: JsonObject };

/** Reads the keys by name, not by `fieldOf`: each event of a reply has a part. */
export function readPart(raw: JsonObject): Part {
  const signature = raw["thoughtSignature"] ?? raw["thought_signature"];
  const signed = typeof signature === "string" && signature !== "" ? signature : undefined;
  const call = raw["functionCall"] ?? raw["function_call"];
  if (isJsonObject(call)) return { type: "call", call, signature: signed, rest: fieldsWhere(raw, isBesideCall) };
  const { text } = raw;
  if (typeof text !== "string" && !hasOnlyMarks(raw)) return { type: "other", raw };
  const thought = raw["thought"] === true;
  const rest = fieldsWhere(raw, thought ? isBesideThought : isBesideText);
  return { type: "text", text: typeof text === "string" ? text : "", thought, signature: signed, rest };
}

function isBesideCall(key: string): boolean {
  return key !== "functionCall" && key !== "function_call" && !isSignature(key);
}

function isBesideText(key: string): boolean {
  return key !== "text" && !isSignature(key);
}

function isBesideThought(key: string): boolean {
  return key !== "thought" && isBesideText(key);
}

function isSignature(key: string): boolean {
  return key === "thoughtSignature" || key === "thought_signature";
}

function hasOnlyMarks(raw: JsonObject): boolean {
  return Object.keys(raw).every((key) => /^thought(?:_?signature)?$/iu.test(key));
}

/** The native extras of a part: its signature and the fields that Heddle has no term for. */
export function partExtras(part: { readonly signature: string | undefined; readonly rest: JsonObject }): JsonObject {
  return {
    ...(part.signature === undefined ? {} : { thoughtSignature: part.signature }),
    ...(Object.keys(part.rest).length === 0 ? {} : { part: part.rest }),
  };
}

/** The native extras of a call: those of its part, whether the model named it, and further fields of the call. */
export function callExtras(part: Extract<Part, { readonly type: "call" }>): JsonObject {
  const { call } = part;
  const rest = withoutKeys(call, "id", "name", "args", "partialArgs", "willContinue");
  return {
    ...partExtras(part),
    ...(textField(call, "id") === undefined ? {} : { callId: true }),
    ...(Object.keys(rest).length === 0 ? {} : { call: rest }),
  };
}
