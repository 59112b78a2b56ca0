import { refusal, type Refusal } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
import { blockTools } from "./block-tools.ts";
import { canvasTools } from "./canvas-tools.ts";
import type { ToolSpec } from "./types.ts";

/** Which families of tools a conversation offers; one that is off leaves no trace in any request. */
export interface ToolFeatures {
  readonly blocks: boolean;
  readonly canvas: boolean;
}

/** The tools of the enabled families. */
export function toolSpecs(features: ToolFeatures): readonly ToolSpec[] {
  return [...(features.canvas ? canvasTools : []), ...(features.blocks ? blockTools : [])];
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
function unknownTool(names: readonly string[], name: string): Refusal {
  const nearest = nearestName(names, name.trim().toLowerCase());
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return refusal(
    "UNKNOWN_TOOL",
    { name, tools: names, ...(nearest === undefined ? {} : { nearest }) },
    `There is no tool named ${JSON.stringify(name.slice(0, 80))}.${hint} Use one of the tools you were given.`,
  );
}

function nearestName(names: readonly string[], name: string): string | undefined {
  let nearest: string | undefined;
  // A name that differs in more than a third of its letters is another name.
  let least = Math.floor(Math.min(name.length, 40) / 3) + 1;
  for (const candidate of names) {
    const distance = editDistance(candidate, name.slice(0, 80));
    if (distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** Insertions, deletions and substitutions between two short names. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substituted = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
