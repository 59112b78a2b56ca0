import { must } from "../../core/base/assert.ts";
import type { FolderId } from "../../core/base/ids.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { SyntaxTool } from "../../core/syntax/base/tools.ts";
import { toolDefinition } from "../../core/tool/base/definitions.ts";
import { toolPrompt } from "../../core/tool/prompt.ts";
import { think } from "../../core/tool/agent/think.ts";
import { factsOfSpec, type ToolFacts } from "../../core/tool/base/facts.ts";
import { withoutFamilies, type ToolsOff } from "../../core/tool/tools-off.ts";
import { allFeatures, findTool, toolSpecs, type ToolFeatures } from "../../core/tool/registry.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { ToolAnswer, ToolSpec } from "../../core/tool/base/types.ts";
import type { ToolCall } from "../../core/turn/state/state.ts";
import type { FolderOffer } from "../files/folder-types.ts";
import { orNotStored } from "../base/store-refusal.ts";
import type { OfferContext, ToolContext, ToolSource } from "../conversation/base/ports.ts";
import { namedRunByOthers } from "../lease/run-by-others.ts";
import { documentOfConversation } from "../document/record/document-of.ts";
import type { Author } from "../document/record/types.ts";
import type { Reach } from "../access/reach.ts";
import { notByEveryone } from "../access/why-not-allowed.ts";
import { withinReach } from "./folder-within-reach.ts";
import { cancelledCall, refusedAnswer, toolAnswer, type ToolOutput, type ToolRefusal } from "./answer.ts";
import { runnableCommentTools } from "./comment-tools.ts";
import { CommandSlots } from "./command-slots.ts";
import { runnableBlockTools, runnableModelBlockTools } from "./block-tools.ts";
import { noCanvasInGit, runnableCanvasTools } from "./canvas-tools.ts";
import { runnableFileTools } from "./file-tools.ts";
import { runnableShellTools } from "./shell-tools.ts";
import { runnableMoreTools } from "./more-tools.ts";
import { runnableFamilies } from "./runnable-families.ts";
import type { RunnableTool, ToolPorts, ToolRun } from "./runnable.ts";

export interface HeddleToolsOptions {
  /** Families that are switched off do not appear in any request. All are on by default. */
  readonly features?: ToolFeatures;
  /** Documents are only files in git: canvas tools are not offered, and a call of one is refused. */
  readonly gitOnly?: boolean;
  /** Nobody can be asked before a call: what a person must allow each time is refused. */
  readonly asksNobody?: boolean;
}

/** Opens Heddle's own tools: for blocks, canvases, files and shell commands. */
export function createHeddleTools(ports: ToolPorts, options: HeddleToolsOptions = {}): ToolSource {
  return new HeddleTools(ports, options.features ?? allFeatures, options);
}

/** Maximum number of runs whose calls are counted: more than ever run at once. */
const runsMax = 1_000;

class HeddleTools implements ToolSource {
  readonly #ports: ToolPorts;
  readonly #features: ToolFeatures;
  readonly #gitOnly: boolean;
  readonly #asksNobody: boolean;
  readonly #toolsByName: ReadonlyMap<string, RunnableTool<ToolRun>>;
  readonly #definitionsByOffer = new Map<string, readonly SyntaxTool[]>();
  /** The calls in each run's current turn: some providers give the first call of every reply the same id. */
  readonly #callsByRun = new Map<string, { readonly turnId: string; readonly timesById: Map<string, number> }>();
  readonly #commandSlots = new CommandSlots();
  readonly #factsByName = new Map<string, ToolFacts>();
  /** The last call of each run on blocks and canvases: calls under one lease run in order. */
  readonly #tailsByRun = new Map<string, Promise<unknown>>();

  constructor(ports: ToolPorts, features: ToolFeatures, { gitOnly, asksNobody }: HeddleToolsOptions) {
    this.#ports = ports;
    this.#gitOnly = gitOnly ?? false;
    this.#asksNobody = asksNobody ?? false;
    this.#features = features;
    const tools = [...Object.values(runnableFamilies).flat(), runnableMoreTools];
    this.#toolsByName = new Map(tools.map((runnable) => [runnable.spec.name, runnable]));
  }

  definitions(context: OfferContext): readonly SyntaxTool[] {
    const features = this.#offered(context);
    const { kind } = context;
    const offer = JSON.stringify([kind, features]);
    const known = this.#definitionsByOffer.get(offer);
    if (known !== undefined) return known;
    const made = toolSpecs(features, kind).map((spec) => ({
      ...toolDefinition(spec),
      access: spec.access,
    }));
    this.#definitionsByOffer.set(offer, made);
    return made;
  }

  prompt(context: Parameters<Required<ToolSource>["prompt"]>[0]): string {
    return toolPrompt(this.#offered(context), context.kind);
  }

  /** Returns the families that a branch has now, and those that it may ask for. */
  #offered(context: Pick<OfferContext, "canvasId" | "folderId" | "inUse" | "off">): ToolFeatures {
    const { inUse, canvasId, folderId, off } = context;
    const features = this.#featuresOf(folderId, off);
    const worksOnBlocks = inUse?.has("blocks") === true;
    const blocks = features.blocks && (inUse === undefined || worksOnBlocks);
    // Other documents are canvases too: who works on blocks needs the lease tools for them.
    const canvas = features.canvas && (canvasId !== null || (features.blocks && worksOnBlocks));
    // Where nobody works with comments their tools would only cost tokens.
    const comments = features.comments && canvas && (inUse === undefined || inUse.has("comments"));
    return { ...features, canvas, comments, blocks, onAsking: features.blocks && !blocks ? ["blocks"] : [] };
  }

  /** Returns the families that a conversation has, by its folder and without those that are switched off in it. */
  #featuresOf(folderId: FolderId | null, off: ToolsOff = []): ToolFeatures {
    const features = this.#featuresWith(this.#ports.folders.offer(folderId));
    return withoutFamilies({ ...features, canvas: features.canvas && !this.#gitOnly }, off);
  }

  #featuresWith({ files, writes, shell, hosts }: FolderOffer): ToolFeatures {
    const on = this.#features;
    const onAsking = on.blocks ? (["blocks"] as const) : [];
    return { ...on, files: on.files && files, shell: on.shell && shell, readOnly: !writes, hosts, onAsking };
  }

  facts(name: string): ToolFacts | null {
    // Which of them a conversation has is decided when they are offered, and again when one is called.
    const features = this.#featuresWith(this.#ports.folders.offerAnywhere());
    const found = findTool(toolSpecs(features), name);
    if (!found.ok) return null;
    const known = this.#factsByName.get(found.value.name);
    if (known !== undefined) return known;
    const made = factsOfSpec(found.value, features.hosts);
    this.#factsByName.set(made.name, made);
    return made;
  }

  run(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer> {
    const work = async (): Promise<ToolAnswer> => {
      // The call may have waited for another call of its run.
      if (signal.aborted) return refusedAnswer(cancelledCall());
      return toolAnswer(await orNotStored(() => this.#perform(call, context, signal)));
    };
    return findTool(orderedSpecs, call.name).ok ? this.#inOrder(context.runId, work) : work();
  }

  async #perform(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<Result<ToolOutput, ToolRefusal>> {
    const { folderId } = context;
    const features = this.#featuresOf(folderId, context.off);
    // In a workspace without canvases a canvas tool is refused by its reason.
    const known = this.#gitOnly ? { ...features, canvas: this.#features.canvas } : features;
    const found = findTool(toolSpecs(known, context.kind), call.name);
    if (!found.ok) return found;
    const { name } = found.value;
    if (this.#gitOnly && isCanvasTool(name)) return err(noCanvasInGit());
    const reach = reachFor(found.value.access, context.reach ?? null);
    const agent = context.reach?.agent;
    if (agent?.whyNoChange !== undefined && found.value.access === "write") return err(agent.whyNoChange);
    if (agent?.mayRunCommands === false && shellToolNames.has(name)) return err(notByEveryone("run commands"));
    const used = folderId === null ? null : await this.#ports.folders.use(folderId);
    const folder = used?.ok === true ? ok(withinReach(used.value, reach, this.#ports.store)) : used;
    if (folder?.ok === false && folderToolNames.has(name)) return folder;
    if (this.#asksNobody && found.value.access === "write") {
      const path = await namedRunByOthers(this.#ports, call, context.canvasId);
      if (path !== null) return err(needsPerson(path));
    }
    const unitId = this.#unitOf(call, context);
    const founding = call.name.includes(".") ? foundingBlockTools.get(name) : undefined;
    const runnable = founding ?? must(this.#toolsByName.get(name), `the tool ${name} can be run`);

    const parameters = context.lacksLastNewline === true ? withLastNewline(call, found.value) : call.parameters;
    return runnable.run(parameters, {
      ports: this.#ports,
      context,
      commandSlots: this.#commandSlots,
      signal,
      documentId: documentOfConversation(context.rootId),
      folderId,
      folder,
      leaseHolder: context.runId,
      draft: context.draft,
      canvases: features.canvas,
      reach,
      author: () => this.#author(call, context, unitId),
    });
  }

  /** Returns the undo unit of a call: a new one, also when an earlier call of the turn had the same id. */
  #unitOf({ id }: ToolCall, { runId, turnId }: ToolContext): string {
    const known = this.#callsByRun.get(runId);
    const turn = known?.turnId === turnId ? known : { turnId, timesById: new Map<string, number>() };
    this.#callsByRun.delete(runId);
    this.#callsByRun.set(runId, turn);
    const [oldest] = this.#callsByRun.keys();
    if (this.#callsByRun.size > runsMax && oldest !== undefined) this.#callsByRun.delete(oldest);
    const times = (turn.timesById.get(id) ?? 0) + 1;
    turn.timesById.set(id, times);
    // Providers may reuse call ids in each turn.
    return times === 1 ? `${turnId}/${id}` : `${turnId}/${id}/${times}`;
  }

  async #author(call: ToolCall, context: ToolContext, unitId: string): Promise<Author> {
    const { turnId, actor } = context;
    return {
      actor: { ...actor, toolCallId: call.id },
      replica: await this.#ports.replicas.forRun(actor),
      unit: { id: unitId, turnId, toolCallId: call.id },
    };
  }

  #inOrder(runId: string, work: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const before = this.#tailsByRun.get(runId) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#tailsByRun.set(runId, done);
    const forget = (): void => {
      if (this.#tailsByRun.get(runId) === done) this.#tailsByRun.delete(runId);
    };
    done.then(forget, forget);
    return done;
  }
}

/** Refuses what a person must allow each time, where no person can be asked. */
function needsPerson(path: string): Refusal {
  return refusal(
    "FORBIDDEN",
    { path, reason: "run-by-others" },
    `Other programs run or obey ${path} by themselves, so a person must allow each change of it, and nobody can be asked in this call. Nothing was changed. Show the person the text, so that they write it themselves, or ask an agent in Heddle to write it (conversation_ask): there a person is asked.`,
  );
}

/** Ends the whole text of a file with the newline that the call's syntax could not say. */
function withLastNewline({ parameters }: ToolCall, { wholeText }: ToolSpec): JsonObject {
  const text = wholeText === undefined ? undefined : parameters[wholeText];
  const isCut = wholeText !== undefined && typeof text === "string" && text !== "" && !text.endsWith("\n");
  return isCut ? { ...parameters, [wholeText]: `${text}\n` } : parameters;
}

const orderedSpecs = [...runnableCanvasTools, ...runnableCommentTools, ...runnableModelBlockTools].map(
  ({ spec }) => spec,
);
/** The block tools that a dotted name (`block.edit`) means: the founding design's, whose lines count from 0. */
const foundingBlockTools = new Map(runnableBlockTools.map((runnable) => [runnable.spec.name, runnable]));
const folderToolNames: ReadonlySet<string> = new Set(
  [...runnableFileTools, ...runnableShellTools].map(({ spec }) => spec.name).filter((name) => name !== think.name),
);
const shellToolNames: ReadonlySet<string> = new Set(
  runnableShellTools.map(({ spec }) => spec.name).filter((name) => name !== think.name),
);
const canvasToolNames: ReadonlySet<string> = new Set(runnableCanvasTools.map(({ spec }) => spec.name));

/** Returns what a call may know of; what changes something may only know of what it may change. */
function reachFor(access: ToolSpec["access"], reach: Reach | null): Reach | null {
  const agent = reach?.agent;
  return access === "write" && agent !== undefined ? { ...agent.toChange, agent } : reach;
}

function isCanvasTool(name: string): boolean {
  return canvasToolNames.has(name);
}
