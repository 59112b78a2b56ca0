import type * as v from "valibot";
import { errorTable, type ErrorCode } from "../../../core/base/errors.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { commands, type CommandName } from "../../../core/protocol/commands.ts";
import type { CommandRow } from "../../../core/protocol/base/command-row.ts";
import { protocolVersion } from "../../../core/protocol/version.ts";
import { exampleOf } from "./json-example.ts";
import { jsonSchemaOf, namedShapes, shapesPath } from "./json-schema.ts";
import type { Route, RouteAnswer } from "../http/route.ts";

const jsonType = "application/json";

/** Refusals of any request; of requests with a body or a query; of requests that change something. */
const anyRefusals: readonly ErrorCode[] = ["UNAUTHENTICATED", "FOREIGN_ORIGIN", "INTERNAL", "SHUTTING_DOWN"];
const queryRefusals: readonly ErrorCode[] = ["INVALID_PARAMS"];
const bodyRefusals: readonly ErrorCode[] = [
  "INVALID_PARAMS",
  "FRAME_MALFORMED",
  "FRAME_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];
const writeRefusals: readonly ErrorCode[] = ["STORE_FAILED", "STORE_FULL", "REQUEST_ID_REUSED"];

/** Refusals that apply to all operations of a kind. */
export const commonRefusals: readonly ErrorCode[] = [...anyRefusals, ...bodyRefusals, ...writeRefusals];

/** The headings of the command documentation, by the first part of the command's name. */
const commandSections: Readonly<Record<string, string>> = {
  conversation: "Commands about conversations",
  message: "Commands about messages",
  bookmark: "Commands about bookmarks",
  preset: "Commands about presets",
  search: "Commands that find",
  run: "Commands about runs",
  approval: "Commands about approvals",
  question: "Commands about questions",
  canvas: "Commands about canvases",
  block: "Commands about blocks",
  turn: "Commands about turns",
  file: "Commands about files",
  models: "Commands about models and providers",
  provider: "Commands about models and providers",
  mcp: "Commands about MCP servers",
  push: "Commands about notifications in browsers",
  webhook: "Commands about webhooks",
};

/** Builds the HTTP API as an OpenAPI 3.1 document: each route, and each command as a path of its own. */
export function openApiDocument(routes: readonly Route[]): JsonObject {
  const steps = openApiInSteps(routes);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** As `openApiDocument`, one operation a step: all at once take a tenth of a second and more. */
export function* openApiInSteps(routes: readonly Route[]): Generator<undefined, JsonObject, undefined> {
  const shapes = namedShapes();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = routeOperation(route, shapes);
    yield;
  }
  for (const [name, row] of Object.entries(commands)) {
    paths[`/api/commands/${name}`] = { post: commandOperation(name as CommandName, row, shapes) };
    yield;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Heddle",
      version: String(protocolVersion),
      description: "The HTTP API of a Heddle server. The version is that of the wire protocol.",
    },
    servers: [{ url: "http://127.0.0.1:7420", description: "A server on this machine, as it starts by default." }],
    security: [{ token: [] }],
    tags: tagsOf(paths),
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token that the server prints when it starts." },
      },
      schemas: shapes,
    },
  };
}

/** Every request that changes something may have a request id, here or as a field of its body. */
const onceParameter: JsonObject = {
  name: "clientRequestId",
  in: "query",
  required: false,
  description:
    "Your own random id for the request, 1 to 64 of `[A-Za-z0-9_-]`. A request repeated with its id takes effect once and gets the same answer; a different request with that id is refused.",
  schema: { type: "string" },
};

function tagsOf(paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>): readonly JsonObject[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const names = operations.flatMap(({ tags }) => (Array.isArray(tags) ? (tags as readonly string[]) : []));
  return [...new Set(names)].map((name) => ({ name }));
}

function routeOperation(route: Route, shapes: JsonObject): JsonObject {
  const { method, path, section, description, details, params, query, body, answer, refusals = [] } = route;
  const parameters = [
    ...Object.entries(params).map(([name, schema]) => parameter("path", name, { schema, required: true, shapes })),
    ...(query === null ? [] : queryParameters(query, shapes)),
    ...(method === "GET" || body === "bytes" || path === "/api/tools/:name" ? [] : [onceParameter]),
  ];
  const codes = [
    ...anyRefusals,
    ...(query === null ? [] : queryRefusals),
    ...(body === null ? [] : body === "bytes" ? bytesRefusals : bodyRefusals),
    ...(method === "GET" ? [] : writeRefusals),
    ...refusals,
  ];
  return {
    operationId: operationIdOf(method, path),
    tags: [section],
    summary: description,
    ...(details === undefined ? {} : { description: details }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body === "bytes" ? anyBytes : jsonBody(body, shapes) }),
    responses: { ...answerOf(answer, shapes), ...refusalsOf(codes) },
  };
}

function commandOperation(
  name: CommandName,
  row: Omit<CommandRow<unknown, unknown>, "access">,
  shapes: JsonObject,
): JsonObject {
  const family = name.slice(0, name.indexOf("."));
  const codes = [...anyRefusals, ...bodyRefusals, ...writeRefusals, ...row.refusals];
  return {
    operationId: name,
    tags: [commandSections[family] ?? family],
    summary: row.description,
    parameters: [onceParameter],
    requestBody: jsonBody(row.params, shapes),
    responses: { ...answerOf({ type: "json", schema: row.answer }, shapes), ...refusalsOf(codes) },
  };
}

const bytesRefusals: readonly ErrorCode[] = ["FRAME_MALFORMED", "UNSUPPORTED_MEDIA_TYPE"];
const anyBytes: JsonObject = { required: true, content: { "application/octet-stream": {} } };

function jsonBody(schema: v.GenericSchema, shapes: JsonObject): JsonObject {
  const described = jsonSchemaOf(schema);
  return { required: true, content: { [jsonType]: { schema: described, example: exampleOf(described, shapes) } } };
}

function queryParameters(query: v.GenericSchema, shapes: JsonObject): readonly JsonObject[] {
  if (!("entries" in query) || typeof query.entries !== "object" || query.entries === null) return [];
  const { required } = jsonSchemaOf(query);
  return Object.entries(query.entries as Readonly<Record<string, v.GenericSchema>>).map(([name, schema]) =>
    parameter("query", name, { schema, required: Array.isArray(required) && required.includes(name), shapes }),
  );
}

function parameter(
  place: "path" | "query",
  name: string,
  {
    schema,
    required,
    shapes,
  }: { readonly schema: v.GenericSchema; readonly required: boolean; readonly shapes: JsonObject },
): JsonObject {
  const described = jsonSchemaOf(schema);
  const { description, ...rest } = described;
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(required ? { example: exampleOf(described, shapes) } : {}),
  };
}

function answerOf(answer: RouteAnswer, shapes: JsonObject): JsonObject {
  switch (answer.type) {
    case "json": {
      const schema = jsonSchemaOf(answer.schema);
      const content = { [jsonType]: { schema, example: exampleOf(schema, shapes) } };
      return { [String(answer.status ?? 200)]: { description: "The answer.", content } };
    }
    case "bytes": {
      const { description, mediaTypes } = answer;
      return { "200": { description, content: Object.fromEntries(mediaTypes.map((type) => [type, {}])) } };
    }
    case "events": {
      const kinds = Object.entries(answer.events).map(([name, schema]) => eventOf(name, jsonSchemaOf(schema)));
      const content = { "text/event-stream": { schema: { anyOf: kinds } } };
      return { "200": { description: answer.description, content } };
    }
  }
}

/** One event of a stream: its name, if it has one, and the JSON of its data. */
function eventOf(name: string, data: JsonObject): JsonObject {
  return {
    type: "object",
    ...(name === "" ? {} : { title: name }),
    properties: { ...(name === "" ? {} : { event: { const: name } }), data },
    required: name === "" ? ["data"] : ["event", "data"],
  };
}

/** Refusals grouped by status, each with its codes. */
function refusalsOf(codes: readonly ErrorCode[]): JsonObject {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorTable[code].http);
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, named]) => [
      String(status),
      {
        description: named.map((code) => `\`${code}\`: ${errorTable[code].sentence}`).join("\n\n"),
        content: {
          [jsonType]: {
            schema: {
              allOf: [
                { $ref: `${shapesPath}Error` },
                { type: "object", properties: { error: { type: "object", properties: { code: { enum: named } } } } },
              ],
            },
          },
        },
      },
    ]),
  );
}

function operationIdOf(method: string, path: string): string {
  return `${method.toLowerCase()}${path.replace("/api", "").replaceAll(/[/:.]+/g, "-")}`;
}
