import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { must } from "../../../core/base/assert.ts";
import { commands } from "../../../core/protocol/commands.ts";
import { readCommand } from "../../../core/protocol/read-command.ts";
import { startTestServer } from "../../../testing/test-server.ts";
import { openApiDocument } from "./openapi.ts";
import { documentedRoutes, routes } from "./routes.ts";

const document = openApiDocument(documentedRoutes);

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const key of path) found = isJsonObject(found) ? found[key] : undefined;
  return found;
}

function operation(method: string, path: string): JsonObject {
  const found = at(document, "paths", path, method);
  if (!isJsonObject(found)) throw new Error(`no ${method} ${path}`);
  return found;
}

test("the OpenAPI document is valid by the schema of OpenAPI 3.1", async () => {
  const validator = new Validator();
  const checked = await validator.validate(structuredClone(document));
  expect(checked).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("every reference of the OpenAPI document names an existing shape", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) =>
    must(match[1], "a name"),
  );
  expect(references.length).toBeGreaterThan(100);
  for (const reference of references) {
    expect([reference, at(document, ...reference.slice(2).split("/"))]).toEqual([reference, expect.any(Object)]);
  }
});

test.each(Object.entries(commands))(
  "%s is a path of the OpenAPI document, with an example that validates",
  (name, row) => {
    const found = operation("post", `/api/commands/${name}`);
    expect([found["operationId"], found["summary"]]).toEqual([name, row.description]);
    const body = at(found, "requestBody", "content", "application/json");
    expect(readCommand(name, at(body, "example"))).toMatchObject({ ok: true });
    expect(at(found, "responses", "200", "content", "application/json", "schema")).toBeDefined();
    const responses = JSON.stringify(found["responses"]);
    for (const code of [...row.refusals, "INVALID_PARAMS", "UNAUTHENTICATED"]) expect(responses).toContain(`"${code}"`);
  },
);

test.each(documentedRoutes.map((route) => [route.method, route.path, route] as const))(
  "%s %s is in the OpenAPI document with its parameters, its body and its answer",
  (method, path, route) => {
    const found = operation(method.toLowerCase(), path.replaceAll(/:(\w+)/g, "{$1}"));
    const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
    expect(Object.keys(route.params)).toEqual(names);
    const parameters = (found["parameters"] ?? []) as readonly JsonObject[];
    expect(parameters.filter((each) => each["in"] === "path").map((each) => each["name"])).toEqual(names);
    expect(found["requestBody"] === undefined).toBe(route.body === null);
    expect(
      at(found, "responses", String(route.answer.type === "json" ? (route.answer.status ?? 200) : 200)),
    ).toBeDefined();
  },
);

test("each event of a stream is described with its data, and with its name where it has one", () => {
  const streams = documentedRoutes.filter(({ answer }) => answer.type === "events");
  expect(streams.length).toBeGreaterThan(0);
  for (const { method, path, answer } of streams) {
    const found = operation(method.toLowerCase(), path.replaceAll(/:(\w+)/g, "{$1}"));
    const schema = at(found, "responses", "200", "content", "text/event-stream", "schema");
    const kinds = at(schema, "anyOf") as readonly JsonObject[];
    const names = answer.type === "events" ? Object.keys(answer.events) : [];
    const required = names.map((name) => (name === "" ? ["data"] : ["event", "data"]));
    expect(kinds.map((kind) => kind["required"])).toEqual(required);
  }
});

test("every route is documented, and every command separately", () => {
  const undocumented = routes.filter((route) => !documentedRoutes.includes(route)).map(({ path }) => path);
  expect(undocumented).toEqual(["/api/commands/:name"]);
});

test("GET /api/openapi.json requires the token and answers the document", async () => {
  const server = await startTestServer({ welcome: false });
  const address = `${server.url}/api/openapi.json`;
  expect((await fetch(address)).status).toBe(401);
  const answer = await fetch(address, { headers: { authorization: `Bearer ${server.token}` } });
  expect([answer.status, await answer.json()]).toEqual([200, JSON.parse(JSON.stringify(document))]);
  await server.close();
});
