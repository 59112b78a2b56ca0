import type { WorkspaceView } from "../../../src/client/base/types.ts";
import type { BlockId, RootId } from "../../../src/core/base/ids.ts";
import { conversationTitle, type CanvasSummary, type ConversationSummary } from "../../../src/core/forest/list.ts";
import type { ListedFile } from "../../../src/core/protocol/commands.ts";
import { type CommandId, commandIds, isMac, keyTable, shownKeys } from "../browser/keys.ts";
import { changeSetting, type Settings } from "../browser/settings.ts";
import type { Presets } from "../conversation/ask/presets.ts";
import { commandWords, lookChoices, settingSections } from "./command-words.ts";
import type { PaletteItem } from "./palette-match.ts";
import type { Commands } from "../navigation/use-commands.ts";
import type { OfferedItems } from "../ui/menu/offered.ts";

/** Commands that are useful only by key. */
const byKeyOnly: ReadonlySet<CommandId> = new Set([
  "palette",
  "next-region",
  "previous-region",
  "toggle-pane",
  "go-up",
  "next-message",
  "previous-message",
]);

/** What the palette can find, and what it does with it. */
interface PaletteWorld {
  readonly conversations: readonly ConversationSummary[];
  readonly canvases: readonly CanvasSummary[];
  readonly models: WorkspaceView["models"];
  readonly commands: Commands;
  readonly presets: Presets;
  readonly onRoot: (rootId: RootId) => void;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onModel: (modelId: string) => void;
  readonly files: readonly ListedFile[];
  readonly onFile: (path: string) => void;
  /** What the menus on the page can do. */
  readonly offered: readonly OfferedItems[];
}

/** Returns all items that the palette can find now. */
export function paletteItems(world: PaletteWorld): readonly PaletteItem[] {
  const mac = isMac();
  const items = namedItems(world);
  for (const { path } of world.files) {
    items.push({
      key: `file ${path}`,
      icon: "document",
      label: path,
      group: "File",
      keys: null,
      run: () => world.onFile(path),
    });
  }
  for (const id of commandIds) {
    const run = world.commands[id];
    if (run === undefined || byKeyOnly.has(id)) continue;
    const { label, keys } = keyTable[id];
    items.push({
      key: id,
      icon: "chevron-right",
      label,
      group: "Command",
      words: commandWords[id] ?? "",
      keys: keys === null ? null : shownKeys(keys, mac),
      run,
    });
  }
  items.push(...world.offered.flatMap(menuItems), ...lookItems(), ...settingItems(world.commands.settings));
  const { presets, active, activate } = world.presets;
  for (const { name } of presets) {
    const on = name === active;
    items.push({
      key: `preset ${name}`,
      icon: "settings",
      label: on ? `Stop using the preset ${name}` : `Use the preset ${name}`,
      group: "Preset",
      keys: null,
      run: () => void activate(on ? null : name),
    });
  }
  for (const model of world.models) {
    items.push({
      key: `model ${model.id}`,
      icon: "again",
      label: `Answer with ${model.name}`,
      group: "Model",
      keys: null,
      run: () => world.onModel(model.id),
    });
  }
  return items;
}

function menuItems({ group, items }: OfferedItems): readonly PaletteItem[] {
  return items.map(({ label, words = "", run }) => ({
    key: `${group} ${label}`,
    icon: "chevron-right",
    label,
    group,
    words,
    keys: null,
    run,
  }));
}

/** The settings of the look, chosen without opening the settings. */
function lookItems(): readonly PaletteItem[] {
  const item = <Name extends keyof typeof lookChoices>(name: Name): readonly PaletteItem[] => {
    const { label, words, values } = lookChoices[name];
    const choices = Object.entries(values) as [Settings[Name], string][];
    return choices.map(([value, shown]) => ({
      key: `${name} ${value}`,
      icon: "settings",
      label: `${label}: ${shown}`,
      group: "Setting",
      words,
      keys: null,
      run: () => changeSetting(name, value),
    }));
  };
  return [...item("theme"), ...item("textSize"), ...item("face"), ...item("measure")];
}

/** The sections of the settings, opened where they are. */
function settingItems(open: (() => void) | undefined): readonly PaletteItem[] {
  if (open === undefined) return [];
  return settingSections.map(({ id, label, words }) => ({
    key: `setting ${id}`,
    icon: "settings",
    label,
    group: "Setting",
    words: `settings preferences options ${words}`,
    keys: null,
    run() {
      open();
      showSection(id);
    },
  }));
}

/** How often, once a frame, a section of the opening settings is looked for. */
const looksMax = 240;

function showSection(id: string): void {
  let looks = 0;
  const look = (): void => {
    const heading = document.getElementById(id);
    looks += 1;
    if (heading !== null) heading.scrollIntoView({ block: "start" });
    else if (looks < looksMax) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

function namedItems(world: Pick<PaletteWorld, "conversations" | "canvases" | "onRoot" | "onCanvas">): PaletteItem[] {
  const items: PaletteItem[] = [];
  for (const root of world.conversations) {
    items.push({
      key: root.id,
      icon: "chat",
      label: conversationTitle(root),
      group: "Conversation",
      keys: null,
      run: () => world.onRoot(root.id),
    });
  }
  for (const canvas of world.canvases) {
    items.push({
      key: canvas.id,
      icon: "document",
      label: canvas.title,
      group: "Canvas",
      keys: null,
      run: () => world.onCanvas(canvas.id),
    });
  }
  return items;
}
