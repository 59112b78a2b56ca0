import * as v from "valibot";
import type {
  BlockId,
  DraftId,
  FolderId,
  HunkId,
  NodeId,
  RequestId,
  RootId,
  RunId,
  ToolCallId,
  TrashId,
  TurnId,
} from "../../base/ids.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { compactAtMax, compactAtMin } from "../../forest/run-rules.ts";
import { completionsMax } from "../../turn/state/settings.ts";
import { callIdUnitsMax, labelUnitsMax, outputSchemaUnitsMax, replyTokensMax, titleUnitsMax } from "./limits.ts";

/** The form of a received id: opaque, but bounded and of harmless characters. */
export const idForm = /^[A-Za-z0-9_.:/-]{1,200}$/;
const idWords = "an id: 1 to 200 letters, digits and _ . : / -";
/** The form of a request id, which the client makes. */
export const requestIdForm = /^[A-Za-z0-9_-]{1,64}$/;

/** An id in a request. */
export function idOf<Id extends string>(description: string, example: string) {
  return v.pipe(
    v.string(),
    v.regex(idForm, idWords),
    v.description(description),
    v.examples([example]),
    v.transform((text) => text as Id),
  );
}

export const blockId = idOf<BlockId>("Id of a block.", "doc_1/1/1");
export const canvasId = idOf<BlockId>("Id of a canvas.", "doc_1/1/1");
export const folderId = idOf<FolderId>("Id of a folder.", "folder_01");
export const rootId = idOf<RootId>("Id of a conversation.", "root_01");
export const nodeId = idOf<NodeId>("Id of a message.", "node_01");
export const runId = idOf<RunId>("Id of a run.", "run_01");
export const turnId = idOf<TurnId>("Id of an agent's turn.", "turn_01");
export const trashId = idOf<TrashId>("Id of an entry of the trash.", "trash_01");
export const ruleId = v.pipe(
  v.string(),
  v.regex(idForm, idWords),
  v.description("Id of an approval rule."),
  v.examples(["rule_01"]),
);
/** Providers make these from any characters; they are only compared with existing ids. */
export const toolCallId = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(callIdUnitsMax),
  v.description("Id of a tool call, as the model's provider made it."),
  v.examples(["toolu_01"]),
  v.transform((text) => text as ToolCallId),
);
/** SHA-256 in hex digits. */
export const sha256 = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, "a SHA-256 in 64 hex digits"),
  v.description("SHA-256 in 64 hex digits."),
  v.examples(["2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"]),
);
export const draftId = idOf<DraftId>("Id of a draft.", "draft_01");
export const hunkId = idOf<HunkId>("Id of a suggested hunk.", "sug_01.1");
/** Made by the client, so shorter; the server stores it to recognise repeats. */
export const requestId = v.pipe(
  v.string(),
  v.regex(requestIdForm, "1 to 64 letters, digits and _ -"),
  v.description("Made by the client. A request repeated with this id takes effect once and gets the same answer."),
  v.examples(["request-1"]),
  v.transform((text) => text as RequestId),
);

/** An address of a server; a name or a password in it would be shown to people. */
export const addressForm = /^https?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/iu;

/** A position in a feed or a version: a whole number from 0 that JSON represents exactly; minus zero is refused. */
export const count = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.check((number) => !Object.is(number, -0)),
);

/** Text that is stored or sent has no half of a surrogate pair. */
export const wholeCharacters = v.check((text: string) => text.isWellFormed(), "whole characters");

export const title = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(titleUnitsMax),
  wholeCharacters,
  v.description("A title."),
  v.examples(["Notes of today"]),
);

export const label = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(labelUnitsMax),
  wholeCharacters,
  v.examples(["good"]),
);

/** How many replies are requested side by side. */
export const completions = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.maxValue(completionsMax),
  v.description("How many replies to request side by side, each in a run of its own."),
);
export const temperature = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(2),
  v.description("Sampling temperature of the reply."),
  v.examples([0.7]),
);
export const maxTokens = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.maxValue(replyTokensMax),
  v.description("Maximum tokens of the reply."),
  v.examples([1024]),
);

const bound = v.pipe(v.number(), v.safeInteger());

/** What a conversation may use; an empty budget has no limits. */
export const budget = v.pipe(
  v.strictObject({
    tokens: v.exactOptional(v.pipe(bound, v.minValue(1), v.description("Input and output tokens."))),
    dollars: v.exactOptional(v.pipe(v.number(), v.finite(), v.gtValue(0), v.description("US dollars."))),
    steps: v.exactOptional(v.pipe(bound, v.minValue(1), v.description("Requests to models in one turn."))),
    subAgents: v.exactOptional(v.pipe(bound, v.minValue(0), v.description("Sub-agents in one turn."))),
  }),
  v.description("What a conversation and its sub-agents may use; a field left out has no limit."),
);

/** A model as `provider/model`. */
export const modelId = v.pipe(
  v.string(),
  v.regex(/^[^\s/]{1,100}\/\S{1,200}$/, "a model as provider/model"),
  v.description("A model, as `provider/model`."),
  v.examples(["anthropic/claude-sonnet-4-5"]),
);

/** When branches are summed up, and by which model. */
export const compaction = v.strictObject({
  at: v.exactOptional(
    v.pipe(
      v.union([
        v.pipe(v.number(), v.safeInteger(), v.minValue(compactAtMin), v.maxValue(compactAtMax)),
        v.literal("off"),
      ]),
      v.description("Percent of the model's window, 50 to 95, from which on a branch is summed up; off for never."),
      v.examples([80]),
    ),
  ),
  model: v.exactOptional(modelId),
});

/** A client's object, stored as it is; its size and depth are limited where frames and bodies are read. */
export const jsonObject = v.custom<JsonObject>(isJsonObject, "a JSON object");

/** The schema of an answer; the provider is asked for it, and whoever asked checks it. */
export const outputSchema = v.pipe(
  jsonObject,
  v.check(({ type }) => type === "object", "a JSON Schema of type object"),
  v.check((schema) => JSON.stringify(schema).length <= outputSchemaUnitsMax, "a schema of at most 100,000 characters"),
  v.description("JSON Schema of type object that the whole text of the answer must fit."),
  v.examples([{ type: "object", properties: { city: { type: "string" } }, required: ["city"] }]),
);

/** Text to be stored, without half characters. */
export function textUpTo(unitsMax: number) {
  return v.pipe(v.string(), v.maxLength(unitsMax), wholeCharacters);
}

/** The name of a tool-call syntax; the host knows which exist. */
export const toolSyntax = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "the name of a syntax"),
  v.description("How the model writes tool calls, as `--tool-syntax` takes it."),
  v.examples(["xml"]),
);

/** The selection of a cursor as UTF-16 offsets; null for none. */
export const selection = v.nullable(v.object({ anchor: count, head: count }));

/** The parameters of a command without any, or an empty answer. */
export const nothing = v.object({});

/** An id in an answer: the server made it, so only its kind is described. */
export function madeId<Id extends string>(example: string) {
  return v.pipe(
    v.string(),
    v.examples([example]),
    v.transform((text) => text as Id),
  );
}

/** A time in UTC milliseconds. */
export const time = v.pipe(v.number(), v.description("UTC milliseconds."), v.examples([1_790_000_000_000]));

/** A text in an answer, with an example and a description for the API documentation. */
export function shown(example: string, description?: string) {
  const text = v.pipe(v.string(), v.examples([example]));
  return description === undefined ? text : v.pipe(text, v.description(description));
}

/** The same schema with a description for the API documentation. */
export function described<Schema extends v.GenericSchema>(schema: Schema, description: string) {
  return v.pipe(schema, v.description(description));
}
