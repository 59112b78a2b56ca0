import { refusal, type Refusal } from "../base/errors.ts";
import { nearestWord } from "../base/nearest-word.ts";
import { err, ok, type Result } from "../base/result.ts";
import { blockTools } from "./block-tools.ts";
import { canvasTools } from "./canvas-tools.ts";
import { fileTools, keywordSearch, patchFiles } from "./file-tools.ts";
import { bash, bashOnline } from "./shell-tools.ts";
import { think } from "./think.ts";
import type { ToolSpec, TurnKind } from "./types.ts";

/** Which families of tools a conversation offers; one that is off leaves no trace in any request. */
export interface ToolFeatures {
  readonly blocks: boolean;
  readonly canvas: boolean;
  /** Files of the workspace folder; only where there is one. */
  readonly files: boolean;
  /** Commands in the workspace folder; only where there is one, and a sandbox. */
  readonly shell: boolean;
  /** Where commands may connect to; none by default. */
  readonly hosts?: readonly string[];
}

/** Every family; what a workspace has nothing for is left out by itself. */
export const allFeatures: ToolFeatures = { blocks: true, canvas: true, files: true, shell: true };

/** What every workspace has: documents, and no folder. */
export const documentFeatures: ToolFeatures = { blocks: true, canvas: true, files: false, shell: false };

/** The tools of the enabled families; of those, a sub-agent has but a few. */
export function toolSpecs(features: ToolFeatures, kind: TurnKind = "conversation"): readonly ToolSpec[] {
  const specs = specsOf(features);
  return kind === "conversation" ? specs : specs.filter(({ name }) => ofSubAgents.has(name));
}

const ofSubAgents: ReadonlySet<string> = new Set([bash.name, patchFiles.name, think.name, keywordSearch.name]);

function specsOf({ canvas, blocks, files, shell, hosts = [] }: ToolFeatures): readonly ToolSpec[] {
  return [
    ...(canvas ? canvasTools : []),
    ...(blocks ? blockTools : []),
    ...(files ? fileTools : []),
    ...(shell ? [hosts.length === 0 ? bash : bashOnline] : []),
    ...(files || shell ? [think] : []),
  ];
}

/** The tool of that name; the seed's dotted names (`block.edit`) count as well. */
export function findTool(specs: readonly ToolSpec[], name: string): Result<ToolSpec, Refusal> {
  const plain = name.trim().replaceAll(".", "_");
  const found = specs.find((spec) => spec.name === plain);
  return found === undefined
    ? err(
        unknownTool(
          specs.map((spec) => spec.name),
          name,
        ),
      )
    : ok(found);
}

/** Says that no tool has that name, which ones there are, and which one was probably meant. */
export function unknownTool(names: readonly string[], name: string): Refusal {
  const nearest = nearestWord(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return refusal(
    "UNKNOWN_TOOL",
    { name, tools: names, ...(nearest === undefined ? {} : { nearest }) },
    `There is no tool named ${JSON.stringify(name.slice(0, 80))}.${hint} Use one of the tools you were given.`,
  );
}
