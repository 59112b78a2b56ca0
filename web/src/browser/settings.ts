import { useCallback, useSyncExternalStore } from "react";
import { oneOf, readText, Stored } from "./stored.ts";

/** A person's settings in this browser. */
export interface Settings {
  readonly theme: "system" | "light" | "dark" | "contrast";
  /** How large, in which face and how wide documents and answers are. */
  readonly textSize: "small" | "medium" | "large" | "huge";
  readonly face: "sans" | "serif" | "mono";
  readonly measure: "narrow" | "wide" | "full";
  /** How strongly the canvas marks authors. */
  readonly authors: "hidden" | "subtle" | "full";
  /** Whether Markdown is drawn in place, or shown as its source. */
  readonly view: "live" | "source";
  /** Whether the canvas shows the author beside each line. */
  readonly blame: "on" | "off";
  /** Keys without a modifier, such as j and k in lists. */
  readonly singleKeys: "on" | "off";
  /** Whether the browser notifies of what agents do while nobody looks. */
  readonly notifications: "on" | "off";
  /** Who asked the browser's push service to do so when no page is open; empty for nobody. */
  readonly pushes: string;
  /** What a screen reader announces of a finished reply. */
  readonly readReplies: "first-sentence" | "off";
}

type Kept = { readonly [Name in keyof Settings]: Stored<Settings[Name]> };

const kept: Kept = {
  theme: new Stored("theme", oneOf("system", "light", "dark", "contrast"), "system"),
  textSize: new Stored("text-size", oneOf("small", "medium", "large", "huge"), "medium"),
  face: new Stored("face", oneOf("sans", "serif", "mono"), "sans"),
  measure: new Stored("measure", oneOf("narrow", "wide", "full"), "narrow"),
  authors: new Stored("authors", oneOf("hidden", "subtle", "full"), "subtle"),
  view: new Stored("view", oneOf("live", "source"), "live"),
  blame: new Stored("blame", oneOf("on", "off"), "off"),
  singleKeys: new Stored("single-keys", oneOf("on", "off"), "on"),
  notifications: new Stored("notifications", oneOf("on", "off"), "off"),
  pushes: new Stored("pushes", readText, ""),
  readReplies: new Stored("read-replies", oneOf("first-sentence", "off"), "first-sentence"),
};

let current: Settings = {
  theme: kept.theme.get(),
  textSize: kept.textSize.get(),
  face: kept.face.get(),
  measure: kept.measure.get(),
  authors: kept.authors.get(),
  view: kept.view.get(),
  blame: kept.blame.get(),
  singleKeys: kept.singleKeys.get(),
  notifications: kept.notifications.get(),
  pushes: kept.pushes.get(),
  readReplies: kept.readReplies.get(),
};
const listeners = new Set<() => void>();

/** Returns the current settings, for code that does not render them. */
export function currentSettings(): Settings {
  return current;
}

export function changeSetting<Name extends keyof Settings>(name: Name, value: Settings[Name]): void {
  current = { ...current, [name]: value };
  kept[name].set(value);
  applyLook();
  for (const listener of listeners) listener();
}

export function useSettings(): Settings {
  const subscribe = useCallback((listener: () => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return useSyncExternalStore(subscribe, () => current);
}

/** Puts the chosen look on the page, where the style sheets read it; public/theme.js does so before the first paint. */
function applyLook(): void {
  const { theme, textSize, face, measure } = current;
  Object.assign(document.documentElement.dataset, { textSize, face, measure });
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
