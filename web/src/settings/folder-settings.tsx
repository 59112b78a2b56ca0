import { useEffect, useState } from "react";
import type { FolderRights } from "../../../src/core/base/folder.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { Result } from "../../../src/core/base/result.ts";
import type { FolderView } from "../../../src/core/protocol/base/messages.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { AddFolder } from "../files/add-folder.tsx";
import { useApp } from "../ui/app-context.ts";
import { useObservable } from "../ui/use-observable.ts";

const rightsWords: Readonly<Record<FolderRights, string>> = {
  read: "Read files",
  write: "Read and write files",
  commands: "Read and write files, run commands",
};

/** The folders that conversations can work in: their rights, their instructions for agents, and adding one. */
export function FolderSettings({ live }: { readonly live: boolean }) {
  const { client } = useApp();
  const view = useObservable(client.folders);
  const [adding, setAdding] = useState(false);
  if (view === null) return null;
  return (
    <fieldset className="setting" disabled={!live}>
      <legend id="folder-heading">Folders</legend>
      {view.folders.length === 0 && <p className="quiet">No conversation works on files yet.</p>}
      {view.folders.map((folder) => (
        <FolderRow key={folder.id} folder={folder} />
      ))}
      {view.canAdd && (
        <button type="button" className="button" onClick={() => setAdding(true)}>
          Add a folder…
        </button>
      )}
      {adding && <AddFolder onAdded={() => setAdding(false)} onClose={() => setAdding(false)} />}
    </fieldset>
  );
}

function FolderRow({ folder }: { readonly folder: FolderView }) {
  const { client, tell } = useApp();
  const { id: folderId, name, path, away, rights } = folder;
  const send = (command: Promise<Result<unknown, Refusal>>): void => {
    void command.then((result) => {
      if (!result.ok) tell(result.error);
    });
  };
  return (
    <section className="folder-row" aria-label={`Folder ${name}`}>
      <h3 title={path}>
        {name} <span className="quiet">{path}</span>
      </h3>
      {away !== null && (
        <p role="alert">The folder is away: {away}. Nothing is read or written there until it is back.</p>
      )}
      <FolderName
        key={name}
        name={name}
        onRename={(next) => send(client.call("folder.rename", { folderId, name: next }))}
      />
      <label>
        <span>Heddle and its agents may</span>{" "}
        <select
          value={rights}
          onChange={({ target: { value } }) =>
            send(client.call("folder.set-rights", { folderId, rights: value as FolderRights }))
          }
        >
          {Object.entries(rightsWords).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <FolderInstructions
        folder={folder}
        onTrust={(trusted) => send(client.call("folder.trust", { folderId, trusted }))}
      />
      {!folder.isDefault && (
        <button
          type="button"
          className="quiet-button"
          title="Its files stay on disk, and its conversations can be read"
          onClick={() => send(client.call("folder.remove", { folderId }))}
        >
          Remove from Heddle
        </button>
      )}
    </section>
  );
}

/** The name of a folder for people; on disk nothing changes. */
function FolderName({ name, onRename }: { readonly name: string; readonly onRename: (name: string) => void }) {
  const [typed, setTyped] = useState(name);
  const wanted = typed.trim();
  const rename = (): void => {
    if (wanted === "") setTyped(name);
    else if (wanted !== name) onRename(wanted);
  };
  return (
    <label>
      <span>Name in Heddle</span>{" "}
      <input
        value={typed}
        maxLength={200}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={rename}
        onKeyDown={({ key, nativeEvent }) => {
          if (key === "Enter" && !nativeEvent.isComposing) rename();
        }}
      />
    </label>
  );
}

/** What agents are told about the folder, with sizes, and whether its skills are trusted. */
function FolderInstructions(props: { readonly folder: FolderView; readonly onTrust: (trusted: boolean) => void }) {
  const { client } = useApp();
  const { id: folderId, trusted, changes, away } = props.folder;
  const [found, setFound] = useState<CommandAnswer<"folder.instructions"> | null>(null);
  useEffect(() => {
    let stale = false;
    void client.call("folder.instructions", { folderId }).then((answer) => {
      if (!stale && answer.ok) setFound(answer.value);
    });
    return () => {
      stale = true;
    };
  }, [client, folderId, trusted, changes, away]);
  if (found === null) return null;
  const skills = found.skills.filter(({ source }) => source === "folder");
  return (
    <div className="folder-instructions">
      {found.agentsFiles.map(({ path, bytes, inPrompt }) => (
        <p key={path} className="quiet">
          {path}: {sizeWords(bytes)}, {inPrompt ? "in every request" : "named to agents, read when they work there"}
        </p>
      ))}
      {skills.map(({ path, name, description, problem }) => (
        <p key={path} className="quiet" title={path}>
          Skill {name}: {problem ?? description}
        </p>
      ))}
      {skills.length > 0 && trusted !== true && (
        <p role="group" aria-label="Trust the skills of this folder?">
          Skills are instructions by whoever wrote them.{" "}
          <button type="button" className="button small" onClick={() => props.onTrust(true)}>
            Trust this folder’s skills
          </button>{" "}
          {trusted === null && (
            <button type="button" className="quiet-button" onClick={() => props.onTrust(false)}>
              Don’t
            </button>
          )}
        </p>
      )}
      {skills.length > 0 && trusted === true && (
        <button type="button" className="quiet-button" onClick={() => props.onTrust(false)}>
          Stop trusting its skills
        </button>
      )}
    </div>
  );
}

/** Returns a size with its rough count of tokens. */
function sizeWords(bytes: number): string {
  const size = bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`;
  return `${size}, about ${Math.max(1, Math.round(bytes / 4))} tokens`;
}
