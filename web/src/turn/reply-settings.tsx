import { useEffect, useState } from "react";
import { type ThinkingLevel, thinkingLevels } from "../../../src/core/forest/run-rules.ts";
import type { RootId } from "../../../src/core/base/ids.ts";
import type { ForestRoot } from "../../../src/core/forest/types.ts";
import type { NamedPrompt } from "../../../src/core/turn/state/named-prompt.ts";
import { useApp } from "../ui/app-context.ts";
import { useUnsaved } from "../ui/kept/use-unsaved.ts";
import { LockNote } from "../ui/lock/lock-note.tsx";
import { useObservable } from "../ui/use-observable.ts";
import { modelsIn, serverToolChoices, toolFamilies } from "./reply-settings-words.ts";

/** Settings as they are chosen here; null restores the server's. */
interface Chosen {
  readonly thinking?: ThinkingLevel | null;
  readonly toolsOff?: readonly string[] | null;
  readonly fallbacks?: readonly string[] | null;
  readonly serverTools?: readonly string[] | null;
}

/** How models are asked in a conversation: system prompt, thinking, tools, and the models that step in. */
export function ReplySettings({
  root,
  lockedBy,
}: {
  readonly root: ForestRoot;
  /** The owner who locked the settings; undefined: the person may change them. */
  readonly lockedBy: string | undefined;
}) {
  const { client, tell, announce } = useApp();
  // A choice is shown at once, until the conversation reports its settings.
  const [chosen, setChosen] = useState<{ readonly of: ForestRoot; readonly replies: Chosen }>({
    of: root,
    replies: {},
  });
  const replies: Chosen = { ...root.replies, ...(chosen.of === root ? chosen.replies : {}) };
  const change = async (
    what: string,
    given: {
      readonly systemPrompt?: string | null;
      readonly thinking?: ThinkingLevel | null;
      readonly toolsOff?: string[] | null;
      readonly fallbacks?: string[] | null;
      readonly serverTools?: string[] | null;
    },
  ): Promise<boolean> => {
    const { systemPrompt: _shownAsTyped, ...shown } = given;
    setChosen({ of: root, replies: { ...(chosen.of === root ? chosen.replies : {}), ...shown } });
    const result = await client.call("conversation.settings", { rootId: root.id, ...given });
    if (result.ok) announce(what);
    else {
      tell(result.error);
      setChosen({ of: root, replies: {} });
    }
    return result.ok;
  };
  const thinking = replies.thinking ?? null;
  const toolsOff = replies.toolsOff ?? [];
  const fallbacks = root.replies?.fallbacks ?? [];
  return (
    <fieldset className="unframed" aria-label="How models are asked" disabled={lockedBy !== undefined}>
      <LockNote by={lockedBy} />
      <SystemPrompt
        key={root.systemPrompt}
        rootId={root.id}
        text={root.systemPrompt}
        onSet={(text) => change("System prompt set", { systemPrompt: text })}
      />
      <div className="setting">
        <h3 id="thinking-heading">Thinking</h3>
        <select
          aria-labelledby="thinking-heading"
          value={thinking ?? ""}
          onChange={(event) => {
            const level = thinkingLevels.find((each) => each === event.target.value) ?? null;
            void change("Thinking set", { thinking: level });
          }}
        >
          <option value="">Server default</option>
          {thinkingLevels.map((level) => (
            <option key={level} value={level}>
              {level === "off" ? "Off, or as little as possible" : `${level[0]?.toUpperCase()}${level.slice(1)}`}
            </option>
          ))}
        </select>
      </div>
      <ModelTools off={toolsOff} onSet={(next) => void change("Tools set", { toolsOff: next })} />
      <ServerTools
        chosen={replies.serverTools ?? []}
        onSet={(serverTools) => void change("Server tools set", { serverTools })}
      />
      <Fallbacks
        key={fallbacks.join(" ")}
        fallbacks={fallbacks}
        onSet={(models) => void change("Fallbacks set", { fallbacks: models })}
      />
    </fieldset>
  );
}

/** The families of tools that the model gets. */
function ModelTools(props: { readonly off: readonly string[]; readonly onSet: (off: string[]) => void }) {
  return (
    <fieldset className="setting">
      <legend>Tools of the model</legend>
      <div className="choices">
        {toolFamilies.map(([family, words]) => (
          <label key={family}>
            <input
              type="checkbox"
              checked={!props.off.includes(family)}
              onChange={({ target }) => {
                const others = props.off.filter((each) => each !== family);
                props.onSet(target.checked ? others : [...others, family]);
              }}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Tools that the provider runs; stores of a file search are named in the settings of the command line. */
function ServerTools(props: { readonly chosen: readonly string[]; readonly onSet: (names: string[]) => void }) {
  return (
    <fieldset className="setting">
      <legend>Tools of the provider</legend>
      <p className="quiet">
        The provider runs these itself, where it has them. Searching and opening pages pause while the branch holds both
        private and untrusted text.
      </p>
      <div className="choices">
        {serverToolChoices.map(([name, words]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={props.chosen.includes(name)}
              onChange={({ target }) => {
                const others = props.chosen.filter((each) => each !== name);
                props.onSet(target.checked ? [...others, name] : others);
              }}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function SystemPrompt(props: {
  readonly rootId: RootId;
  readonly text: string;
  readonly onSet: (text: string | null) => Promise<boolean>;
}) {
  const { text } = props;
  const { text: typed, write: setTyped, forget } = useUnsaved(`prompt.${props.rootId}`, text);
  const set = (next: string | null): void => {
    void props.onSet(next).then((done) => {
      if (done) forget();
    });
  };
  const { prompts, put, remove } = usePrompts();
  const [name, setName] = useState("");
  return (
    <form
      className="setting system-prompt"
      onSubmit={(event) => {
        event.preventDefault();
        set(typed);
      }}
    >
      <h3 id="system-prompt-heading">System prompt</h3>
      {prompts.length > 0 && (
        <NamedPrompts prompts={prompts} typed={typed} onChoose={setTyped} onRemove={(each) => void remove(each)} />
      )}
      <textarea
        aria-labelledby="system-prompt-heading"
        rows={6}
        value={typed}
        spellCheck
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className="button-row">
        <button type="submit" className="button" disabled={typed === text}>
          Set the prompt
        </button>
        <button type="button" className="button" onClick={() => set(null)}>
          Use Heddle’s own
        </button>
      </div>
      <div className="setting-field">
        <input
          aria-label="Name for this prompt"
          placeholder="Name for this prompt"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button
          type="button"
          className="button small"
          disabled={name.trim() === "" || typed.trim() === ""}
          onClick={() => {
            void put({ name: name.trim(), text: typed }).then((done) => {
              if (done) setName("");
            });
          }}
        >
          Save under this name
        </button>
      </div>
    </form>
  );
}

/** Puts a prompt that has a name into the field, or deletes the one that is in it. */
function NamedPrompts(props: {
  readonly prompts: readonly NamedPrompt[];
  readonly typed: string;
  readonly onChoose: (text: string) => void;
  readonly onRemove: (name: string) => void;
}) {
  const { prompts, typed } = props;
  const named = prompts.find(({ text }) => text === typed);
  return (
    <div className="setting-field">
      <select
        aria-label="Named prompts"
        value={named?.name ?? ""}
        onChange={(event) => {
          const chosen = prompts.find(({ name }) => name === event.target.value);
          if (chosen !== undefined) props.onChoose(chosen.text);
        }}
      >
        <option value="">Choose a named prompt…</option>
        {prompts.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {named !== undefined && (
        <button type="button" className="button small" onClick={() => props.onRemove(named.name)}>
          Delete “{named.name}”
        </button>
      )}
    </div>
  );
}

/** The named prompts of the workspace, read when the dialog opens. */
function usePrompts() {
  const { client, tell } = useApp();
  const [prompts, setPrompts] = useState<readonly NamedPrompt[]>([]);
  useEffect(() => {
    let here = true;
    void client.call("prompt.list", {}).then((result) => {
      if (here && result.ok) setPrompts(result.value.prompts);
    });
    return () => {
      here = false;
    };
  }, [client]);
  const take = (result: Awaited<ReturnType<typeof client.call<"prompt.put">>>): boolean => {
    if (result.ok) setPrompts(result.value.prompts);
    else tell(result.error);
    return result.ok;
  };
  return {
    prompts,
    put: async (prompt: NamedPrompt) => take(await client.call("prompt.put", prompt)),
    remove: async (name: string) => take(await client.call("prompt.delete", { name })),
  };
}

function Fallbacks(props: { readonly fallbacks: readonly string[]; readonly onSet: (models: string[]) => void }) {
  const { client } = useApp();
  const known = useObservable(client.workspace)?.models ?? [];
  const [typed, setTyped] = useState(props.fallbacks.join(", "));
  const models = modelsIn(typed);
  return (
    <form
      className="setting"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSet(models);
      }}
    >
      <h3>
        <label htmlFor="fallbacks">When the model does not answer</label>
      </h3>
      <p className="quiet" id="fallbacks-words">
        These models answer a message in its place, in order, after a limit or an outage and its retries. The message
        says so.
      </p>
      <div className="setting-field">
        <input
          id="fallbacks"
          aria-describedby="fallbacks-words"
          list="fallback-models"
          placeholder="provider/model, provider/model"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id="fallback-models">
          {known.map(({ id }) => (
            <option key={id} value={[...models.filter((each) => each !== id).slice(0, -1), id].join(", ")} />
          ))}
        </datalist>
        <button type="submit" className="button small" disabled={models.join() === props.fallbacks.join()}>
          Set
        </button>
      </div>
    </form>
  );
}
