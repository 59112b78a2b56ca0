import type { EditPolicy } from "../../../src/core/block/types.ts";

interface PolicyWords {
  readonly label: string;
  /** What choosing it means. */
  readonly title: string;
  /** What it means while an agent holds the canvas. */
  readonly held: string;
}

/** The edit policies as people read them, in the order in which they are offered. */
export const policyWords: Record<EditPolicy, PolicyWords> = {
  live: {
    label: "Live",
    title: "Everybody may type while an agent works; edits merge",
    held: "You can go on typing; edits merge. Other agents wait until it is done.",
  },
  lease: {
    label: "Lease",
    title: "While an agent works, the text is its own; one key takes control",
    held: "Nobody else can type until it is done. Take control ends it at once: nothing more of it is written.",
  },
  suggest: {
    label: "Suggest",
    title: "What an agent edits waits as suggestions, which you keep or reject",
    held: "You can go on typing. What it edits waits as suggestions for you to keep or reject.",
  },
};

/** The policies to choose from, in order. */
export const policyChoices = (["live", "lease", "suggest"] as const).map((value) => ({ value, ...policyWords[value] }));

/** The policy that a key for "the next one" goes to. */
export function nextPolicy(policy: EditPolicy): EditPolicy {
  return ({ live: "lease", lease: "suggest", suggest: "live" } as const)[policy];
}
