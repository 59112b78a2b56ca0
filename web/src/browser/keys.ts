/** One row of the key table, which is the source of the help, the palette and the keyboard. */
export interface KeyRow {
  readonly label: string;
  readonly group: "Everywhere" | "Conversation" | "Branches" | "Canvas" | "Review";
  /** `Mod` is the command key on a Mac and Control elsewhere. null: reached only through the palette. */
  readonly keys: string | null;
  /** Where the key is handled: by the page, or by the part that has the focus. */
  readonly scope: "page" | "list" | "part";
}

/** Every command of the page. */
export const keyTable = {
  palette: { label: "Search or run…", group: "Everywhere", keys: "Mod+K", scope: "page" },
  "open-document": {
    label: "Open a document or a conversation by name",
    group: "Everywhere",
    keys: "Mod+P",
    scope: "page",
  },
  search: { label: "Search everything…", group: "Everywhere", keys: "Mod+Shift+F", scope: "page" },
  "focus-forest": { label: "Go to the forest", group: "Everywhere", keys: "Mod+1", scope: "page" },
  "focus-conversation": { label: "Go to the conversation", group: "Everywhere", keys: "Mod+2", scope: "page" },
  "focus-canvas": { label: "Go to the canvas", group: "Everywhere", keys: "Mod+3", scope: "page" },
  "next-region": { label: "Next region", group: "Everywhere", keys: "F6", scope: "page" },
  "previous-region": { label: "Previous region", group: "Everywhere", keys: "Shift+F6", scope: "page" },
  "toggle-pane": { label: "Hide this pane, or show all panes", group: "Everywhere", keys: "Mod+\\", scope: "page" },
  help: { label: "Keyboard help", group: "Everywhere", keys: "?", scope: "list" },
  settings: { label: "Settings", group: "Everywhere", keys: "Mod+,", scope: "page" },
  theme: { label: "Next theme", group: "Everywhere", keys: null, scope: "page" },
  trash: { label: "Trash: restore what was deleted…", group: "Everywhere", keys: null, scope: "page" },
  "reconnect-now": { label: "Reconnect now", group: "Everywhere", keys: null, scope: "page" },
  "new-conversation": { label: "New conversation", group: "Conversation", keys: "Alt+Shift+N", scope: "page" },
  "tool-calls": { label: "Tool calls: choose or try a syntax…", group: "Conversation", keys: null, scope: "page" },
  "archive-conversation": {
    label: "Archive the conversation, or take it out",
    group: "Conversation",
    keys: null,
    scope: "page",
  },
  compact: { label: "Sum up earlier messages", group: "Conversation", keys: null, scope: "page" },
  "rename-conversation": { label: "Rename the conversation", group: "Conversation", keys: null, scope: "page" },
  send: { label: "Send the message and ask for a reply", group: "Conversation", keys: "Enter", scope: "part" },
  "send-too": { label: "Send the message (alternative)", group: "Conversation", keys: "Mod+Enter", scope: "part" },
  "send-only": {
    label: "Add the message without asking for a reply",
    group: "Conversation",
    keys: "Mod+Shift+Enter",
    scope: "part",
  },
  "send-queue": {
    label: "Send the message when the agent has finished",
    group: "Conversation",
    keys: "Alt+Enter",
    scope: "part",
  },
  "send-interrupt": {
    label: "Interrupt the agent with the message",
    group: "Conversation",
    keys: "Alt+Shift+Enter",
    scope: "part",
  },
  newline: { label: "New line in the message", group: "Conversation", keys: "Shift+Enter", scope: "part" },
  cancel: { label: "Cancel the run", group: "Conversation", keys: "Escape", scope: "page" },
  compose: { label: "Write a message", group: "Conversation", keys: "c", scope: "list" },
  "edit-message": { label: "Edit the question as a new branch", group: "Conversation", keys: "e", scope: "list" },
  regenerate: { label: "Ask for another reply", group: "Conversation", keys: "r", scope: "list" },
  bookmark: { label: "Bookmark the message", group: "Conversation", keys: "Alt+B", scope: "page" },
  "split-message": { label: "Split the message…", group: "Conversation", keys: "Alt+S", scope: "page" },
  "delete-message": { label: "Delete the message…", group: "Conversation", keys: null, scope: "page" },
  "next-message": { label: "Next message", group: "Conversation", keys: "j", scope: "list" },
  "previous-message": { label: "Previous message", group: "Conversation", keys: "k", scope: "list" },
  "first-message": { label: "First message", group: "Conversation", keys: "g", scope: "list" },
  "last-message": { label: "Last message", group: "Conversation", keys: "Shift+G", scope: "list" },
  "previous-version": {
    label: "Previous version of this message",
    group: "Branches",
    keys: "Alt+ArrowUp",
    scope: "page",
  },
  "next-version": { label: "Next version of this message", group: "Branches", keys: "Alt+ArrowDown", scope: "page" },
  "go-up": { label: "Go to the previous message", group: "Conversation", keys: "Escape", scope: "list" },
  parent: { label: "Go to the previous question", group: "Branches", keys: "Alt+ArrowLeft", scope: "page" },
  child: { label: "Go to the reply last shown", group: "Branches", keys: "Alt+ArrowRight", scope: "page" },
  "take-control": { label: "Take control of the canvas", group: "Canvas", keys: "Escape", scope: "part" },
  "undo-mine": { label: "Undo mine", group: "Canvas", keys: "Mod+Z", scope: "part" },
  "redo-mine": { label: "Redo mine", group: "Canvas", keys: "Mod+Shift+Z", scope: "part" },
  "undo-turn": { label: "Undo agent’s turn", group: "Canvas", keys: "Mod+Alt+Z", scope: "page" },
  history: { label: "History of the canvas", group: "Canvas", keys: "Mod+Shift+H", scope: "page" },
  "toggle-policy": {
    label: "Change who may type: Live, Lease, Suggest",
    group: "Canvas",
    keys: "Mod+/",
    scope: "page",
  },
  outline: { label: "Outline of the canvas", group: "Canvas", keys: "Mod+Shift+O", scope: "page" },
  blame: { label: "Show or hide who wrote each line", group: "Canvas", keys: "Mod+Shift+B", scope: "page" },
  "explain-line": { label: "Why is this line here?", group: "Canvas", keys: "Mod+Alt+B", scope: "page" },
  authors: { label: "Change how much author marks show", group: "Canvas", keys: null, scope: "page" },
  "toggle-view": { label: "Show Markdown drawn, or its source", group: "Canvas", keys: "Mod+Alt+R", scope: "page" },
  comment: { label: "Comment on the selected words", group: "Canvas", keys: "Mod+Alt+M", scope: "page" },
  "ask-selection": { label: "Ask about the selected words", group: "Canvas", keys: "Mod+Alt+A", scope: "page" },
  "edit-selection": {
    label: "Ask for a change of the selected words",
    group: "Canvas",
    keys: "Mod+Alt+E",
    scope: "page",
  },
  comments: { label: "Show or hide the comments", group: "Canvas", keys: "Mod+Alt+C", scope: "page" },
  "next-suggestion": { label: "Next suggestion", group: "Review", keys: "F7", scope: "page" },
  "previous-suggestion": { label: "Previous suggestion", group: "Review", keys: "Shift+F7", scope: "page" },
  "step-suggestions": { label: "Next suggestion (k for the previous one)", group: "Review", keys: "j", scope: "part" },
  "keep-suggestion": { label: "Keep the suggestion", group: "Review", keys: "y", scope: "part" },
  "reject-suggestion": { label: "Reject the suggestion", group: "Review", keys: "n", scope: "part" },
  "keep-suggestions": { label: "Keep all suggestions", group: "Review", keys: "Shift+Y", scope: "part" },
  "reject-suggestions": { label: "Reject all suggestions", group: "Review", keys: "Shift+N", scope: "part" },
  "find-in-canvas": { label: "Find in the canvas", group: "Canvas", keys: "Mod+F", scope: "part" },
  "next-tab": { label: "Next open document", group: "Canvas", keys: "Alt+PageDown", scope: "page" },
  "previous-tab": { label: "Previous open document", group: "Canvas", keys: "Alt+PageUp", scope: "page" },
  "close-tab": { label: "Close the document", group: "Canvas", keys: "Alt+W", scope: "page" },
  "close-other-tabs": { label: "Close the other documents", group: "Canvas", keys: null, scope: "page" },
  "reopen-tab": { label: "Open the document closed last", group: "Canvas", keys: "Alt+Shift+W", scope: "page" },
  "tab-right": {
    label: "Move the document’s tab to the right",
    group: "Canvas",
    keys: "Alt+Shift+PageDown",
    scope: "page",
  },
  "tab-left": {
    label: "Move the document’s tab to the left",
    group: "Canvas",
    keys: "Alt+Shift+PageUp",
    scope: "page",
  },
  "new-canvas": { label: "New canvas", group: "Canvas", keys: null, scope: "page" },
} as const satisfies Record<string, KeyRow>;

export type CommandId = keyof typeof keyTable;

export const commandIds = Object.keys(keyTable) as readonly CommandId[];

/** The fields of a key event that the table needs; testable without a page. */
export interface Stroke {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Returns whether a stroke matches `keys`. */
export function strokeIs(keys: string, stroke: Stroke, mac: boolean): boolean {
  const parts = keys.split("+");
  const name = parts.at(-1) ?? "";
  const wants = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  const mod = wants("Mod");
  if (stroke.altKey !== wants("Alt")) return false;
  if (stroke.metaKey !== (mod && mac) || stroke.ctrlKey !== (mod && !mac)) return false;
  // A character such as ? needs Shift only on some keyboards.
  const isSign = name.length === 1 && !/[a-z0-9]/iu.test(name);
  if (!isSign && stroke.shiftKey !== wants("Shift")) return false;
  if (stroke.key.toLowerCase() === name.toLowerCase()) return true;
  // With Option a Mac types other letters, so the physical key identifies the stroke.
  return name.length === 1 && (stroke.code === `Key${name.toUpperCase()}` || stroke.code === `Digit${name}`);
}

/** Returns keys for people: ⌘K on a Mac, Ctrl+K elsewhere. */
export function shownKeys(keys: string, mac: boolean): string {
  const names: Readonly<Record<string, string>> = mac
    ? { Mod: "⌘", Shift: "⇧", Alt: "⌥", Enter: "↵", Escape: "Esc" }
    : { Mod: "Ctrl", Enter: "Enter", Escape: "Esc" };
  const arrows: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
  return keys
    .split("+")
    .map((part) => names[part] ?? arrows[part] ?? part)
    .join(mac ? "" : "+");
}

export function isMac(): boolean {
  return /mac|iphone|ipad/iu.test(navigator.userAgent);
}
