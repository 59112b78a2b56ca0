import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { messageSchema } from "../../../core/message/read.ts";
import { approvalRule } from "../../../core/protocol/command/approval.ts";
import { canvasRevision } from "../../../core/protocol/command/canvas.ts";
import { listedFile } from "../../../core/protocol/command/file.ts";
import { preset, presetList } from "../../../core/protocol/command/preset.ts";
import { jsonObject } from "../../../core/protocol/base/parts.ts";
import { actor, modelActor } from "../../../core/protocol/shape/actor.ts";
import { bookmark, forestNode, forestRoot, nodeOutline } from "../../../core/protocol/shape/forest.ts";
import { runStatus } from "../../../core/protocol/shape/run.ts";
import { suggestion } from "../../../core/protocol/shape/suggestion.ts";
import { modelPrices, usage } from "../../../core/protocol/shape/usage.ts";
import { refusedBody } from "../http/refusal-answer.ts";

/** Shapes shared by several answers, by their names in the documentation, each with its description. */
const named = {
  Actor: [actor, "Who did something: a person, a model in a run, or Heddle itself."],
  ApprovalRule: [approvalRule, "A person's approval that covers further calls of a tool."],
  Bookmark: [bookmark, "A place that people want to find again. The title is its key."],
  CanvasRevision: [canvasRevision, "The text of a canvas as stored with a message."],
  Conversation: [forestRoot, "A conversation: its settings, without its messages."],
  Error: [refusedBody, "A refusal: its code, a sentence for people, and the facts."],
  ListedFile: [listedFile, "A file of the workspace folder."],
  Message: [messageSchema, "A message: a role and a list of content blocks."],
  ModelActor: [modelActor, "A model in a run."],
  ModelPrices: [modelPrices, "US dollars per million tokens."],
  Node: [forestNode, "One message at one place of a conversation's tree."],
  NodeOutline: [nodeOutline, "A message without its content."],
  Preset: [preset, "Named settings."],
  PresetList: [presetList, "All presets, and the active one."],
  RunStatus: [runStatus, "The state of a run. Each type of `state` has fields of its own; see core/turn/SPEC.md."],
  Suggestion: [suggestion, "What one tool call of an agent would change in a canvas."],
  Usage: [usage, "Tokens of requests to models."],
} as const satisfies Record<string, readonly [v.GenericSchema, string]>;

/** Where the document lists its named shapes. */
export const shapesPath = "#/components/schemas/";

const namesByShape: ReadonlyMap<object, string> = new Map(
  Object.entries(named).map(([name, [shape]]) => [shape, name]),
);

type Config = NonNullable<Parameters<typeof toJsonSchema>[1]>;

function configBut(itself: object | null): Config {
  return {
    target: "draft-2020-12",
    // The refusal explains in words what a schema cannot express; an id's brand needs no words.
    errorMode: "ignore",
    overrideSchema({ valibotSchema }) {
      const name = valibotSchema === itself ? undefined : namesByShape.get(valibotSchema);
      if (name !== undefined) return { $ref: `${shapesPath}${name}` };
      return valibotSchema === jsonObject ? { type: "object" } : undefined;
    },
    overrideAction: ({ valibotAction }) => writtenIn(valibotAction),
  };
}

const config = configBut(null);

/** Converts a schema to JSON Schema 2020-12; named shapes become references. */
export function jsonSchemaOf(schema: v.GenericSchema): JsonObject {
  return plain(toJsonSchema(schema, config));
}

/** Returns the named shapes as JSON Schema. */
export function namedShapes(): JsonObject {
  return Object.fromEntries(
    Object.entries(named).map(([name, [shape, description]]) => [
      name,
      { ...plain(toJsonSchema(shape, configBut(shape))), description },
    ]),
  );
}

/** Returns the JSON Schema of an action for a query whose text is parsed as another type. */
function writtenIn(action: object): JsonObject | undefined {
  const metadata = "metadata" in action ? action.metadata : undefined;
  const found = isJsonObject(metadata) ? metadata["jsonSchema"] : undefined;
  return isJsonObject(found) ? found : undefined;
}

const dropped: ReadonlySet<string> = new Set(["$schema"]);

/** Removes the converter's annotations, and bounds that every JSON number has. */
function plain(schema: object): JsonObject {
  const read: unknown = JSON.parse(JSON.stringify(schema));
  const cleaned = clean(read as Json);
  return isJsonObject(cleaned) ? cleaned : {};
}

function clean(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(clean);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key, each]) => !dropped.has(key) && !isAnyNumber(key, each));
  return Object.fromEntries(kept.map(([key, each]) => [key, clean(each)]));
}

function isAnyNumber(key: string, value: Json): boolean {
  return (key === "maximum" || key === "minimum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}
