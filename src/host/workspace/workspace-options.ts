import type { ModelRequest } from "../../core/model/request.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Shell } from "../../core/port/shell.ts";
import type { Searcher } from "../../core/port/searcher.ts";
import type { Store } from "../../core/port/store.ts";
import type { ToolFeatures } from "../../core/tool/registry.ts";
import type { OwnSyntaxes } from "../data/own-syntaxes.ts";
import type { RunRules } from "../conversation/base/conversation-ports.ts";
import type { WhenFull } from "../../core/model/when-full.ts";
import type { ToolCallSettings } from "../conversation/base/tool-syntax.ts";
import type { EarlyBlocks } from "../document/block/early-blocks.ts";
import type { Retention } from "../document/record/limits.ts";
import type { McpServers } from "../mcp-servers/mcp-servers.ts";
import type { ModelSettings } from "../models/types.ts";
import type { FolderOpener } from "../files/folder-types.ts";
import type { AttachedAgents } from "../outside-agents/attached-agents.ts";
import type { Web } from "../../core/port/web.ts";
import type { Meters } from "../../core/port/meters.ts";
import type { SealedValues } from "../base/sealed-values.ts";
import type { WebhookSender } from "../../core/port/webhook-sender.ts";

/** How long other work waits for people who come back to their documents. Milliseconds. */
interface DocumentsFirst {
  readonly conversationsAfterMs: number;
  readonly runsAfterMs: number;
}

/** The parts of a workspace, and its settings. */
export interface WorkspaceOptions {
  readonly store: Store;
  /** Documents that were read before the store could be written; none by default. */
  readonly early?: EarlyBlocks;
  /** Store of images and files; in memory by default. */
  readonly blobs?: BlobStore;
  /** Providers and their keys, if they can be viewed and set. */
  readonly modelSettings?: ModelSettings;
  /** MCP servers whose tools models may call; none by default. The workspace closes them. */
  readonly mcp?: McpServers;
  /** Agents of other programs that answer as models; none by default. The workspace closes them. */
  readonly outsideAgents?: AttachedAgents;
  /** The data folder, as shown to people. */
  readonly dataFolder?: string;
  readonly catalogue: ModelCatalogue;
  readonly platform: Platform;
  /** What clients know the server by; a new one by default. */
  readonly bootId?: string;
  /** `provider/model` of new conversations; by default the first listed model. */
  readonly model?: string;
  /** Working folder of the agents' tools. */
  readonly cwd: string;
  /** The folder in which conversations begin; none by default. The workspace closes it. */
  readonly files?: FileTree;
  /** The branch to which changes of its files are committed from time to time; none by default. */
  readonly filesBranch?: string;
  /** Runs agents' commands in that folder; none by default. The workspace closes it. */
  readonly shell?: Shell;
  /** The owner's skills, each a folder with a SKILL.md; none by default. The workspace closes it. */
  readonly skills?: FileTree;
  /** Opens further folders; none can be added by default. */
  readonly folders?: FolderOpener;
  readonly leaseTtlMs?: number;
  /** How much of each block's history is kept; see `hubLimits.retention`. */
  readonly retention?: Retention;
  /** The folder's files are the only documents: there are no canvases, and the canvas tools say so. */
  readonly gitOnly?: boolean;
  /** A tool family that is off leaves no trace in any request; all are on by default. */
  readonly features?: ToolFeatures;
  /** Where patterns are matched; in a thread of its own by default. */
  readonly searcher?: Searcher;
  /** The web as agents reach it; not at all by default. */
  readonly web?: Web;
  /** How models call tools when nothing else is set. */
  readonly toolCalls?: ToolCallSettings;
  /** The syntaxes of the data folder's files. */
  readonly ownSyntaxes?: OwnSyntaxes;
  /** Which calls need approval, and what may be used, in conversations that set nothing else. */
  readonly rules?: RunRules;
  /** How much a model that can think does think. */
  readonly thinking?: ModelRequest["thinking"];
  /** What happens to a request that leaves too little of the window for a reply; `refuse` by default. */
  readonly whenFull?: WhenFull;
  /** Whether models are told that people changed their replies; by default they are. */
  readonly tellsEdits?: boolean;
  /** Secrets beside the store; in memory by default. */
  readonly sealed?: SealedValues;
  /** Calls the addresses of webhooks; public ones only by default. */
  readonly webhookSender?: WebhookSender;
  /** Counts what agents do; nothing is counted by default. */
  readonly meters?: Meters;
  /** Whether people sign in, and rights decide what each may do. Otherwise one person owns everything. */
  readonly team?: boolean;
  /** Lets people come back to their documents first; by default interrupted runs go on before the workspace is open. */
  readonly documentsFirst?: DocumentsFirst;
  /** Whether a new store begins with a welcome document and a conversation about it. */
  readonly welcome?: boolean;
}
