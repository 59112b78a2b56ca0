import { useEffect, useState } from "react";
import { visibleText } from "../../../src/core/base/visible-text.ts";
import type { RootId } from "../../../src/core/base/ids.ts";
import type { ApprovalRule } from "../../../src/core/turn/state/approval.ts";
import { useApp } from "../ui/app-context.ts";

/** The approval rules of this conversation and of all, with buttons to forget them. */
export function Remembered({ rootId }: { readonly rootId: RootId }) {
  const { client, tell } = useApp();
  const [rules, setRules] = useState<readonly ApprovalRule[]>([]);
  useEffect(() => {
    let here = true;
    void client.call("approval.rules", { rootId }).then((result) => {
      if (here && result.ok) setRules(result.value.rules);
    });
    return () => {
      here = false;
    };
  }, [client, rootId]);
  if (rules.length === 0) return null;
  const forget = (ruleId: string): void => {
    void client.call("approval.forget", { ruleId }).then((result) => {
      if (result.ok) setRules((before) => before.filter(({ id }) => id !== ruleId));
      else tell(result.error);
    });
  };
  return (
    <div className="setting">
      <h3>Always allowed</h3>
      <ul className="remembered">
        {rules.map(({ id, toolName, call, rootId: of, createdBy }) => (
          <li key={id}>
            <span>
              <code>{toolName}</code>
              {call === null ? " every call" : <code className="quiet"> {visibleText(call.shown)}</code>}
              <small>
                {of === null ? "everywhere" : "in this conversation"}, allowed by {createdBy}
              </small>
            </span>
            <button type="button" className="quiet-button" onClick={() => forget(id)}>
              Ask again
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
