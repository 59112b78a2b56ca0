import * as v from "valibot";
import { refusal, type ErrorCode } from "../../../core/base/errors.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { err, ok } from "../../../core/base/result.ts";
import { described } from "../../../core/protocol/base/parts.ts";
import { rights } from "../../../core/rights/token-right.ts";
import { onWorkspace } from "../../../core/protocol/base/access.ts";
import { blockSubscribe } from "../../../core/tool/block/block-tools.ts";
import { toolDefinition } from "../../../core/tool/base/definitions.ts";
import type { ToolSpec } from "../../../core/tool/base/types.ts";
import { lacksRight, lacksRole } from "../../access/why-not-allowed.ts";
import { blockToolSpecs } from "../../workspace/block-tools-for-people.ts";
import { canvasTools, findCanvasTool, runCanvasTool } from "../mcp/http-tools.ts";
import { jsonRoute, type Route } from "../http/route.ts";
import { blockStreamRoute } from "./block-stream.ts";

const anyObject = v.record(v.string(), v.unknown());
const section = "Tools";

const listedTool = v.object({
  name: described(v.string(), "Name of the tool, the last part of its address."),
  description: v.string(),
  right: described(v.picklist(rights), "What a scoped token must allow for it."),
  scoped: described(v.boolean(), "Whether a scoped token may call it here."),
  stream: described(v.boolean(), "Whether it answers with server-sent events."),
  inputSchema: described(anyObject, "JSON Schema of the parameters."),
});

type ListedTool = v.InferOutput<typeof listedTool>;

/** Every tool of this door, always in this order; made once. */
const listed: readonly ListedTool[] = [
  ...[...blockToolSpecs, blockSubscribe].map((spec) => describedSpec(spec)),
  ...canvasTools.map(({ name, description, right, inputSchema }) => {
    return { name, description, right, scoped: true, stream: false, inputSchema };
  }),
];

function describedSpec(spec: ToolSpec): ListedTool {
  const { name, description, inputSchema } = toolDefinition(spec);
  const stream = name === blockSubscribe.name;
  return { name, description, right: spec.access, scoped: false, stream, inputSchema };
}

const listRoute = jsonRoute({
  method: "GET",
  path: "/api/tools",
  section,
  description: "Lists the tools that can be called over HTTP, with the schemas of their parameters.",
  answer: { type: "json", schema: v.object({ tools: v.array(listedTool) }) },
  access: onWorkspace("workspace.see"),
  team: true,
  perform: async () => ok({ tools: listed }),
});

const canvasRefusals: readonly ErrorCode[] = [
  "LOCK_NOT_AVAILABLE",
  "LOCK_NOT_OWNED",
  "LEASE_EXPIRED",
  "STALE_EPOCH",
  "PATCH_REJECTED",
  "CANVAS_UNAVAILABLE",
];

const toolRoute = jsonRoute({
  method: "POST",
  path: "/api/tools/:name",
  section,
  description: "Runs one of the block or canvas tools that models have.",
  details: `The tools are \`block_create\`, \`block_read\`, \`block_edit\` and the others, with the founding design's parameters and
answers: lines count from 0 and ends are exclusive. (Models are offered them with lines from 1, ends included.) The dotted names
\`block.search\`, \`block.list\` and \`kernel.search\` answer with a plain list, without \`truncated\` and notes. A parameter that a tool does not have is \`INVALID_PARAMS\`.

The \`canvas_*\` tools are for agents: \`canvas_check_out\` answers a \`lease_id\`, which every later call carries and which lives 120 s
after the last one. What such a program writes is attributed to it, and the canvas's edit policy holds for it. It is named by its token,
or by the header \`heddle-client\`; two programs with one token tell themselves apart by the header \`heddle-session\`.`,
  params: { name: v.pipe(v.string(), v.description("Name of the tool."), v.examples(["block_read"])) },
  body: v.pipe(anyObject, v.description("The tool's parameters."), v.examples([{ block_id: "doc_1/1/1" }])),
  readBody: (json) => (isJsonObject(json) ? ok(json) : err(refusal("INVALID_PARAMS", { expected: "an object" }))),
  answer: { type: "json", schema: anyObject },
  refusals: ["UNKNOWN_TOOL", "BLOCK_NOT_FOUND", "IN_TRASH", "CANVAS_LEASED", ...canvasRefusals],
  access: ({ name }) => ["document.edit", { type: "tool", name }],
  team: "decides-itself",
  async perform({ workspace, dispatch, actor, grant, member, headers, gone, params: { name }, body }) {
    // A program of a team has a token of its own, which leases and blame go by.
    if (member !== null && grant === null) return err(lacksRole());
    const tool = findCanvasTool(name);
    const parameters = body as JsonObject;
    if (tool !== undefined) {
      const call = { workspace, dispatch, actor, token: grant, member, headers, name, parameters, signal: gone };
      return runCanvasTool(tool, call);
    }
    // Blocks are written as their person does, without a lease: what a scoped token may do is decided at /mcp.
    return grant === null ? workspace.runBlockTool(actor, name, body) : err(lacksRight(grant, null));
  },
});

/** The tools over HTTP: their list, their calls, and the one that streams. */
export const toolRoutes: readonly Route[] = [listRoute, toolRoute, blockStreamRoute];
