import type { LockableSetting } from "../../../../src/core/rights/setting-lock.ts";

/** What each setting that an owner can lock is about. */
export const settingWords: Readonly<Record<LockableSetting, string>> = {
  approvals: "Which tool calls ask a person",
  budgets: "Budgets of conversations",
  "edit-policy": "How people and agents share a canvas",
  replies: "How models are asked: thinking, tools, other models",
  presets: "Presets",
  links: "Share links: none opens or is made while locked",
};
