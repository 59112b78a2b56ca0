import { type RefObject, useState } from "react";
import { useApp } from "../../ui/app-context.ts";
import { Icon } from "../../ui/icons.tsx";
import { useObservable } from "../../ui/use-observable.ts";
import type { Attachments } from "../kept/attachments.ts";
import type { Draft } from "../kept/draft.ts";
import { filesOf, type OfferedPrompt, promptsNamed, useServerOffers } from "./server-offers.ts";

interface PromptsProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly draft: Draft;
  readonly attachments: Attachments;
}

/** How many prompts are offered. */
const offeredMax = 8;

/** Offers prompts of MCP servers while `/` and letters are all there is; a prompt's words come into the field, to be read and sent. */
export function ServerPrompts(props: PromptsProps) {
  const { text } = useObservable(props.draft);
  const [chosen, setChosen] = useState<OfferedPrompt | null>(null);
  const letters = /^\/([^\s/]{0,60})$/u.exec(text)?.[1];
  if (chosen !== null) return <PromptForm {...props} chosen={chosen} onDone={() => setChosen(null)} />;
  return letters === undefined ? null : <PromptList {...props} letters={letters} onChoose={setChosen} />;
}

function PromptList(
  props: PromptsProps & { readonly letters: string; readonly onChoose: (chosen: OfferedPrompt) => void },
) {
  const prompts = promptsNamed(useServerOffers(), props.letters, offeredMax);
  if (prompts.length === 0) return null;
  return (
    <ul className="mention-list" aria-label="Prompts of servers">
      {prompts.map((each) => (
        <li key={`${each.server}:${each.prompt.name}`}>
          <button type="button" className="menu-item" onClick={() => props.onChoose(each)}>
            <Icon name="document" size={14} />
            <span className="menu-label">
              /{each.server}:{each.prompt.name}
            </span>
            <span className="menu-note">{each.prompt.description || each.prompt.title}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Takes the values of a prompt's parameters. */
function PromptForm(props: PromptsProps & { readonly chosen: OfferedPrompt; readonly onDone: () => void }) {
  const { field, draft, attachments, chosen, onDone } = props;
  const { client, tell } = useApp();
  const { server, prompt } = chosen;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [isAsked, setAsked] = useState(false);
  const isWhole = prompt.parameters.every(({ name, isRequired }) => !isRequired || (values[name] ?? "").trim() !== "");
  const fill = async (): Promise<void> => {
    setAsked(true);
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
    const filled = await client.call("mcp.prompt", { server, prompt: prompt.name, values: given });
    setAsked(false);
    if (!filled.ok) return tell(filled.error);
    const files = await filesOf(filled.value.attachments);
    if (files === null) tell("What the prompt brings along could not be attached. Check the connection and try again.");
    else attachments.add(files);
    draft.setText(filled.value.text);
    onDone();
    field.current?.focus();
  };
  return (
    <fieldset className="prompt-form" aria-label={`Prompt ${prompt.title} of ${server}`}>
      <legend>
        /{server}:{prompt.name}
      </legend>
      {prompt.description !== "" && <p>{prompt.description}</p>}
      {prompt.parameters.map(({ name, description, isRequired }, at) => (
        <label key={name}>
          {name}
          {!isRequired && " (optional)"}
          <input
            // The list that had the focus is gone.
            autoFocus={at === 0}
            value={values[name] ?? ""}
            placeholder={description}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        </label>
      ))}
      <div className="button-row">
        <button type="button" className="button primary" disabled={isAsked || !isWhole} onClick={() => void fill()}>
          Put it into the message
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </fieldset>
  );
}
