import { sha256Hex } from "../../base/hash.ts";
import { canonicalJson } from "../../base/json.ts";
import { toolDefinition } from "./definitions.ts";
import type { ToolReach } from "./reach.ts";
import type { InDraft, ToolSpec } from "./types.ts";

/** The facts of a tool that decisions about its calls depend on, wherever the tool comes from. */
export interface ToolFacts {
  readonly name: string;
  readonly access: "read" | "write";
  readonly reach: ToolReach;
  readonly idempotent: boolean;
  /** SHA-256 over the whole definition, in hex digits: another hash means another tool, even under the same name. */
  readonly definitionHash: string;
  /**
   * Whether the arguments decide what the tool does, as with a shell command: then a permanent approval covers one call,
   * never the tool.
   */
  readonly eachCallApart?: boolean;
  /** How a tool that writes works in a draft. Absent, as with every tool of another program: no draft holds what it writes. */
  readonly inDraft?: InDraft;
  /** The call runs already, in another program that did not ask: nothing is left to decide. */
  readonly hasBegun?: true;
}

/** Returns the facts of one of Heddle's own tools; different reachable hosts make it another tool. */
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
    ...(spec.inDraft === undefined ? {} : { inDraft: spec.inDraft }),
  };
}
