import { useDeferredValue, useId, useMemo, useState } from "react";
import type { WorkspaceView } from "../../../src/client/base/types.ts";
import type { ShownRoot } from "../view/run/shown-root.ts";
import { usualPolicy } from "../../../src/core/syntax/base/policy.ts";
import { type ExplainedRow, explainedRows } from "../../../src/core/syntax/explained-rows.ts";
import type { Syntax } from "../../../src/core/syntax/base/syntax.ts";
import { readDialect } from "../../../src/core/syntax/read-dialect.ts";
import { defaultSyntax } from "../../../src/core/syntax/registry.ts";
import { writeCalls } from "../../../src/core/syntax/write/write-calls.ts";
import { toolDefinition } from "../../../src/core/tool/base/definitions.ts";
import { allFeatures, toolSpecs } from "../../../src/core/tool/registry.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { shownParameters } from "../view/calls/call-parameters.ts";
import { labRow, syntaxWords, verdictOf } from "./lab-words.ts";
import { dialectText, OwnDialect, ownDialect } from "./own-dialect.tsx";
import { useSyntaxes } from "./use-syntaxes.ts";

const tools = toolSpecs(allFeatures).map((spec) => ({
  ...toolDefinition(spec),
  access: spec.access,
}));

/** The conversation's tool-call syntax, and the lab to try a reply. */
export function ToolCallsDialog(props: {
  readonly root: ShownRoot | null;
  readonly model: WorkspaceView["models"][number] | null;
  readonly live: boolean;
  readonly onClose: () => void;
}) {
  const { root, model } = props;
  const { known, problems } = useSyntaxes();
  const proposed = model?.proposedSyntax ?? null;
  const usual = model?.tools === false && proposed !== null ? proposed : defaultSyntax(model?.tools ?? true).id;
  return (
    <Dialog title="Tool calls" className="tool-calls" onClose={props.onClose}>
      {root !== null && <Choice root={root} live={props.live} known={known} proposed={proposed} />}
      {problems.map(({ name, problem }) => (
        <p key={name} role="alert">
          The file syntaxes/{name} in the data folder is not used: {problem}.
        </p>
      ))}
      <Lab first={root?.toolSyntax ?? usual} known={known} />
    </Dialog>
  );
}

function Choice(props: {
  readonly root: ShownRoot;
  readonly live: boolean;
  readonly known: readonly Syntax[];
  /** The syntax that the model's chat template shows. */
  readonly proposed: string | null;
}) {
  const { client, tell } = useApp();
  const id = useId();
  const { root } = props;
  const choose = (toolSyntax: string): void => {
    const change = { rootId: root.id, toolSyntax: toolSyntax === "" ? null : toolSyntax };
    void client.call("conversation.set-tool-syntax", change).then((result) => {
      if (!result.ok) tell(result.error);
    });
  };
  return (
    <div className="setting">
      <label htmlFor={id}>In this conversation</label>
      <select
        id={id}
        value={root.toolSyntax ?? ""}
        disabled={!props.live}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">Default for the model and server</option>
        {props.known.map((syntax) => (
          <option key={syntax.id} value={syntax.id}>
            {syntaxWords(syntax)}
          </option>
        ))}
      </select>
      <p className="quiet">
        Applies from the next request, also to how earlier calls are sent to the model. For a model without native
        calls, the default is the syntax of its chat template if Heddle recognises one, else XML.
      </p>
      {props.proposed !== null && <p className="quiet">This model’s chat template shows {props.proposed}.</p>}
    </div>
  );
}

const policies = { "serial-one": "One call", smart: "Reads, or one write", "serial-all": "All calls" } as const;
type Policy = keyof typeof policies;

function Lab({ first, known }: { readonly first: string; readonly known: readonly Syntax[] }) {
  const ids = { reply: useId(), heading: useId() };
  const inText = known.filter(({ grammar }) => grammar !== null);
  const [chosen, setChosen] = useState(inText.some(({ id }) => id === first) ? first : "caret");
  const [wish, setPolicy] = useState<Policy | null>(null);
  const [cut, setCut] = useState(false);
  const [reply, setReply] = useState("");
  const read = useDeferredValue(reply);
  const [data, setData] = useState("");
  const readData = useDeferredValue(data);
  const own = useMemo(() => (chosen === ownDialect ? readDialect(readData) : null), [chosen, readData]);
  const syntax = own === null ? inText.find(({ id }) => id === chosen) : own.ok ? own.value : undefined;
  const choose = (id: string): void => {
    // The data begins as that of the syntax that was chosen before.
    if (id === ownDialect && data === "") setData(dialectText(chosen));
    setChosen(id);
  };
  // As a conversation reads it, until another policy is chosen.
  const usual = syntax === undefined ? "serial-one" : usualPolicy(syntax);
  const policy = wish ?? (usual === "parallel" ? "serial-all" : usual);
  const rows = useMemo(
    () => (syntax === undefined ? [] : explainedRows(syntax, read, { tools, policy }, cut ? "cut" : "stopped")),
    [syntax, read, policy, cut],
  );
  const example = useMemo(() => {
    if (syntax === undefined) return "";
    const parameters = { lease_id: "lease_1", query: "a word" };
    const written = writeCalls(syntax, [{ name: "canvas_grep", parameters }], tools);
    return written.ok ? written.value : "";
  }, [syntax]);
  return (
    <section className="syntax-lab" aria-labelledby={ids.heading}>
      <h3 id={ids.heading}>Try a syntax</h3>
      <LabChoices
        syntaxes={inText}
        chosen={chosen}
        onChoose={choose}
        policy={policy}
        onPolicy={setPolicy}
        cut={cut}
        onCut={setCut}
      />
      {own !== null && <OwnDialect data={data} onData={setData} read={own} />}
      <label htmlFor={ids.reply}>A model’s reply</label>
      <textarea
        id={ids.reply}
        rows={8}
        spellCheck={false}
        value={reply}
        placeholder={example}
        onChange={(event) => setReply(event.target.value)}
      />
      <div className="lab-foot">
        <button type="button" className="quiet-button" onClick={() => setReply(example)}>
          Insert an example
        </button>
        <p role="status">
          {read === "" ? "Nothing is sent anywhere. The lab uses Heddle’s own tools." : verdictOf(rows)}
        </p>
      </div>
      {rows.length > 0 && <Rows rows={rows} />}
    </section>
  );
}

/** The syntax and policy used to read the pasted reply. */
function LabChoices(props: {
  readonly syntaxes: readonly Syntax[];
  readonly chosen: string;
  readonly onChoose: (syntaxId: string) => void;
  readonly policy: Policy;
  readonly onPolicy: (policy: Policy) => void;
  readonly cut: boolean;
  readonly onCut: (cut: boolean) => void;
}) {
  const ids = { syntax: useId(), policy: useId() };
  return (
    <div className="lab-choices">
      <label htmlFor={ids.syntax}>Syntax</label>
      <select id={ids.syntax} value={props.chosen} onChange={(event) => props.onChoose(event.target.value)}>
        {props.syntaxes.map((one) => (
          <option key={one.id} value={one.id}>
            {syntaxWords(one)}
          </option>
        ))}
        <option value={ownDialect}>A dialect of your own…</option>
      </select>
      <label htmlFor={ids.policy}>A reply may contain</label>
      <select
        id={ids.policy}
        value={props.policy}
        onChange={(event) => {
          const wanted = Object.keys(policies).find((name) => name === event.target.value);
          if (isPolicy(wanted)) props.onPolicy(wanted);
        }}
      >
        {Object.entries(policies).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <label className="lab-cut">
        <input type="checkbox" checked={props.cut} onChange={(event) => props.onCut(event.target.checked)} />
        The reply was cut off
      </label>
    </div>
  );
}

/** The recognized parts of the reply, line by line. */
function Rows({ rows }: { readonly rows: readonly ExplainedRow[] }) {
  return (
    <ol className="lab-rows" aria-label="What was recognised">
      {rows.map((row, index) => {
        const { kind, word, text, why } = labRow(row);
        return (
          <li key={index} data-kind={kind}>
            <span className="lab-line">Line {row.line}</span>
            <span className="lab-word">{word}</span>
            <span className="lab-text">{text}</span>
            {why !== null && <p>{why}</p>}
            {row.type === "call" && Object.keys(row.parameters).length > 0 && (
              <dl className="call-parameters">
                {shownParameters(row.parameters).map((parameter) => (
                  <div key={parameter.name}>
                    <dt>{parameter.name}</dt>
                    <dd>{parameter.text}</dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function isPolicy(name: string | undefined): name is Policy {
  return name !== undefined && Object.hasOwn(policies, name);
}
