import { useCallback, useEffect, useId, useState, type SyntheticEvent } from "react";
import type { CommandAnswer, CommandParams } from "../../../../src/core/protocol/commands.ts";
import type { GroupId, PersonId } from "../../../../src/core/base/ids.ts";
import { budgetPeriods, type BudgetPeriod } from "../../../../src/core/rights/spending-limits.ts";
import { budgetFrom } from "../../turn/budget-words.ts";
import { useApp } from "../../ui/app-context.ts";
import { budgetSentence, periodWords } from "./team-budget-words.ts";

type Budgets = CommandAnswer<"budget.list">;
type Setting = CommandParams<"budget.set">;
/** Sends a budget, and says what came of it. Resolves to whether it was set. */
type Send = (setting: Setting, done: string) => Promise<boolean>;
type Holder = Setting["of"] & { readonly name: string };

/** What the people and groups of the team may spend on models, and what they spent; an owner sets it. */
export function BudgetSettings() {
  const { client, announce } = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const [shown, setShown] = useState<Budgets | null>(null);
  const [holders, setHolders] = useState<readonly Holder[]>([]);
  const read = useCallback(async () => {
    const [budgets, people, groups] = await Promise.all([
      client.call("budget.list", {}),
      client.call("person.list", {}),
      client.call("group.list", {}),
    ]);
    if (budgets.ok) setShown(budgets.value);
    setHolders([
      ...(people.ok ? people.value.people : []).map(({ personId, name }): Holder => {
        return { type: "person", id: personId as PersonId, name };
      }),
      ...(groups.ok ? groups.value.groups : []).map(({ groupId, name }): Holder => {
        return { type: "group", id: groupId as GroupId, name: `${name} (group)` };
      }),
    ]);
  }, [client]);
  useEffect(() => void read(), [read]);
  const send: Send = async (setting, done) => {
    const sent = await client.call("budget.set", setting);
    if (sent.ok) announce(done);
    setProblem(sent.ok ? null : sent.error.message);
    await read();
    return sent.ok;
  };
  if (shown === null || (!shown.mayManage && shown.budgets.length === 0)) return null;
  return (
    <section className="setting" aria-labelledby="budgets-heading">
      <h3 id="budgets-heading">Budgets</h3>
      <p className="quiet">
        What somebody asks models is paid from their own budget and from those of their groups. Days and months are by
        UTC.
      </p>
      {problem !== null && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      {shown.budgets.length > 0 && (
        <ul className="presets" aria-label="Budgets">
          {shown.budgets.map((budget) => (
            <Budget key={`${budget.of.id} ${budget.per}`} budget={budget} mayManage={shown.mayManage} send={send} />
          ))}
        </ul>
      )}
      {shown.mayManage && <BudgetForm holders={holders} send={send} onProblem={setProblem} />}
    </section>
  );
}

function Budget(props: {
  readonly budget: Budgets["budgets"][number];
  readonly mayManage: boolean;
  readonly send: Send;
}) {
  const { budget, mayManage, send } = props;
  const { of, name, per } = budget;
  const end = (): void => {
    const setting = { of: of as Setting["of"], per, tokens: null, dollars: null };
    void send(setting, `${name} has no budget ${periodWords[per]} any more.`);
  };
  return (
    <li className="preset">
      <span>{of.type === "group" ? `${name} (group)` : name}</span>
      <span className={budget.isUsedUp ? "bad" : "quiet"}>{budgetSentence(budget)}</span>
      {mayManage && (
        <span className="preset-actions">
          <button
            type="button"
            className="button small"
            aria-label={`End the budget of ${name} ${periodWords[per]}`}
            onClick={end}
          >
            End
          </button>
        </span>
      )}
    </li>
  );
}

function BudgetForm(props: {
  readonly holders: readonly Holder[];
  readonly send: Send;
  readonly onProblem: (problem: string) => void;
}) {
  const { holders, send, onProblem } = props;
  const [chosen, setChosen] = useState("");
  const [per, setPer] = useState<BudgetPeriod>("month");
  const [words, setWords] = useState({ tokens: "", dollars: "" });
  const id = useId();
  const holder = holders.find((each) => each.id === chosen) ?? holders[0];
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const read = budgetFrom({ ...words, steps: "", subAgents: "" });
    if (!read.ok) return onProblem(read.error);
    const { tokens = null, dollars = null } = read.value ?? {};
    if (tokens === null && dollars === null) return onProblem("Enter tokens, US dollars, or both.");
    if (holder === undefined) return;
    const { name, ...of } = holder;
    void send({ of, per, tokens, dollars }, `The budget of ${name} is set.`).then((done) => {
      if (done) setWords({ tokens: "", dollars: "" });
    });
  };
  return (
    <form className="preset-form" aria-label="Set a budget" onSubmit={submit}>
      <p className="preset-field">
        <label htmlFor={`${id}-who`}>Who has the budget</label>
        <select id={`${id}-who`} value={holder?.id ?? ""} onChange={({ target }) => setChosen(target.value)}>
          {holders.map(({ id: each, name }) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      </p>
      <p className="preset-field">
        <label htmlFor={`${id}-per`}>For</label>
        <select
          id={`${id}-per`}
          value={per}
          onChange={({ target }) => setPer(budgetPeriods.find((each) => each === target.value) ?? "month")}
        >
          {budgetPeriods.map((each) => (
            <option key={each} value={each}>
              {periodWords[each]}
            </option>
          ))}
        </select>
      </p>
      {(["tokens", "dollars"] as const).map((name) => (
        <p key={name} className="preset-field">
          <label htmlFor={`${id}-${name}`}>
            {name === "tokens" ? "Tokens of the budget" : "US dollars of the budget"}
          </label>
          <input
            id={`${id}-${name}`}
            inputMode="decimal"
            autoComplete="off"
            value={words[name]}
            onChange={({ target }) => setWords({ ...words, [name]: target.value })}
          />
        </p>
      ))}
      <div className="button-row end">
        <button type="submit" className="button small">
          Set the budget
        </button>
      </div>
    </form>
  );
}
