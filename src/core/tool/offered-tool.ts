import { sha256Hex } from "../base/hash.ts";
import { canonicalJson } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { beginningOf } from "../base/shortened.ts";
import type { SyntaxTool } from "../syntax/base/tools.ts";
import { plainForeignSchema } from "./foreign-schema.ts";
import type { ToolReach } from "./reach.ts";
import type { ServerTool } from "./server-tool.ts";

/** A tool of a server as models are offered it: what `ToolSpec` is for Heddle's own, without code and without a type. */
export interface OfferedTool {
  readonly definition: SyntaxTool;
  /** The configured name of the server that has it, and the server's own name for it. */
  readonly server: string;
  readonly tool: string;
  readonly access: "read" | "write";
  readonly idempotent: boolean;
  readonly reach: ToolReach;
  /** Of what the server says of it and how the server is reached: another hash is another tool, whatever its name. */
  readonly hash: string;
}

/** The server that has a tool. */
export interface ToolPlace {
  /** Its configured name. */
  readonly server: string;
  /** Names how it is reached. */
  readonly reach: string;
  /** Whether what it is sent leaves this machine, whatever it says of its tools. */
  readonly isElsewhere: boolean;
}

/** How much of a definition a model is told. UTF-16 units. */
const descriptionUnitsMax = 8_000;
const schemaUnitsMax = 64_000;

/** Puts a server's tool as models are offered it, or says why none can be. `name` is what models call it. */
export function offeredTool(place: ToolPlace, tool: ServerTool, name: string): Result<OfferedTool, string> {
  const { server, isElsewhere } = place;
  const inputSchema = plainForeignSchema(tool.inputSchema);
  if (!inputSchema.ok) return inputSchema;
  if (JSON.stringify(inputSchema.value).length > schemaUnitsMax)
    return err("the description of its parameters is too long");
  const { readOnly = false, idempotent = false, openWorld = true } = tool.hints;
  const access = readOnly ? "read" : "write";
  const description = cut(tool.description.trim() || `The tool ${tool.name} of ${server}.`);
  return ok({
    definition: { name, description, inputSchema: inputSchema.value, access },
    server,
    tool: tool.name,
    access,
    idempotent: readOnly || idempotent,
    // Nobody knows what a server can see of this machine.
    reach: { readsPrivate: true, bringsUntrusted: true, outward: openWorld || isElsewhere },
    hash: definitionHash(place, tool),
  });
}

/** Names a server and what it says of a tool, so that another saying is noticed, and another server that says the same. */
function definitionHash({ server, reach }: ToolPlace, { name, description, inputSchema, hints }: ServerTool): string {
  return sha256Hex(canonicalJson({ server, reach, name, description, inputSchema, hints: { ...hints } }));
}

function cut(text: string): string {
  return `${beginningOf(text, descriptionUnitsMax)}${text.length > descriptionUnitsMax ? " […]" : ""}`;
}
