import { sha256Hex } from "../../base/hash.ts";
import { canonicalJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { beginningOf } from "../../base/shortened.ts";
import type { SyntaxTool } from "../../syntax/base/tools.ts";
import { plainForeignSchema } from "./foreign-schema.ts";
import type { ToolReach } from "../base/reach.ts";
import type { ServerTool } from "./server-tool.ts";

/** A server's tool as models are offered it: the counterpart of `ToolSpec`, without code and without a type. */
export interface OfferedTool {
  readonly definition: SyntaxTool;
  /** The configured name of the server, and the server's own name for the tool. */
  readonly server: string;
  readonly tool: string;
  readonly access: "read" | "write";
  readonly idempotent: boolean;
  readonly reach: ToolReach;
  /** The hash of the server's description of the tool and the server's address: another hash means another tool. */
  readonly hash: string;
  /** The resource that shows its results to people. */
  readonly view?: string;
}

/** The server that has a tool. */
export interface ToolPlace {
  /** The server's configured name. */
  readonly server: string;
  /** Names the way to reach the server. */
  readonly reach: string;
  /** Whether data sent to the server leaves this machine, whatever the server says about its tools. */
  readonly isElsewhere: boolean;
}

/** The longest description and schema that a model is sent, in UTF-16 units. */
const descriptionUnitsMax = 8_000;
const schemaUnitsMax = 64_000;

/**
 * Converts a server's tool to the form models are offered, or returns why that is impossible. `name` is the tool's name
 * for models.
 */
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
    ...(tool.view !== undefined && { view: tool.view }),
  });
}

/**
 * Hashes a server and its description of a tool, so that a changed description, or the same one of another server, is
 * noticed.
 */
function definitionHash({ server, reach }: ToolPlace, { name, description, inputSchema, hints }: ServerTool): string {
  return sha256Hex(canonicalJson({ server, reach, name, description, inputSchema, hints: { ...hints } }));
}

function cut(text: string): string {
  return `${beginningOf(text, descriptionUnitsMax)}${text.length > descriptionUnitsMax ? " […]" : ""}`;
}
