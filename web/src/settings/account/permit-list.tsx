import { useEffect, useState } from "react";
import type { Right } from "../../../../src/core/rights/token-right.ts";
import { endPermit, listPermits, type Permit } from "../../browser/account/program-api.ts";
import type { Perform } from "./use-perform.ts";

/** The programs that the person lets act for them, and the way to end each. */
export function PermitList({ changes, perform }: { readonly changes: number; readonly perform: Perform }) {
  const [permits, setPermits] = useState<readonly Permit[]>([]);
  useEffect(() => {
    let isShown = true;
    void listPermits().then((answer) => {
      if (isShown && answer.ok) setPermits(answer.value);
    });
    return () => {
      isShown = false;
    };
  }, [changes]);
  if (permits.length === 0) return null;
  return (
    <div role="group" aria-label="Programs that act for you">
      <p>
        <strong>Programs that act for you</strong>{" "}
        <span className="quiet">You allowed them. None may do more than you may.</span>
      </p>
      <ul className="presets" aria-label="Programs that act for you">
        {permits.map((permit) => (
          <li key={permit.id} className="preset">
            <span>{permit.name}</span>
            <span className="quiet">{whatAndWhen(permit)}</span>
            <span className="preset-actions">
              <button
                type="button"
                className="button small"
                aria-label={`End what ${permit.name} may do, ${whatAndWhen(permit)}`}
                onClick={() => void perform(() => endPermit(permit.id), `${permit.name} can do nothing more for you.`)}
              >
                End
              </button>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const words: Readonly<Record<Right, string>> = { read: "reads", write: "writes", run: "runs models", share: "shares" };

function whatAndWhen({ rights, madeAt, seenAt }: Permit): string {
  const what = rights.map((right) => words[right]).join(", ");
  return `${what}; allowed ${new Date(madeAt).toLocaleDateString()}, last used ${new Date(seenAt).toLocaleString()}`;
}
