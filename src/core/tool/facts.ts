import { sha256Hex } from "../base/hash.ts";
import { canonicalJson } from "../base/json.ts";
import { toolDefinition } from "./definitions.ts";
import type { ToolReach } from "./reach.ts";
import type { ToolSpec } from "./types.ts";

/** What decisions about a tool's calls go by, wherever the tool comes from. */
export interface ToolFacts {
  readonly name: string;
  readonly access: "read" | "write";
  readonly reach: ToolReach;
  readonly idempotent: boolean;
  /** SHA-256 over all that is said of it, in hex digits: another hash is another tool, whatever its name. */
  readonly definitionHash: string;
  /**
   * Whether what its arguments say decides what it does, as with a command of a shell: then a person allows one call for
   * good, and never the tool.
   */
  readonly eachCallApart?: boolean;
}

/** The facts of one of Heddle's own tools; one that reaches other hosts than before is another tool. */
export function factsOfSpec(spec: ToolSpec, hosts: readonly string[] = []): ToolFacts {
  const { name, access, reach, idempotent } = spec;
  return {
    name,
    access,
    reach,
    idempotent,
    definitionHash: sha256Hex(
      canonicalJson({
        ...toolDefinition(spec),
        access,
        reach: { ...reach },
        ...(reach.outward ? { hosts: hosts.toSorted() } : {}),
      }),
    ),
    ...(spec.eachCallApart === true ? { eachCallApart: true } : {}),
  };
}
