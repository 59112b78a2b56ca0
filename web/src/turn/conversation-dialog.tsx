import { type ReactNode, useState } from "react";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { Result } from "../../../src/core/base/result.ts";
import type { ApprovalTier, Budget, CallPolicy } from "../../../src/core/forest/run-rules.ts";
import type { ForestRoot } from "../../../src/core/forest/types.ts";
import { acceptsMessage } from "../../../src/core/turn/precheck.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { conversationTitle } from "../view/words/conversation-title.ts";
import { budgetFields, budgetFrom, type BudgetWords, budgetWords } from "./budget-words.ts";
import { Remembered } from "./remembered.tsx";
import { UsageSection } from "./usage-section.tsx";
import type { RunHead } from "../view/run/run-head.ts";

interface RulesChange {
  readonly approvals?: ApprovalTier | null;
  readonly callPolicy?: CallPolicy | null;
  readonly budget?: Budget | null;
}

/** What runs of one conversation go by, what it has used up, and its end. */
export function ConversationDialog(props: {
  readonly root: ForestRoot;
  readonly run: RunHead | null;
  readonly onClose: () => void;
}) {
  const { client, tell } = useApp();
  const { root, run } = props;
  const [budget, setBudget] = useState<BudgetWords>(() => budgetWords(root.budget ?? {}));
  const [ending, setEnding] = useState(false);
  const report = (result: Result<unknown, Refusal>): boolean => {
    if (!result.ok) tell(result.error);
    return result.ok;
  };
  // What was chosen is shown at once, until the conversation says what it is now.
  const [chosen, setChosen] = useState<{ readonly of: ForestRoot; readonly rules: RulesChange }>({
    of: root,
    rules: {},
  });
  const { approvals = root.approvals ?? null, callPolicy = root.callPolicy ?? null } =
    chosen.of === root ? chosen.rules : {};
  const setRules = (change: RulesChange): void => {
    setChosen({ of: root, rules: { ...(chosen.of === root ? chosen.rules : {}), ...change } });
    void client.call("conversation.rules", { rootId: root.id, ...change }).then((result) => {
      if (!report(result)) setChosen({ of: root, rules: {} });
    });
  };
  const read = budgetFrom(budget);
  const sumUp = (): void => {
    if (run !== null) void client.call("run.summarize", { runId: run.runId }).then((r) => report(r) && props.onClose());
  };
  const remove = (): void => {
    void client.call("conversation.delete", { rootId: root.id }).then((r) => report(r) && props.onClose());
  };
  const saveTrace = (): void => {
    void client.call("conversation.trace", { rootId: root.id }).then((result) => {
      if (!result.ok) return tell(result.error);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([result.value.trace], { type: "application/jsonl" }));
      link.download = `${root.slug}.trace.jsonl`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  };
  return (
    <Dialog title={`Rules and use of ${conversationTitle(root)}`} className="settings" onClose={props.onClose}>
      <Choices
        name="approvals"
        legend="Calls of tools that need your word"
        choices={tiers}
        chosen={approvals}
        onChoose={(tier) => setRules({ approvals: tier })}
      >
        <p className="quiet">
          Whatever you choose, a call that could carry your documents outside at the wish of somebody else’s text needs
          your word.
        </p>
      </Choices>
      <Choices
        name="call-policy"
        legend="Several calls in one reply"
        choices={policies}
        chosen={callPolicy}
        onChoose={(policy) => setRules({ callPolicy: policy })}
      />
      <form
        className="setting budget"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.ok) setRules({ budget: read.value });
        }}
      >
        <h3>Budget</h3>
        {budgetFields.map(({ name, label }) => (
          <label key={name}>
            <span>{label}</span>
            <input
              inputMode="decimal"
              placeholder="no bound"
              value={budget[name]}
              onChange={(event) => setBudget({ ...budget, [name]: event.target.value })}
            />
          </label>
        ))}
        {!read.ok && <p className="field-problem">{read.error}</p>}
        <button type="submit" className="button" disabled={!read.ok}>
          Set the budget
        </button>
      </form>
      <UsageSection rootId={root.id} contextUsed={run?.contextUsed ?? null} />
      <Remembered rootId={root.id} />
      <div className="setting">
        <h3>More</h3>
        <div className="button-row">
          <button
            type="button"
            className="button"
            disabled={run === null || run.headNodeId === null || !acceptsMessage(run.state).ok}
            onClick={sumUp}
          >
            Sum up and go on in a new branch
          </button>
          <button type="button" className="button" onClick={saveTrace}>
            Save a trace
          </button>
          {ending ? (
            <button type="button" className="button danger" onClick={remove}>
              Delete it for good
            </button>
          ) : (
            <button type="button" className="button" onClick={() => setEnding(true)}>
              Delete…
            </button>
          )}
        </div>
        {ending && (
          <p className="quiet">
            Every branch of this conversation and the work of its sub-agents go, and cannot be brought back. Canvases
            stay.
          </p>
        )}
      </div>
    </Dialog>
  );
}

const tiers: readonly (readonly [ApprovalTier | null, string])[] = [
  [null, "As the server is set"],
  ["all", "Every call"],
  ["writes", "Those that write, or reach outside"],
  ["outward", "Those that reach outside"],
  ["none", "None"],
];

const policies: readonly (readonly [CallPolicy | null, string])[] = [
  [null, "As fits the model"],
  ["serial-one", "Only the first"],
  ["smart", "Reads one after the other; a write first and alone"],
  ["serial-all", "All, one after the other"],
  ["parallel", "All at once"],
];

/** One of some; null is what the server does without a word. */
function Choices<Value extends string>(props: {
  readonly name: string;
  readonly legend: string;
  readonly choices: readonly (readonly [Value | null, string])[];
  readonly chosen: Value | null;
  readonly onChoose: (value: Value | null) => void;
  readonly children?: ReactNode;
}) {
  return (
    <fieldset className="setting">
      <legend>{props.legend}</legend>
      <div className="choices">
        {props.choices.map(([value, words]) => (
          <label key={value ?? "server"}>
            <input
              type="radio"
              name={props.name}
              checked={props.chosen === value}
              onChange={() => props.onChoose(value)}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
      {props.children}
    </fieldset>
  );
}
