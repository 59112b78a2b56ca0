import { useEffect, useState } from "react";
import type { Right } from "../../../src/core/rights/token-right.ts";
import { answerQuestion, readQuestion, type ProgramQuestion } from "../browser/account/program-api.ts";
import { signOut, type Answered } from "../browser/account/sign-in-api.ts";
import { useFreshSignIn } from "../settings/account/fresh-sign-in.tsx";
import { Screen } from "../shell/screen.tsx";

/** Asks a person what a program may do for them; `onLeave`: they are somebody else. */
export function ConsentForm({ id, onLeave }: { readonly id: string; readonly onLeave: () => void }) {
  const [question, setQuestion] = useState<Answered<ProgramQuestion> | null>(null);
  const [isAnswered, setAnswered] = useState(false);
  useEffect(() => void readQuestion(id).then(setQuestion), [id]);
  if (question === null) {
    return (
      <Screen title="Opening the question…">
        <p aria-busy="true" />
      </Screen>
    );
  }
  if (!question.ok) {
    return (
      <Screen title="Nothing is asked here">
        <p>{question.message}</p>
      </Screen>
    );
  }
  if (isAnswered) {
    return (
      <Screen title="Your answer is on its way">
        <p>Go back to {question.value.program.name}. You can close this page.</p>
      </Screen>
    );
  }
  return <Question id={id} question={question.value} onAnswered={() => setAnswered(true)} onLeave={onLeave} />;
}

const words: Readonly<Record<Right, string>> = {
  read: "Read every document and conversation that you may read",
  write: "Change those that you may change, under its own name",
  run: "Let models work, which may cost money",
  share: "Share what you own with others, and end that",
};

function Question(props: {
  readonly id: string;
  readonly question: ProgramQuestion;
  readonly onAnswered: () => void;
  readonly onLeave: () => void;
}) {
  const { id, question } = props;
  const { program, person } = question;
  const [rights, setRights] = useState(question.rights);
  const [problem, setProblem] = useState<string | null>(null);
  const { form, freshly } = useFreshSignIn();
  const answer = async (given: readonly Right[]): Promise<void> => {
    setProblem(null);
    const answered = await freshly(() => answerQuestion(id, given));
    if (answered === null) return;
    if (!answered.ok) return setProblem(answered.message);
    props.onAnswered();
    location.assign(answered.value.to);
  };
  const leave = async (): Promise<void> => {
    await signOut();
    props.onLeave();
  };
  const toggle = (right: Right): void =>
    setRights(question.rights.filter((each) => (each === right ? !rights.includes(each) : rights.includes(each))));
  return (
    <Screen title={`${program.name} wants to work here as you`}>
      <Facts question={question} />
      <fieldset className="consent">
        <legend>It may, as {person}:</legend>
        {question.rights.map((right) => (
          <label key={right}>
            <input type="checkbox" checked={rights.includes(right)} onChange={() => toggle(right)} /> {words[right]}
          </label>
        ))}
      </fieldset>
      <p className="quiet">
        It never may more than you may at that moment. You end it at any time in the settings of your account.
      </p>
      {form}
      {problem !== null && <p role="alert">{problem}</p>}
      <div className="button-row">
        <button
          type="button"
          className="button primary"
          disabled={rights.length === 0}
          onClick={() => void answer(rights)}
        >
          Allow
        </button>
        <button type="button" className="button" onClick={() => void answer([])}>
          Don’t allow
        </button>
        <button type="button" className="button" onClick={() => void leave()}>
          I am not {person}
        </button>
      </div>
    </Screen>
  );
}

/** Who asks, as far as Heddle knows, and where the answer goes. */
function Facts({ question: { program, answersTo, through } }: { readonly question: ProgramQuestion }) {
  const door = through === "mcp" ? "as an agent, through MCP" : "through the API";
  return (
    <>
      <p>
        {program.host === null ? (
          <>An owner of this workspace registered it. </>
        ) : (
          <>
            It gives itself this name; <strong>{program.host}</strong> answers for it.{" "}
          </>
        )}
        It would work {door}.
      </p>
      <p>
        The answer goes to{" "}
        <strong>{answersTo.type === "machine" ? "a program on this computer" : answersTo.name}</strong>
        {answersTo.type === "app" && ", an app of this device"}
        {answersTo.type === "machine" &&
          ". Allow it only if you have just begun this yourself: every program here can wait for such an answer"}
        .
      </p>
    </>
  );
}
