import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";

/**
 * Translates the provider's own dialect of schemas, a part of OpenAPI with types in capitals, to JSON Schema as every other
 * API reads it. Fields that describe the order or the title of properties are dropped.
 */
export function plainSchema(schema: JsonObject): JsonObject {
  const fields = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    const name = key.replaceAll(/_([a-z])/gu, (_whole, letter: string) => letter.toUpperCase());
    switch (name) {
      case "type": {
        const type = typeof value === "string" ? value.toLowerCase() : value;
        // Leaves the type open, which JSON Schema says by saying nothing.
        return type === "type_unspecified" ? [] : [["type", type]];
      }
      case "nullable":
      case "propertyOrdering":
        return [];
      case "properties":
      case "$defs":
      case "defs":
        return isJsonObject(value) ? [[name, schemasByName(value)]] : [];
      case "items":
      case "additionalProperties":
        return [[name, isJsonObject(value) ? plainSchema(value) : value]];
      case "anyOf":
        return [
          [
            name,
            Array.isArray(value) ? value.map((each: Json) => (isJsonObject(each) ? plainSchema(each) : each)) : value,
          ],
        ];
      case "minItems":
      case "maxItems":
      case "minLength":
      case "maxLength":
      case "minProperties":
      case "maxProperties":
        // Numbers of 64 bits are written as text.
        return [[name, typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value]];
      case "example":
        return [["examples", [value]]];
      default:
        return [[name, value]];
    }
  });
  return orNull(Object.fromEntries(fields), schema["nullable"] === true);
}

function schemasByName(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, isJsonObject(value) ? plainSchema(value) : value]),
  );
}

function orNull(schema: JsonObject, nullable: boolean): JsonObject {
  if (!nullable) return schema;
  const { type, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === "string" ? { type: [type, "null"] } : {}),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}
