import { useEffect, useState } from "react";
import { endOtherSessions, endSession, listSessions, type OpenSession } from "../../browser/account/account-api.ts";
import type { Perform } from "./use-perform.ts";

/** Where the person is signed in: each browser with its last use, and the ways to end the others. */
export function SessionList({ changes, perform }: { readonly changes: number; readonly perform: Perform }) {
  const [sessions, setSessions] = useState<readonly OpenSession[]>([]);
  useEffect(() => {
    let isShown = true;
    void listSessions().then((answer) => {
      if (isShown && answer.ok) setSessions(answer.value);
    });
    return () => {
      isShown = false;
    };
  }, [changes]);
  const others = sessions.filter(({ isThis }) => !isThis);
  return (
    <div role="group" aria-label="Sessions">
      <p>
        <strong>Sessions</strong> <span className="quiet">Browsers in which you are signed in.</span>
      </p>
      <ul className="presets" aria-label="Sessions">
        {sessions.map((session) => (
          <li key={session.id} className="preset">
            <span>{session.label}</span>
            <span className="quiet">{whereAndWhen(session)}</span>
            {!session.isThis && (
              <span className="preset-actions">
                <button
                  type="button"
                  className="button small"
                  aria-label={`End the session of ${session.label}, ${whereAndWhen(session)}`}
                  onClick={() =>
                    void perform(() => endSession(session.id), `The session of ${session.label} is ended.`)
                  }
                >
                  End
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <button
          type="button"
          className="button small"
          onClick={() => void perform(endOtherSessions, "Every other session is ended.")}
        >
          End all other sessions
        </button>
      )}
    </div>
  );
}

function whereAndWhen({ isThis, address, seenAt }: OpenSession): string {
  const used = isThis ? "this browser" : `last used ${new Date(seenAt).toLocaleString()}`;
  return `${address}, ${used}`;
}
