import { useEffect, useState } from "react";
import { noteUnitsMax } from "../../../src/core/protocol/limits.ts";
import type { ApprovalReason, RememberedFor } from "../../../src/core/turn/approval.ts";
import type { TurnState } from "../../../src/core/turn/state.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { keepTyped, typedIn } from "./typed-words.ts";
import { exactParameters } from "../view/calls/call-parameters.ts";
import type { RunHead } from "../view/run/run-head.ts";

type Waiting = Extract<TurnState, { readonly type: "awaiting-approval" }>;

const reasons: Record<ApprovalReason, string> = {
  tier: "The rules of this conversation ask for your word before it runs.",
  taint:
    "It reaches outside, and the agent has read both your documents and text that somebody else wrote, which could have asked for it. Look at what it sends.",
  "definition-changed": "You allowed this tool before; what it says of itself has changed since.",
};

/**
 * How long a call stands on the screen before it can be allowed: a second click on the card before is no word on this one.
 * Milliseconds.
 */
const readingMs = 500;

/** A call that waits for a person, in a card of its own for each: what exactly it would do, and the ways to answer. */
export function ApprovalCard({ run, state }: { readonly run: RunHead; readonly state: Waiting }) {
  const { client, tell } = useApp();
  const { callId, argumentsHash, reason, expiresAt } = state.request;
  const { runId } = run;
  const card = approvalKey(runId, state.request);
  const [note, setNote] = useState(() => typedIn(card)[0] ?? "");
  const [answered, setAnswered] = useState(false);
  const [isRead, setIsRead] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsRead(true), readingMs);
    return () => clearTimeout(timer);
  }, []);
  const call = state.pending.find(({ id }) => id === callId) ?? state.pending[0];
  const answer = (decision: "allow" | "deny", remember: RememberedFor): void => {
    setAnswered(true);
    keepTyped(card, { runId, fields: [] });
    const said = note.trim();
    void client
      .call("approval.answer", {
        runId,
        callId,
        argumentsHash,
        decision,
        remember,
        ...(decision === "deny" && said !== "" ? { note: said } : {}),
      })
      .then((result) => {
        setAnswered(false);
        if (result.ok) return;
        keepTyped(card, { runId, fields: [note] });
        tell(result.error);
      });
  };
  const shown = exactParameters(call.parameters);
  return (
    <section className="turn-card" data-card="approval" aria-label={`May ${call.name} run?`}>
      <Icon name="hand" size={18} />
      <div>
        <h3>
          May <code>{call.name}</code> run?
        </h3>
        <p>{reasons[reason]}</p>
        <div className="parameters" tabIndex={0} role="region" aria-label={`Exact arguments of ${call.name}`}>
          <dl className="call-parameters">
            {shown.map(({ name, text }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          {shown.length === 0 && <p className="quiet">It has no arguments.</p>}
        </div>
        {linesOf(shown) > linesSeen && (
          <p className="quiet">
            These are {linesOf(shown)} lines; your answer is about all of them. Scroll to see the rest.
          </p>
        )}
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
            onChange={(event) => {
              setNote(event.target.value);
              keepTyped(card, { runId, fields: [event.target.value] });
            }}
          />
          <button type="submit" className="button" disabled={answered}>
            Deny
          </button>
        </form>
        <p className="quiet">
          Nothing has happened yet. Without an answer it counts as denied on {dateTime.format(expiresAt)}.
        </p>
      </div>
    </section>
  );
}

/** Tells one request from the next: the ids of calls come again. */
export function approvalKey(runId: string, { callId, argumentsHash, expiresAt }: Waiting["request"]): string {
  return `${runId} ${callId} ${argumentsHash} ${expiresAt}`;
}

const allowances: readonly (readonly [RememberedFor, string])[] = [
  ["once", "Allow once"],
  ["conversation", "Allow in this conversation"],
  ["always", "Always allow"],
];

/** How many lines of the arguments stand in the card without scrolling. */
const linesSeen = 8;

function linesOf(shown: readonly { readonly text: string }[]): number {
  return shown.reduce((sum, { text }) => sum + text.split("\n").length + 1, 0);
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
