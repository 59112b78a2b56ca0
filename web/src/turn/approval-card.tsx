import { useEffect, useState } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";
import { noteUnitsMax } from "../../../src/core/protocol/base/limits.ts";
import type { RememberedFor } from "../../../src/core/turn/state/approval.ts";
import type { TurnState } from "../../../src/core/turn/state/state.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { useRemembering } from "../ui/lock/use-remembering.ts";
import { allowancesFor, furtherCalls, reasonWords } from "../view/words/approval-words.ts";
import { keepTyped, typedIn } from "./typed-words.ts";
import { exactParameters } from "../view/calls/call-parameters.ts";
import type { RunHead } from "../view/run/run-head.ts";

type Waiting = Extract<TurnState, { readonly type: "awaiting-approval" }>;

/**
 * Time that a card is shown before its call can be allowed, so that a double click on the previous card does not allow
 * this call. Milliseconds.
 */
const readingMs = 500;

/** A card for one call that waits for approval: its exact arguments and the possible answers. */
export function ApprovalCard(props: { readonly rootId: RootId; readonly run: RunHead; readonly state: Waiting }) {
  const { rootId, run, state } = props;
  const { reason, expiresAt } = state.request;
  const card = approvalKey(run.runId, state.request);
  const { note, setNote, answered, answer } = useAnswer(run.runId, state.request, card);
  const isRead = useIsRead();
  const mayRemember = useRemembering(rootId);
  const allowances = allowancesFor(reason).filter(([remember]) => mayRemember.has(remember));
  const call = state.pending.find(({ id }) => id === state.request.callId) ?? state.pending[0];
  const shown = exactParameters(call.parameters);
  return (
    <section className="turn-card" data-card="approval" aria-label={`May ${call.name} run?`}>
      <Icon name="hand" size={18} />
      <div>
        <h3>
          May <code>{call.name}</code> run?
        </h3>
        <p>{reasonWords[reason]}</p>
        <ExactArguments name={call.name} shown={shown} />
        <div className="button-row">
          {allowances.map(([remember, words], index) => (
            <button
              key={remember}
              type="button"
              className={index === 0 ? "button primary" : "button"}
              disabled={answered || !isRead}
              onClick={() => answer("allow", remember)}
            >
              {words}
            </button>
          ))}
        </div>
        {allowances.length > 1 && (
          <p className="quiet">{furtherCalls(call.name, reason)} You can take it back under Permissions and usage.</p>
        )}
        <form
          className="turn-note"
          onSubmit={(event) => {
            event.preventDefault();
            answer("deny", "once");
          }}
        >
          <input
            aria-label="Why not, or what to do instead"
            maxLength={noteUnitsMax}
            placeholder="Why not, or what to do instead"
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          <button type="submit" className="button" disabled={answered}>
            Deny
          </button>
        </form>
        <p className="quiet">
          The tool has not run. Without an answer, the call is denied on {dateTime.format(expiresAt)}.
        </p>
      </div>
    </section>
  );
}

function ExactArguments(props: { readonly name: string; readonly shown: ReturnType<typeof exactParameters> }) {
  const { name, shown } = props;
  const lines = linesOf(shown);
  return (
    <>
      <div className="parameters" tabIndex={0} role="region" aria-label={`Exact arguments of ${name}`}>
        <dl className="call-parameters">
          {shown.map((parameter) => (
            <div key={parameter.name}>
              <dt>{parameter.name}</dt>
              <dd>{parameter.text}</dd>
            </div>
          ))}
        </dl>
        {shown.length === 0 && <p className="quiet">This call has no arguments.</p>}
      </div>
      {lines > linesSeen && (
        <p className="quiet">
          The arguments have {lines} lines. Your answer covers all of them. Scroll to see the rest.
        </p>
      )}
    </>
  );
}

/** The person's answer to one request; a typed note survives a refusal. */
function useAnswer(runId: RunHead["runId"], request: Waiting["request"], card: string) {
  const { client, tell } = useApp();
  const { callId, argumentsHash } = request;
  const [note, setTyped] = useState(() => typedIn(card)[0] ?? "");
  const [answered, setAnswered] = useState(false);
  const setNote = (text: string): void => {
    setTyped(text);
    keepTyped(card, { runId, fields: [text] });
  };
  const answer = (decision: "allow" | "deny", remember: RememberedFor): void => {
    setAnswered(true);
    keepTyped(card, { runId, fields: [] });
    const said = decision === "deny" ? note.trim() : "";
    const word = { runId, callId, argumentsHash, decision, remember, ...(said === "" ? {} : { note: said }) };
    void client.call("approval.answer", word).then((result) => {
      setAnswered(false);
      if (result.ok) return;
      keepTyped(card, { runId, fields: [note] });
      tell(result.error);
    });
  };
  return { note, setNote, answered, answer };
}

/** Returns whether the card was shown long enough to be read. */
function useIsRead(): boolean {
  const [isRead, setIsRead] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsRead(true), readingMs);
    return () => clearTimeout(timer);
  }, []);
  return isRead;
}

/** Returns a key of a request; call ids alone repeat. */
export function approvalKey(runId: string, { callId, argumentsHash, expiresAt }: Waiting["request"]): string {
  return `${runId} ${callId} ${argumentsHash} ${expiresAt}`;
}

/** Lines of the arguments shown without scrolling. */
const linesSeen = 8;

function linesOf(shown: readonly { readonly text: string }[]): number {
  return shown.reduce((sum, { text }) => sum + text.split("\n").length + 1, 0);
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
