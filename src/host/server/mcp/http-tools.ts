import type { IncomingHttpHeaders } from "node:http";
import type { PersonActor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { timeSortedId, type ToolCallId, type TurnId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { AccessToken } from "../../access/access-tokens.ts";
import type { Member } from "../../access/member.ts";
import { lacksRight } from "../../access/why-not-allowed.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { agentTools } from "./agent-tools.ts";
import { reachOfDoor } from "./door-reach.ts";
import type { DoorTool } from "./door-tool.ts";
import { readProgram } from "./program-headers.ts";
import { refusalOfAnswer } from "./refused-call.ts";

/** The canvas tools, which a program uses over HTTP as an agent with a lease of its own. */
export const canvasTools: readonly DoorTool[] = agentTools.filter(({ name }) => name.startsWith("canvas_"));

/** Finds a canvas tool; the founding design's dotted names count as well. */
export function findCanvasTool(name: string): DoorTool | undefined {
  const plain = name.replaceAll(".", "_");
  return canvasTools.find((tool) => tool.name === plain);
}

/** Runs a canvas tool for a program: under its token and session, as over MCP. */
export async function runCanvasTool(
  tool: DoorTool,
  request: {
    readonly workspace: Workspace;
    readonly dispatch: Dispatch;
    readonly actor: PersonActor;
    readonly token: AccessToken | null;
    readonly member: Member | null;
    readonly headers: IncomingHttpHeaders;
    readonly name: string;
    readonly parameters: JsonObject;
    readonly signal: AbortSignal;
  },
): Promise<Result<JsonObject, Refusal>> {
  const { workspace, dispatch, actor, token, member, headers, name, parameters, signal } = request;
  if (token !== null && !token.rights.includes(tool.right)) return err(lacksRight(token, tool.right));
  const { session, client } = readProgram(headers);
  const { clock, random } = workspace.platform;
  const idOf = (prefix: string): string => timeSortedId(prefix, clock.now(), random.bytes(12));
  const caller = { actor: token?.by ?? actor, token, member };
  const answer = await tool.run(
    parameters,
    {
      via: "http",
      workspace,
      dispatch,
      caller,
      reach: await reachOfDoor(caller, workspace),
      client,
      session: session ?? client ?? "http",
      callId: idOf("call") as ToolCallId,
      turnId: idOf("turn") as TurnId,
      signal,
      progress: () => undefined,
    },
    name,
  );
  if (answer.ok) return ok(answer.content);
  const { code, message, details } = refusalOfAnswer(answer);
  return err(refusal(code, details, message));
}
