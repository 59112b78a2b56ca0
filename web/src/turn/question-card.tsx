import { useId, useState } from "react";
import type { RunId } from "../../../src/core/base/ids.ts";
import { answerUnitsMax, noteUnitsMax } from "../../../src/core/protocol/base/limits.ts";
import { isUnusualHost } from "../../../src/core/turn/answer/elicitation.ts";
import type { Answer, Question } from "../../../src/core/turn/state/question.ts";
import type { TurnState } from "../../../src/core/turn/state/state.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { keepTyped, typedIn } from "./typed-words.ts";
import { answerOf, emptyAnswer, type GivenAnswer, withChoice } from "./given-answer.ts";
import type { RunHead } from "../view/run/run-head.ts";

type Waiting = Extract<TurnState, { readonly type: "awaiting-answer" }>;

/** A model's question to a person: its options and a field for other words. */
export function QuestionCard({ run, state }: { readonly run: RunHead; readonly state: Waiting }) {
  const { client, tell } = useApp();
  const { questions, callId, asker } = state;
  const { runId } = run;
  const card = questionKey(runId, state);
  const [given, setGiven] = useState<readonly GivenAnswer[]>(() => {
    const fields = typedIn(card);
    return questions.map((_, at) => ({ ...emptyAnswer, own: fields[2 * at] ?? "", note: fields[2 * at + 1] ?? "" }));
  });
  const change = (next: readonly GivenAnswer[]): void => {
    setGiven(next);
    keepTyped(card, { runId, fields: next.flatMap(fieldsOf) });
  };
  const [sent, setSent] = useState(false);
  const answers = given.flatMap((each, at) => answerOf(each, questions[at]) ?? []);
  const send = (said: readonly Answer[] | null): void => {
    setSent(true);
    keepTyped(card, { runId, fields: [] });
    void client.call("question.answer", { runId, callId, answers: said }).then((result) => {
      setSent(false);
      if (result.ok) return;
      keepTyped(card, { runId, fields: given.flatMap(fieldsOf) });
      tell(result.error);
    });
  };
  return (
    <section
      className="turn-card"
      data-card="question"
      aria-label={asker === undefined ? "The agent asks you" : `${asker} asks you`}
    >
      <Icon name="help" size={18} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (answers.length === questions.length) send(answers);
        }}
      >
        {asker !== undefined && (
          <p className="asked-by">
            <b>{asker}</b> asks you. These are its words, not Heddle’s; it gets what you answer.
          </p>
        )}
        {questions.map((question, index) => (
          <Asked
            key={question.question}
            question={question}
            isForm={asker !== undefined}
            given={given[index] ?? emptyAnswer}
            onChange={(next) => change(given.map((each, at) => (at === index ? next : each)))}
          />
        ))}
        <div className="button-row">
          <button type="submit" className="button primary" disabled={sent || answers.length < questions.length}>
            {questions.length === 1 ? "Answer" : `Answer all ${questions.length}`}
          </button>
          <button type="button" className="button" disabled={sent} onClick={() => send(null)}>
            {asker === undefined ? "Let the agent decide" : "Decline"}
          </button>
        </div>
      </form>
    </section>
  );
}

/** Returns a key of a question; call ids alone repeat. */
export function questionKey(runId: RunId, { callId, questions }: Waiting): string {
  return [runId, callId, ...questions.map(({ question }) => question)].join(" ");
}

function fieldsOf({ own, note }: GivenAnswer): readonly string[] {
  return [own, note];
}

function Asked(props: {
  readonly question: Question;
  /** A program asks: it takes its options or, where there are none, words. */
  readonly isForm: boolean;
  readonly given: GivenAnswer;
  readonly onChange: (given: GivenAnswer) => void;
}) {
  const { question, given, isForm } = props;
  const name = useId();
  const previewed = question.options.filter(
    ({ label, preview }) => preview !== undefined && given.chosen.includes(label),
  );
  return (
    <fieldset className="asked">
      <legend>
        {question.question}
        {question.optional === true && <small> (optional)</small>}
      </legend>
      {question.url !== undefined && <AskedAddress url={question.url} />}
      {question.options.map(({ label, description }) => (
        <label key={label} className="asked-option">
          <input
            type={question.multiple ? "checkbox" : "radio"}
            name={name}
            checked={given.chosen.includes(label)}
            onChange={() => props.onChange(withChoice(given, label, question.multiple))}
          />
          <span>
            {label}
            {description !== undefined && <small>{description}</small>}
          </span>
        </label>
      ))}
      {previewed.map(({ label, preview }) => (
        <pre key={label} tabIndex={0} role="region" aria-label={`Preview of ${label}`}>
          {preview}
        </pre>
      ))}
      {(!isForm || question.options.length === 0) && (
        <input
          aria-label={`Your own answer to: ${question.question}`}
          placeholder={isForm ? "Your answer" : "Your own answer"}
          maxLength={answerUnitsMax}
          value={given.own}
          onChange={(event) => props.onChange({ ...given, own: event.target.value })}
        />
      )}
      {!isForm && (
        <input
          aria-label={`Note on: ${question.question}`}
          placeholder="Add a note (optional)"
          maxLength={noteUnitsMax}
          value={given.note}
          onChange={(event) => props.onChange({ ...given, note: event.target.value })}
        />
      )}
    </fieldset>
  );
}

/** An address that a program asks to open: whole, with its host by itself. Nothing is fetched before the click. */
function AskedAddress({ url }: { readonly url: string }) {
  const { host } = new URL(url);
  return (
    <p className="asked-address">
      <a href={url} target="_blank" rel="noopener noreferrer">
        {url}
      </a>
      <span>
        The host is <b>{host}</b>.
        {isUnusualHost(host) && <strong> Its name may look like another one: check it before you open it.</strong>}
      </span>
    </p>
  );
}
