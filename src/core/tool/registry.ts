import { refusal, type Refusal } from "../base/errors.ts";
import { moreTools, type FamilyOnAsking } from "./agent/more-tools.ts";
import { nearestWord } from "../base/nearest-word.ts";
import { err, ok, type Result } from "../base/result.ts";
import { blockFamily } from "./block/block-family.ts";
import { canvasFamily } from "./canvas/canvas-family.ts";
import { commentFamily } from "./comment/comment-family.ts";
import type { ToolFamily, ToolOffer } from "./base/family.ts";
import { fileFamily } from "./file/file-family.ts";
import { shellFamily } from "./shell/shell-family.ts";
import type { ToolSpec, TurnKind } from "./base/types.ts";

/** Every family, in the order in which a model sees them. To add one: its file, a row here, and its code in the host. */
const families = {
  canvas: canvasFamily,
  comments: commentFamily,
  blocks: blockFamily,
  files: fileFamily,
  shell: shellFamily,
} as const satisfies Readonly<Record<string, ToolFamily>>;

export type ToolFamilyId = keyof typeof families;

/** The names of the families, in the same order. */
export const toolFamilyIds: readonly ToolFamilyId[] = Object.keys(families).filter((id): id is ToolFamilyId =>
  Object.hasOwn(families, id),
);

/** Which families of tools a conversation offers; a family that needs a folder is offered only when there is one. */
export type ToolFeatures = Readonly<Record<ToolFamilyId, boolean>> & {
  /** Hosts that commands may connect to; none by default. */
  readonly hosts?: readonly string[];
  /** Whether files may only be read; false by default. */
  readonly readOnly?: boolean;
  /** Families that a model does not have now and may ask for; none by default. */
  readonly onAsking?: readonly FamilyOnAsking[];
};

/** Every family. */
export const allFeatures: ToolFeatures = featuresWhere(() => true);

/** The families of a workspace without a folder. */
export const documentFeatures: ToolFeatures = featuresWhere((family) => !family.needsFolder);

/** Returns the families that are on; there are no comments without canvases. */
export function enabledFamilies(features: ToolFeatures): readonly ToolFamily[] {
  const isOn = (id: ToolFamilyId): boolean => features[id] && (id !== "comments" || features.canvas);
  return toolFamilyIds.flatMap((id) => (isOn(id) ? [families[id]] : []));
}

export function offerTo({ hosts = [], readOnly = false, shell }: ToolFeatures, kind: TurnKind): ToolOffer {
  return { kind, hosts, readOnly, shell };
}

/** Returns the tools of the enabled families, and the one to ask for others; a sub-agent gets those marked for it. */
export function toolSpecs(features: ToolFeatures, kind: TurnKind = "conversation"): readonly ToolSpec[] {
  const enabled = enabledFamilies(features);
  const offer = offerTo(features, kind);
  const own = enabled.flatMap((family) => family.specs(offer));
  const asking: readonly ToolSpec[] =
    features.onAsking === undefined || features.onAsking.length === 0 ? [] : [moreTools];
  const specs = [...own, ...new Set(enabled.flatMap(({ shared = [] }) => shared)), ...asking];
  return kind === "conversation" ? specs : specs.filter(({ forSubAgents }) => forSubAgents === true);
}

function featuresWhere(isOn: (family: ToolFamily) => boolean): ToolFeatures {
  const entries = toolFamilyIds.map((id): [ToolFamilyId, boolean] => [id, isOn(families[id])]);
  return Object.fromEntries(entries) as Record<ToolFamilyId, boolean>;
}

/** Finds the tool with that name; the founding design's dotted names (`block.edit`) count as well. */
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

/** Builds the refusal of an unknown tool name, with the available names and the nearest one. */
export function unknownTool(names: readonly string[], name: string): Refusal {
  const nearest = nearestWord(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return refusal(
    "UNKNOWN_TOOL",
    { name, tools: names, ...(nearest === undefined ? {} : { nearest }) },
    `There is no tool named ${JSON.stringify(name.slice(0, 80))}.${hint} Use one of the tools you were given.`,
  );
}
