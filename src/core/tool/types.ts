import type { GenericSchema, InferOutput } from "valibot";
import type { ErrorCode } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { ToolContentBlock } from "../message/types.ts";
import type { ToolReach } from "./reach.ts";

/** A tool as the model is offered it and the host runs it. */
export interface ToolSpec<Schema extends GenericSchema = GenericSchema> {
  readonly name: string;
  /** For the model: what it does, and what to do before and after. */
  readonly description: string;
  readonly input: Schema;
  readonly access: "read" | "write";
  readonly reach: ToolReach;
  /** Whether running it twice does no harm: only then is it run again after a crash. */
  readonly idempotent: boolean;
  /** Whether a person allows single calls for good, and never all of them: for a shell, whose arguments are programs. */
  readonly eachCallApart?: boolean;
  /** Whether sub-agents have it as well; they have few tools. */
  readonly forSubAgents?: boolean;
}

/** The parameters of a tool as they are after reading. */
export type ToolInput<Spec extends ToolSpec> = InferOutput<Spec["input"]>;

/** Who calls tools: a conversation's run, or an agent that works for one. */
export type TurnKind = "conversation" | "sub-agent";

/** What a tool answers. `content` is the JSON that the model reads; a refusal is an answer too. */
export interface ToolAnswer {
  readonly ok: boolean;
  readonly content: JsonObject;
  /** What the model is shown instead, where a JSON object cannot say it: images, and the words of others. */
  readonly blocks?: NonEmptyArray<ToolContentBlock>;
  readonly code?: ErrorCode;
  readonly revisionId?: string;
  readonly leaseId?: string;
}
