import { assert } from "../../../core/base/assert.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { documentReach, noReach } from "../../../core/tool/base/reach.ts";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import { commands, type CommandName } from "../../../core/protocol/commands.ts";
import type { Right } from "../../../core/rights/token-right.ts";
import { verbRow } from "../../../core/rights/verb-table.ts";
import { refusal } from "../../../core/base/errors.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { refusedAnswer } from "../../tool/answer.ts";
import { agentPerson, type DoorCall } from "./door-call.ts";
import { describedTool, type DoorTool } from "./door-tool.ts";

/** Makes a tool of a command: its row has the parameters, under the names that tools have (`root_id`). */
export function commandTool(name: string, command: CommandName, hidden: readonly string[] = []): DoorTool {
  const row = commands[command];
  const right = rightOf(command);
  assert(right !== null, "an outside agent may have the right to every command of its tools");
  const access = right === "read" ? "read" : "write";
  const described = describedTool({
    name,
    description: row.description,
    input: row.params,
    access,
    reach: access === "read" ? documentReach : noReach,
    idempotent: access === "read",
  });
  const { inputSchema } = described;
  const properties = isJsonObject(inputSchema["properties"]) ? inputSchema["properties"] : {};
  const offered = Object.entries(properties).filter(([key]) => !hidden.includes(key));
  const keysByName = new Map(offered.map(([key]) => [snakeCase(key), key]));
  const required = Array.isArray(inputSchema["required"]) ? inputSchema["required"] : [];
  return {
    ...described,
    right,
    inputSchema: {
      ...inputSchema,
      properties: {
        ...Object.fromEntries(offered.map(([key, schema]) => [snakeCase(key), schema])),
        ...(access === "write" ? { client_request_id: clientRequestId } : {}),
      },
      required: required.flatMap((key) => (typeof key === "string" ? [snakeCase(key)] : [])),
    },
    run: (parameters, call) => {
      const params = renamed(
        parameters,
        access === "write" ? keysByName.set("client_request_id", "clientRequestId") : keysByName,
      );
      return "unknown" in params
        ? Promise.resolve(unknownParameter(name, params.unknown))
        : runCommand(command, params.params, call);
    },
  };
}

/** Returns what a scoped token must allow for a command; it is the same whatever the parameters are. */
function rightOf(command: CommandName): Right | null {
  const [verb] = (commands[command].access as (params: object) => Access)({});
  return verbRow(verb).token;
}

const clientRequestId = {
  type: "string",
  description: "An id of your own for this request: sent again with it, the request takes effect once.",
} as const;

/** Performs a command for an outside agent; the names of the answer's fields are those of tools. */
export async function runCommand(command: CommandName, params: JsonObject, call: DoorCall): Promise<ToolAnswer> {
  const { dispatch } = call;
  const done = await dispatch({ caller: await callerOf(call), name: command, params });
  if (!done.ok) return refusedAnswer(done.error);
  const answer: unknown = JSON.parse(JSON.stringify(done.value));
  return { ok: true, content: isJsonObject(answer) ? withToolNames(answer) : {} };
}

/** Returns the agent as the caller of commands: all its requests are of one client. */
async function callerOf(call: DoorCall) {
  const actor = agentPerson(call);
  const { replicas } = call.workspace;
  return {
    actor,
    clientId: "mcp",
    replica: await replicas.forClient("mcp", actor),
    grant: call.caller.token,
    member: call.caller.member ?? null,
    within: call.caller.within ?? null,
  };
}

function unknownParameter(tool: string, parameter: string): ToolAnswer {
  const message = `${tool} was not run. ${parameter}: there is no such parameter. Correct this and call it again.`;
  return refusedAnswer(
    refusal(
      "INVALID_PARAMS",
      { tool, mistakes: [{ path: parameter, problem: "there is no such parameter" }] },
      message,
    ),
  );
}

function renamed(
  parameters: JsonObject,
  keysByName: ReadonlyMap<string, string>,
): { readonly params: JsonObject } | { readonly unknown: string } {
  const entries: [string, JsonObject[string]][] = [];
  for (const [name, value] of Object.entries(parameters)) {
    const key = keysByName.get(name);
    if (key === undefined) return { unknown: name };
    entries.push([key, value]);
  }
  return { params: Object.fromEntries(entries) };
}

/** Renames the fields of an answer and of the rows in its lists; what a message holds stays as it is. */
function withToolNames(answer: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [
      snakeCase(key),
      Array.isArray(value) ? value.map((row) => (isJsonObject(row) ? withToolNames(row) : row)) : value,
    ]),
  );
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
