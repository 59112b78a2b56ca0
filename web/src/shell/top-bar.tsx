import type { WorkspaceView } from "../../../src/client/base/types.ts";
import { AuthorMark } from "../ui/author.tsx";
import { ConnectionChip } from "./connection-chip.tsx";
import { Icon, Mark } from "../ui/icons.tsx";
import { isMac, shownKeys } from "../browser/keys.ts";
import { isNamed } from "../browser/session.ts";
import { useMedia } from "../ui/use-observable.ts";
import { changeSetting, type Settings, useSettings } from "../browser/settings.ts";

const nextTheme: Record<Settings["theme"], Settings["theme"]> = {
  system: "light",
  light: "dark",
  dark: "contrast",
  contrast: "system",
};
const themeWords: Record<Settings["theme"], string> = {
  system: "same as system",
  light: "light",
  dark: "dark",
  contrast: "high contrast",
};
const themeIcons = { system: "contrast", light: "sun", dark: "moon", contrast: "contrast" } as const;

/** Maximum number of people shown, on a wide page and on a narrow one; the rest is a count. */
const facesMax = { wide: 5, narrow: 1 };

export function TopBar(props: {
  readonly people: WorkspaceView["people"];
  readonly onPalette: () => void;
  readonly onHelp: () => void;
  readonly onSettings: () => void;
}) {
  const { theme } = useSettings();
  return (
    <header className="top-bar">
      <h1 className="brand">
        <Mark size={22} />
        Heddle
      </h1>
      <button type="button" className="search-button" onClick={props.onPalette}>
        <Icon name="search" size={15} />
        <span>Search or run…</span>
        <kbd>{shownKeys("Mod+K", isMac())}</kbd>
      </button>
      <span className="spacer" />
      <ConnectionChip />
      <People people={props.people} />
      {!isNamed() && (
        <button
          type="button"
          className="button small set-name"
          title="Others see you as Guest"
          onClick={props.onSettings}
        >
          Set your name
        </button>
      )}
      <button
        type="button"
        className="icon-button"
        aria-label={`Theme: ${themeWords[theme]}`}
        title={`Theme: ${themeWords[theme]}`}
        onClick={() => changeSetting("theme", nextTheme[theme])}
      >
        <Icon name={themeIcons[theme]} />
      </button>
      <button
        type="button"
        className="icon-button wide-only"
        aria-label="Keyboard help"
        title="Keyboard help (?)"
        onClick={props.onHelp}
      >
        <Icon name="help" />
      </button>
      <button type="button" className="icon-button" aria-label="Settings" title="Settings" onClick={props.onSettings}>
        <Icon name="settings" />
      </button>
    </header>
  );
}

function People({ people }: { readonly people: WorkspaceView["people"] }) {
  const narrow = useMedia("(max-width: 719px)");
  const one = new Map<string, WorkspaceView["people"][number]>();
  for (const person of people) if (person.self || !one.has(person.actor.id)) one.set(person.actor.id, person);
  const all = [...one.values()];
  const shown = all.slice(0, narrow ? facesMax.narrow : facesMax.wide);
  const others = all.slice(shown.length).map(nameOf).join(", ");
  return (
    <ul className="people" aria-label="People here">
      {shown.map((person) => (
        <li key={person.clientId} title={nameOf(person)}>
          <AuthorMark actor={person.actor} size={24} />
          <span className="visually-hidden">{nameOf(person)}</span>
        </li>
      ))}
      {all.length > shown.length && (
        <li className="more" title={others}>
          <span aria-hidden="true">+{all.length - shown.length}</span>
          <span className="visually-hidden">{others}</span>
        </li>
      )}
    </ul>
  );
}

function nameOf({ actor, self }: WorkspaceView["people"][number]): string {
  return self ? `${actor.name} (you)` : actor.name;
}
