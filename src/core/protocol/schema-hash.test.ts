import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { expect, test } from "vitest";
import { hash8 } from "../base/hash.ts";
import { canonicalJson } from "../base/json.ts";
import { commands } from "./commands.ts";
import { shapes } from "./down/shapes.ts";
import { downMessages } from "./read-down-frame.ts";
import { upMessage } from "./read-up-message.ts";
import { protocolVersion, schemaHash } from "./version.ts";

test("the schema hash matches the schemas: after a change, raise protocolVersion and set schemaHash", () => {
  const all = {
    up: upMessage,
    ...prefixed("params", columnOf("params")),
    ...prefixed("answer", columnOf("answer")),
    ...prefixed("down", downMessages),
    ...prefixed("shape", shapes),
  };
  const described = Object.entries(all).map(([name, schema]) => [
    name,
    // Descriptions change nothing on the wire.
    toJsonSchema(schema, { errorMode: "ignore", typeMode: "input", ignoreActions: ["description", "examples"] }),
  ]);
  expect({ protocolVersion, schemaHash: hash8(canonicalJson([protocolVersion, described])) }).toEqual({
    protocolVersion,
    schemaHash,
  });
});

function columnOf(column: "params" | "answer"): Record<string, v.GenericSchema> {
  return Object.fromEntries(Object.entries(commands).map(([name, row]) => [name, row[column]]));
}

function prefixed<Value>(prefix: string, record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [`${prefix} ${name}`, value]));
}
