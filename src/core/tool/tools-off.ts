import {
  allFeatures,
  enabledFamilies,
  offerTo,
  type ToolFamilyId,
  toolFamilyIds,
  type ToolFeatures,
} from "./registry.ts";

/**
 * The tools that a person switched off: by a tool's name, by its family's, or by the beginning of its name before a `*`, as in
 * `files_*` for the tools of a server.
 */
export type ToolsOff = readonly string[];

/** Returns the features without the families that are off. */
export function withoutFamilies(features: ToolFeatures, off: ToolsOff): ToolFeatures {
  const left = Object.fromEntries(toolFamilyIds.map((id) => [id, features[id] && !off.includes(id)]));
  return { ...features, ...(left as Record<ToolFamilyId, boolean>) };
}

/** Returns whether a tool is off, under any spelling of its name. */
export function isToolOff(name: string, off: ToolsOff): boolean {
  if (off.length === 0) return false;
  const plain = name.trim().replaceAll(".", "_");
  return off.some((entry) =>
    entry.endsWith("*")
      ? plain.startsWith(entry.slice(0, -1))
      : entry === plain || familyOf.get(plain)?.has(entry) === true,
  );
}

/** The families of each of Heddle's tools; a shared one is off only with all of them, which `withoutFamilies` sees to. */
const familyOf: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const families = new Map<string, Set<string>>();
  for (const id of toolFamilyIds) {
    const none = withoutFamilies(allFeatures, toolFamilyIds);
    for (const family of enabledFamilies({ ...none, [id]: true })) {
      for (const { name } of family.specs(offerTo(allFeatures, "conversation"))) {
        families.set(name, (families.get(name) ?? new Set()).add(id));
      }
    }
  }
  return families;
})();
