import * as v from "valibot";
import type { BlockId, HunkId, NodeId, RequestId, RootId, RunId, ToolCallId, TurnId } from "../base/ids.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { completionsMax } from "../turn/settings.ts";
import { callIdUnitsMax, labelUnitsMax, replyTokensMax, titleUnitsMax } from "./limits.ts";

/** The form of an id from outside: opaque, but bounded and of harmless characters. */
export const idForm = /^[A-Za-z0-9_.:/-]{1,200}$/;
const idWords = "an id: 1 to 200 letters, digits and _ . : / -";
/** The form of a request's id, which the client makes. */
export const requestIdForm = /^[A-Za-z0-9_-]{1,64}$/;

function id<Id extends string>() {
  return v.pipe(
    v.string(),
    v.regex(idForm, idWords),
    v.transform((text) => text as Id),
  );
}

export const blockId = id<BlockId>();
export const rootId = id<RootId>();
export const nodeId = id<NodeId>();
export const runId = id<RunId>();
export const turnId = id<TurnId>();
export const ruleId = v.pipe(v.string(), v.regex(idForm, idWords));
/** Providers make these, of whatever signs they like; it is only compared with those that are there. */
export const toolCallId = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(callIdUnitsMax),
  v.transform((text) => text as ToolCallId),
);
/** SHA-256 in hex digits. */
export const argumentsHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "a SHA-256 in 64 hex digits"));
export const hunkId = id<HunkId>();
/** Made by the client, so shorter; kept by the server to recognise a repetition. */
export const requestId = v.pipe(
  v.string(),
  v.regex(requestIdForm, "1 to 64 letters, digits and _ -"),
  v.transform((text) => text as RequestId),
);

/** A position in a feed or a version: a whole number from 0 up that JSON carries exactly; minus zero is none. */
export const count = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.check((number) => !Object.is(number, -0)),
);

/** What is stored and told as text has no half of a surrogate pair. */
export const wholeCharacters = v.check((text: string) => text.isWellFormed(), "half a character");

export const title = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(titleUnitsMax), wholeCharacters);

export const label = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(labelUnitsMax), wholeCharacters);

/** How many replies are asked for side by side. */
export const completions = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(completionsMax));
export const temperature = v.pipe(v.number(), v.minValue(0), v.maxValue(2));
export const maxTokens = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(replyTokensMax));

const bound = v.pipe(v.number(), v.safeInteger());

/** What a conversation may use up; an empty one has no bounds at all. */
export const budget = v.strictObject({
  tokens: v.exactOptional(v.pipe(bound, v.minValue(1))),
  dollars: v.exactOptional(v.pipe(v.number(), v.finite(), v.gtValue(0))),
  steps: v.exactOptional(v.pipe(bound, v.minValue(1))),
  subAgents: v.exactOptional(v.pipe(bound, v.minValue(0))),
});

/** An object of somebody else's, kept as it is; how large and deep it may be is judged where frames and bodies are read. */
export const jsonObject = v.custom<JsonObject>(isJsonObject, "a JSON object");

/** Text to be stored: whole characters only. */
export function textUpTo(unitsMax: number) {
  return v.pipe(v.string(), v.maxLength(unitsMax), wholeCharacters);
}

/** A model as `provider/model`. */
export const modelId = v.pipe(v.string(), v.regex(/^[^\s/]{1,100}\/\S{1,200}$/, "a model as provider/model"));

/** Names a tool-call syntax; which there are, the host knows. */
export const toolSyntax = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "the name of a syntax"));

/** Where a cursor stands in a text, as UTF-16 offsets; null for nowhere. */
export const selection = v.nullable(v.object({ anchor: count, head: count }));

/** Of a command that takes none. */
export const emptyParams = v.object({});
