import type { GenericSchema, InferOutput } from "valibot";
import type { ErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import type { ToolContentBlock } from "../../message/types.ts";
import type { ToolReach } from "./reach.ts";

/**
 * How a tool that writes works in a draft. `held`: the draft has all that it changes, or it changes no document.
 * `not-files`: so, unless the call names a file of a folder.
 */
export type InDraft = "held" | "not-files";

/** A tool as the model is offered it and the host runs it. */
export interface ToolSpec<Schema extends GenericSchema = GenericSchema> {
  readonly name: string;
  /** For the model: what it does, and what to do before and after. */
  readonly description: string;
  readonly input: Schema;
  readonly access: "read" | "write";
  readonly reach: ToolReach;
  /** Whether a repeated run does no harm: only such a tool is run again after a crash. */
  readonly idempotent: boolean;
  /** Whether a permanent approval covers single calls, never the tool: for a shell, whose arguments are programs. */
  readonly eachCallApart?: boolean;
  /** How it works in a draft. Absent: what it writes no draft holds, and a person is asked each time. */
  readonly inDraft?: InDraft;
  /** The parameter that is the whole text of a file, which ends with a newline. */
  readonly wholeText?: string;
  /** Whether sub-agents have it too; they have few tools. */
  readonly forSubAgents?: boolean;
}

/** The parameters of a tool after reading. */
export type ToolInput<Spec extends ToolSpec> = InferOutput<Spec["input"]>;

/** The caller of tools: a conversation's run, or a sub-agent. */
export type TurnKind = "conversation" | "sub-agent";

/** The answer of a tool. `content` is the JSON that the model reads; a refusal is an answer too. */
export interface ToolAnswer {
  readonly ok: boolean;
  readonly content: JsonObject;
  /** Shown to the model in place of `content` when JSON cannot express it: images, and foreign text. */
  readonly blocks?: NonEmptyArray<ToolContentBlock>;
  readonly code?: ErrorCode;
  readonly revisionId?: string;
  readonly leaseId?: string;
}
