import { saveFile } from "../browser/save-file.ts";
import { signedInMember } from "../browser/session.ts";
import { SharePanel } from "../share/share-panel.tsx";
import { type ReactNode, useState } from "react";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { Result } from "../../../src/core/base/result.ts";
import type { ApprovalTier, Budget, CallPolicy, CompactionSettings } from "../../../src/core/forest/run-rules.ts";
import type { ForestRoot } from "../../../src/core/forest/types.ts";
import { acceptsMessage } from "../../../src/core/turn/step/precheck.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useDeletions } from "../trash/use-deletions.ts";
import { conversationTitle } from "../../../src/core/forest/list.ts";
import { budgetFields, budgetFrom, type BudgetWords, budgetWords } from "./budget-words.ts";
import { ReplySettings } from "./reply-settings.tsx";
import { Remembered } from "./remembered.tsx";
import { LockNote } from "../ui/lock/lock-note.tsx";
import { useLocks } from "../ui/lock/use-locks.ts";
import { UsageSection } from "./usage-section.tsx";
import type { RunHead } from "../view/run/run-head.ts";

interface RulesChange {
  readonly approvals?: ApprovalTier | null;
  readonly callPolicy?: CallPolicy | null;
  readonly budget?: Budget | null;
  readonly compaction?: CompactionSettings | null;
}

/** A conversation's rules, usage and deletion. */
export function ConversationDialog(props: {
  readonly root: ForestRoot;
  readonly run: RunHead | null;
  readonly onClose: () => void;
}) {
  const { root, run, onClose } = props;
  const { approvals, callPolicy, compaction, setRules } = useRules(root);
  const locks = useLocks();
  return (
    <Dialog title={`Permissions and usage of ${conversationTitle(root)}`} className="settings" onClose={onClose}>
      {signedInMember() !== null && <SharePanel thing={{ type: "conversation", id: root.id }} />}
      <Choices
        name="approvals"
        legend="Ask me before tool calls"
        choices={tiers}
        lockedBy={locks.get("approvals")}
        chosen={approvals}
        onChoose={(tier) => setRules({ approvals: tier })}
      >
        <p className="quiet">
          Whatever you choose, Heddle asks you before a call that could send your documents out because of text that
          someone else wrote.
        </p>
      </Choices>
      <Choices
        name="call-policy"
        legend="When a reply contains several calls"
        choices={policies}
        chosen={callPolicy}
        onChoose={(policy) => setRules({ callPolicy: policy })}
      />
      <ReplySettings root={root} lockedBy={locks.get("replies")} />
      <Choices
        name="compact-at"
        legend="Sum up earlier messages when the model's window is full to"
        choices={shares}
        chosen={compaction?.at === undefined ? null : compaction.at === "off" ? "off" : nearestShare(compaction.at)}
        onChoose={(at) => setRules({ compaction: withShare(compaction, at) })}
      >
        <p className="quiet">The messages are kept, and you can switch between them and the summary.</p>
      </Choices>
      <BudgetForm root={root} lockedBy={locks.get("budgets")} onBudget={(budget) => setRules({ budget })} />
      <UsageSection rootId={root.id} contextUsed={run?.contextUsed ?? null} />
      <Remembered rootId={root.id} />
      <MoreActions root={root} run={run} onClose={onClose} />
    </Dialog>
  );
}

/** Returns a conversation's rules. A choice is shown at once, until the conversation reports its rules. */
function useRules(root: ForestRoot) {
  const { client, tell } = useApp();
  const [chosen, setChosen] = useState<{ readonly of: ForestRoot; readonly rules: RulesChange }>({
    of: root,
    rules: {},
  });
  const rules = chosen.of === root ? chosen.rules : {};
  const { approvals = root.approvals ?? null, callPolicy = root.callPolicy ?? null } = rules;
  const { compaction = root.compaction ?? null } = rules;
  const setRules = (change: RulesChange): void => {
    setChosen({ of: root, rules: { ...rules, ...change } });
    void client.call("conversation.rules", { rootId: root.id, ...change }).then((result) => {
      if (result.ok) return;
      tell(result.error);
      setChosen({ of: root, rules: {} });
    });
  };
  return { approvals, callPolicy, compaction, setRules };
}

function BudgetForm(props: {
  readonly root: ForestRoot;
  /** The owner who locked the setting; undefined: the person may change it. */
  readonly lockedBy: string | undefined;
  readonly onBudget: (budget: Budget | null) => void;
}) {
  const [budget, setBudget] = useState<BudgetWords>(() => budgetWords(props.root.budget ?? {}));
  const read = budgetFrom(budget);
  return (
    <form
      className="setting budget"
      onSubmit={(event) => {
        event.preventDefault();
        if (read.ok) props.onBudget(read.value);
      }}
    >
      <h3>Budget</h3>
      {budgetFields.map(({ name, label }) => (
        <label key={name}>
          <span>{label}</span>
          <input
            inputMode="decimal"
            placeholder="No limit"
            disabled={props.lockedBy !== undefined}
            value={budget[name]}
            onChange={(event) => setBudget({ ...budget, [name]: event.target.value })}
          />
        </label>
      ))}
      {!read.ok && <p className="field-problem">{read.error}</p>}
      <LockNote by={props.lockedBy} />
      <button type="submit" className="button" disabled={!read.ok || props.lockedBy !== undefined}>
        Set the budget
      </button>
    </form>
  );
}

function MoreActions(props: { readonly root: ForestRoot; readonly run: RunHead | null; readonly onClose: () => void }) {
  const { client, tell } = useApp();
  const { root, run, onClose } = props;
  const { removeConversation } = useDeletions();
  const closeAfter = (result: Result<unknown, Refusal>): void => {
    if (result.ok) onClose();
    else tell(result.error);
  };
  const summarize = (): void => {
    if (run !== null) void client.call("run.summarize", { runId: run.runId }).then(closeAfter);
  };
  const remove = (): void => {
    void removeConversation(root.id, conversationTitle(root)).then((deleted) => {
      if (deleted) onClose();
    });
  };
  const saveTrace = (): void => {
    void client.call("conversation.trace", { rootId: root.id }).then((result) => {
      if (!result.ok) return tell(result.error);
      saveFile(`${root.slug}.trace.jsonl`, new Blob([result.value.trace], { type: "application/jsonl" }));
    });
  };
  return (
    <div className="setting">
      <h3>More</h3>
      <div className="button-row">
        <button
          type="button"
          className="button"
          disabled={run === null || run.headNodeId === null || !acceptsMessage(run.state).ok}
          onClick={summarize}
        >
          Summarize and continue in a new branch
        </button>
        <button type="button" className="button" onClick={saveTrace}>
          Save a trace
        </button>
        <button type="button" className="button" onClick={remove}>
          Delete
        </button>
      </div>
      <p className="quiet">
        Deleting moves the conversation to the trash, with all branches and the work of its sub-agents. Canvases are
        kept.
      </p>
    </div>
  );
}

const tiers: readonly (readonly [ApprovalTier | null, string])[] = [
  [null, "Server default"],
  ["all", "Every call"],
  ["writes", "Calls that write or leave this machine"],
  ["outward", "Only calls that leave this machine"],
  ["none", "Never"],
];

const policies: readonly (readonly [CallPolicy | null, string])[] = [
  [null, "Choose by model"],
  ["serial-one", "Run only the first"],
  ["smart", "Run reads one by one, and a write only if it comes first and alone"],
  ["serial-all", "Run all, one after another"],
  ["parallel", "Run all at once"],
];

type Share = "off" | "50" | "65" | "80" | "95";
const shares: readonly (readonly [Share | null, string])[] = [
  [null, "Server default"],
  ["50", "50 %"],
  ["65", "65 %"],
  ["80", "80 %"],
  ["95", "95 %"],
  ["off", "Never: a full branch ends, and continues in a new one"],
];

function nearestShare(at: number): Share {
  return at < 58 ? "50" : at < 73 ? "65" : at < 88 ? "80" : "95";
}

/** The settings with another share; null when nothing is left of them. */
function withShare(before: CompactionSettings | null, share: Share | null): CompactionSettings | null {
  const model = before?.model === undefined ? {} : { model: before.model };
  if (share === null) return before?.model === undefined ? null : model;
  return { ...model, at: share === "off" ? "off" : Number(share) };
}

/** A choice; null is the server's default. */
function Choices<Value extends string>(props: {
  readonly name: string;
  readonly legend: string;
  readonly choices: readonly (readonly [Value | null, string])[];
  readonly chosen: Value | null;
  readonly onChoose: (value: Value | null) => void;
  /** The owner who locked the setting; undefined: the person may change it. */
  readonly lockedBy?: string | undefined;
  readonly children?: ReactNode;
}) {
  return (
    <fieldset className="setting" disabled={props.lockedBy !== undefined}>
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
      <LockNote by={props.lockedBy} />
      {props.children}
    </fieldset>
  );
}
