import { useState } from "react";
import { BudgetSettings } from "./team/budget-settings.tsx";
import { CanvasSettings } from "./canvas-settings.tsx";
import { FolderSettings } from "./folder-settings.tsx";
import { LockSettings } from "./team/lock-settings.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { NotificationSettings } from "./notification-settings.tsx";
import { McpSettings } from "./mcp-settings.tsx";
import { GroupSettings } from "./team/group-settings.tsx";
import { PeopleSettings } from "./team/people-settings.tsx";
import { PresetSettings } from "./preset-settings.tsx";
import type { Presets } from "../conversation/ask/presets.ts";
import { ProgramSettings } from "./program-settings.tsx";
import { ProviderSettings } from "./providers/provider-settings.tsx";
import { nameLengthMax, rememberName, signedInMember } from "../browser/session.ts";
import { AccountSettings } from "./account/account-settings.tsx";
import { TokenSettings } from "./token-settings.tsx";
import { changeSetting, type Settings, useSettings } from "../browser/settings.ts";

/** The settings of this browser, and the person's name. */
export function SettingsDialog(props: {
  readonly name: string;
  readonly live: boolean;
  readonly presets: Presets;
  /** Whether the dialog opens at the provider keys. */
  readonly atKeys: boolean;
  readonly onToolCalls: () => void;
  readonly onActivity: () => void;
  readonly onClose: () => void;
}) {
  const settings = useSettings();
  const member = signedInMember();
  return (
    <Dialog title="Settings" className="settings" onClose={props.onClose}>
      {member === null ? <NameForm {...props} /> : <AccountSettings />}
      <Look settings={settings} />
      <Choice
        name="authors"
        label="Who wrote what"
        settings={settings}
        words={{ hidden: "Hidden", subtle: "Agents and others", full: "Every author" }}
      />
      <Choice
        name="singleKeys"
        label="Single-letter keys in lists"
        settings={settings}
        words={{ on: "On", off: "Off" }}
      />
      <Choice
        name="readReplies"
        label="When a reply is finished, screen readers announce"
        settings={settings}
        words={{ "first-sentence": "Its first sentence", off: "Nothing" }}
      />
      {member !== null && <PeopleSettings onActivity={props.onActivity} />}
      {member !== null && <GroupSettings />}
      {member !== null && <BudgetSettings />}
      {member !== null && <LockSettings />}
      <NotificationSettings />
      <FolderSettings live={props.live} />
      <CanvasSettings live={props.live} />
      <PresetSettings presets={props.presets} live={props.live} />
      <ProviderSettings live={props.live} wanted={props.atKeys} />
      <McpSettings live={props.live} />
      <TokenSettings live={props.live} />
      {member !== null && <ProgramSettings />}
      <div className="setting">
        <h3>Tool calls</h3>
        <button type="button" className="button" onClick={props.onToolCalls}>
          Choose or try a syntax…
        </button>
      </div>
    </Dialog>
  );
}

/** The name of who came with the workspace's token. */
function NameForm(props: { readonly name: string; readonly live: boolean }) {
  const [name, setName] = useState(props.name);
  const changed = name.trim() !== "" && name.trim() !== props.name;
  return (
    <form
      className="setting"
      onSubmit={(event) => {
        event.preventDefault();
        rememberName(name);
        location.reload();
      }}
    >
      <label htmlFor="setting-name">Your name</label>
      <div className="setting-field">
        <input
          id="setting-name"
          value={name}
          maxLength={nameLengthMax}
          autoComplete="name"
          onChange={(event) => setName(event.target.value)}
        />
        {changed && (
          <button type="submit" className="button primary" disabled={!props.live}>
            Save and reload
          </button>
        )}
      </div>
      <p className="quiet">Others see your name beside your cursor and your messages.</p>
    </form>
  );
}

/** How the page and its texts look in this browser. */
function Look({ settings }: { readonly settings: Settings }) {
  return (
    <>
      <Choice
        name="theme"
        label="Theme"
        settings={settings}
        words={{ system: "Same as system", light: "Light", dark: "Dark", contrast: "High contrast" }}
      />
      <Choice
        name="textSize"
        label="Text size"
        settings={settings}
        words={{ small: "Small", medium: "Medium", large: "Large", huge: "Very large" }}
      />
      <Choice
        name="face"
        label="Typeface of documents and replies"
        settings={settings}
        words={{ sans: "Sans serif", serif: "Serif", mono: "Monospace" }}
      />
      <Choice
        name="measure"
        label="Width of text"
        settings={settings}
        words={{ narrow: "Easy to read", wide: "Wide", full: "Whole pane" }}
      />
    </>
  );
}

function Choice<Name extends keyof Settings>(props: {
  readonly name: Name;
  readonly label: string;
  readonly settings: Settings;
  readonly words: Readonly<Record<Settings[Name], string>>;
}) {
  const values = Object.keys(props.words) as Settings[Name][];
  return (
    <fieldset className="setting">
      <legend id={`${props.name}-heading`}>{props.label}</legend>
      <div className="choices">
        {values.map((value) => (
          <label key={value}>
            <input
              type="radio"
              name={props.name}
              checked={props.settings[props.name] === value}
              onChange={() => changeSetting(props.name, value)}
            />
            <span>{props.words[value]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
