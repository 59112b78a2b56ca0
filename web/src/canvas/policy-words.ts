import type { EditPolicy } from "../../../src/core/block/types.ts";

interface PolicyWords {
  readonly label: string;
  /** The effect of the policy. */
  readonly title: string;
  /** The effect of the policy while an agent holds the canvas. */
  readonly held: string;
}

/** The words for edit policies, in display order. */
export const policyWords: Record<EditPolicy, PolicyWords> = {
  live: {
    label: "Live",
    title: "Everyone can type while an agent works. All edits merge",
    held: "You can keep typing, and all edits merge. Other agents wait until this one is done.",
  },
  lease: {
    label: "Lease",
    title: "Only the agent can type while it works. Press Esc to take control",
    held: "Nobody else can type until the agent is done. “Take control” stops it at once, and it writes nothing more.",
  },
  suggest: {
    label: "Suggest",
    title: "An agent’s edits become suggestions for you to keep or reject",
    held: "You can keep typing. The agent’s edits become suggestions for you to keep or reject.",
  },
};

/** The policy choices, in display order. */
export const policyChoices = (["live", "lease", "suggest"] as const).map((value) => ({ value, ...policyWords[value] }));

/** Returns the policy after this one. */
export function nextPolicy(policy: EditPolicy): EditPolicy {
  return ({ live: "lease", lease: "suggest", suggest: "live" } as const)[policy];
}
