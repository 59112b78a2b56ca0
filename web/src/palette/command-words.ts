import type { CommandId } from "../browser/keys.ts";
import type { Settings } from "../browser/settings.ts";

/** Words that people use for a command, beside those in its label. */
export const commandWords: Partial<Record<CommandId, string>> = {
  "open-document": "quick open file note page go to",
  search: "find text messages documents files comments words",
  help: "shortcuts keyboard keys hotkeys",
  settings: "preferences options api key provider model mcp server font name account folder budget preset",
  theme: "dark light night mode colour color appearance contrast",
  trash: "deleted restore recover bin undelete",
  "reconnect-now": "offline connection network",
  "new-conversation": "chat thread start",
  "tool-calls": "function syntax format",
  "archive-conversation": "hide close done",
  compact: "summarize context window tokens shorten",
  "rename-conversation": "title name",
  cancel: "stop abort",
  compose: "type ask prompt",
  regenerate: "retry again another answer",
  bookmark: "favourite favorite star save pin",
  "split-message": "cut divide",
  "delete-message": "remove",
  "previous-version": "branch variant alternative",
  "next-version": "branch variant alternative",
  "take-control": "stop agent lock lease",
  "undo-mine": "revert back",
  "redo-mine": "repeat again",
  "undo-turn": "revert roll back agent",
  history: "versions revisions restore compare changes earlier",
  "toggle-policy": "permissions suggest review lock mode",
  outline: "headings table of contents toc structure",
  blame: "authors who wrote git",
  "explain-line": "blame origin author",
  authors: "colours colors marks highlight",
  "toggle-view": "preview source raw rendered markdown",
  comment: "note annotate discuss",
  comments: "notes threads discussion",
  "next-tab": "switch tabs",
  "previous-tab": "switch tabs",
  "close-tab": "tab",
  "close-other-tabs": "tabs",
  "reopen-tab": "tab undo close",
  "tab-right": "reorder tabs",
  "tab-left": "reorder tabs",
  "new-canvas": "document note page file create",
};

type ChoiceRows = {
  readonly [Name in "theme" | "textSize" | "face" | "measure"]: {
    readonly label: string;
    readonly words: string;
    readonly values: Readonly<Record<Settings[Name], string>>;
  };
};

/** The settings of the look, as the palette offers them. */
export const lookChoices: ChoiceRows = {
  theme: {
    label: "Theme",
    words: "mode colour color appearance night day accessibility",
    values: { system: "same as system", light: "light", dark: "dark", contrast: "high contrast" },
  },
  textSize: {
    label: "Text size",
    words: "font zoom bigger smaller letters",
    values: { small: "small", medium: "medium", large: "large", huge: "very large" },
  },
  face: {
    label: "Typeface",
    words: "font family",
    values: { sans: "sans serif", serif: "serif", mono: "monospace" },
  },
  measure: {
    label: "Width of text",
    words: "column margin layout full",
    values: { narrow: "easy to read", wide: "wide", full: "whole pane" },
  },
};

/** The sections of the settings, by the id of their heading, with the words people use for them. */
export const settingSections: readonly { readonly id: string; readonly label: string; readonly words: string }[] = [
  { id: "setting-name", label: "Your name", words: "account profile author me" },
  { id: "provider-heading", label: "Models and keys", words: "api key provider openai anthropic add server default" },
  { id: "mcp-heading", label: "MCP servers", words: "tools plugins connect add integrations" },
  { id: "folder-heading", label: "Folders", words: "files directory project add rights skills agents" },
  { id: "policy-heading", label: "Start new canvases as", words: "live lease suggest policy review mode" },
  { id: "preset-heading", label: "Presets", words: "temperature replies length sampling" },
  { id: "token-heading", label: "Tokens of other programs", words: "api access claude code codex cli revoke" },
  { id: "authors-heading", label: "Who wrote what", words: "authors marks colours colors" },
  { id: "singleKeys-heading", label: "Single-letter keys", words: "shortcuts keyboard hotkeys" },
  { id: "notifications-heading", label: "Notifications", words: "notify alert desktop push" },
  { id: "readReplies-heading", label: "Screen readers", words: "accessibility announce voice" },
];
