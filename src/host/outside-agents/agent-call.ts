import type {
  PermissionOption,
  RequestPermissionResponse,
  ToolCallContent,
  ToolCallStatus,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { unifiedDiff } from "../../core/block/patch/unified-diff.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import type { Elicitation, ElicitationAnswer } from "../../core/turn/answer/elicitation.ts";
import { isRunByOthers } from "../../core/tool/file/run-by-others.ts";
import type { ToolReach } from "../../core/tool/base/reach.ts";

/** A permission that an agent waits for. */
export interface OpenPermission {
  readonly options: readonly PermissionOption[];
  readonly answer: (response: RequestPermissionResponse) => void;
}

/** A question for a person that an agent waits for. */
export interface OpenElicitation {
  readonly elicitation: Elicitation;
  readonly answer: (answer: ElicitationAnswer) => void;
}

/** A write of a text file that an agent waits for. */
export interface OpenWrite {
  readonly path: string;
  readonly content: string;
  readonly done: (problem: Error | null) => void;
}

/** A call of an agent, as far as the agent has told of it. */
export class AgentCall {
  readonly id: string;
  title = "";
  name = "";
  kind = "other";
  input: JsonObject = {};
  status: ToolCallStatus = "pending";
  content: readonly ToolCallContent[] = [];
  rawOutput: unknown = undefined;
  /** Output of a terminal of the agent's own. */
  terminal = "";
  paths: readonly string[] = [];
  permission: OpenPermission | null = null;
  readonly writes: OpenWrite[] = [];
  elicited: OpenElicitation | null = null;
  /** Whether the agent waits for an answer about it. */
  get isAsking(): boolean {
    return this.permission !== null || this.writes.length > 0 || this.elicited !== null;
  }

  /** Ends what the agent waits for as cancelled. */
  cancel(problem: Error): void {
    this.permission?.answer({ outcome: { outcome: "cancelled" } });
    this.permission = null;
    this.elicited?.answer({ action: "cancel" });
    this.elicited = null;
    for (const write of this.writes.splice(0)) write.done(problem);
  }

  /** Whether the turn has it. */
  isGiven = false;
  /** Whether it was under way before anybody could be asked. */
  hasBegun = false;
  /** Whether its result is stored. */
  isOver = false;

  constructor(id: string) {
    this.id = id;
  }

  /** Returns the same call as one that the turn has not had. */
  again(): AgentCall {
    return Object.assign(new AgentCall(this.id), this, { isGiven: false, isOver: false, hasBegun: false });
  }

  get isFinished(): boolean {
    return this.status === "completed" || this.status === "failed";
  }

  /** Whether it can be given to the turn: it runs or is over, or the agent waits for an answer about it. */
  get isReady(): boolean {
    return this.status !== "pending" || this.permission !== null || this.writes.length > 0;
  }

  /** Takes what an update says; what it leaves out stays as it was. */
  update({ title, name, kind, status, rawInput, content, rawOutput, locations, _meta }: ToolCallUpdate): void {
    if (typeof title === "string") this.title = title;
    const own = isJsonObject(_meta?.["claudeCode"]) ? _meta["claudeCode"]["toolName"] : undefined;
    if (typeof name === "string") this.name = name;
    else if (typeof own === "string") this.name = own;
    if (typeof kind === "string") this.kind = kind;
    if (typeof status === "string") this.status = status;
    if (isJsonObject(rawInput)) this.input = rawInput;
    if (Array.isArray(content)) this.content = content;
    if (rawOutput !== undefined) this.rawOutput = rawOutput;
    if (Array.isArray(locations)) this.paths = locations.map(({ path }) => path);
    const output = _meta?.["terminal_output"] ?? _meta?.["terminal_output_delta"];
    if (isJsonObject(output) && typeof output["data"] === "string") {
      this.terminal = (this.terminal + output["data"]).slice(-outputUnitsMax);
    }
  }

  /** The files that the call names. */
  get named(): readonly string[] {
    const inInput = ["file_path", "path", "filePath", "abs_path"].map((key) => this.input[key]);
    const inDiffs = this.content.flatMap((each) => (each.type === "diff" ? [each.path] : []));
    return [...new Set([...this.paths, ...inDiffs, ...inInput.filter((path) => typeof path === "string")])];
  }

  /** The text of its content, as people and models read it. What it says of files is what the agent says. */
  get text(): string {
    const parts = this.content.map(textOf);
    if (this.terminal !== "") parts.push(this.terminal);
    else if (this.content.some(({ type }) => type === "terminal")) parts.push(outputNotShared);
    const text = parts.filter((part) => part !== "").join("\n\n");
    if (text !== "") return bounded(text);
    if (this.rawOutput === undefined || this.rawOutput === null) return "";
    return bounded(typeof this.rawOutput === "string" ? this.rawOutput : JSON.stringify(this.rawOutput, null, 2));
  }

  /** What the call is in the conversation: its name there, and its arguments. */
  get shown(): { readonly name: string; readonly parameters: JsonObject } {
    const words = (this.name === "" ? (this.title.split(/[\s:(]/u)[0] ?? "") : this.name).replaceAll(/[^\w-]+/gu, "_");
    const name = `agent_${words === "" ? this.kind : words}`.slice(0, 60);
    const title = this.title === "" ? {} : { title: this.title };
    // What a person is asked about is what the call touches, also where its input does not say so.
    const obeyed = this.named.filter(isRunByOthers);
    return { name, parameters: { ...title, ...this.input, ...(obeyed.length === 0 ? {} : { paths: obeyed }) } };
  }
}

/** What may flow through an agent's tools: nothing is known about them. */
export const agentReach: ToolReach = { readsPrivate: true, bringsUntrusted: true, outward: true };

/** Answers a permission request by the kind of an option, never by its place or id. */
export function answerPermission({ options, answer }: OpenPermission, decision: "allow" | "deny"): boolean {
  const kind = decision === "allow" ? "allow_once" : "reject_once";
  const option = options.find((each) => each.kind === kind);
  const isNamedOnce =
    option !== undefined && options.filter(({ optionId }) => optionId === option.optionId).length === 1;
  if (isNamedOnce) answer({ outcome: { outcome: "selected", optionId: option.optionId } });
  else answer({ outcome: { outcome: "cancelled" } });
  return isNamedOnce;
}

/** What a terminal that the agent keeps to itself is shown as: its id means nothing here. */
const outputNotShared = "[The agent ran this in a terminal of its own, and did not share the output.]";

const outputUnitsMax = 200_000;

function bounded(text: string): string {
  const whole = text.toWellFormed();
  return whole.length <= outputUnitsMax ? whole : `${whole.slice(0, outputUnitsMax).toWellFormed()}\n[cut]`;
}

function textOf(content: ToolCallContent): string {
  switch (content.type) {
    case "content": {
      const { content: block } = content;
      if (block.type === "text") return block.text;
      return block.type === "resource_link" ? `[${block.name}](${block.uri})` : `[${block.type}]`;
    }
    case "diff":
      return `The agent says that it changed ${content.path}:\n${unifiedDiff(content.oldText ?? "", content.newText)}`;
    case "terminal":
      return "";
    default:
      return "";
  }
}
