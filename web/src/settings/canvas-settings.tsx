import { useEffect, useState } from "react";
import type { EditPolicy } from "../../../src/core/block/types.ts";
import { policyChoices } from "../canvas/policy-words.ts";
import { useApp } from "../ui/app-context.ts";

/** The policy of new canvases in the workspace. */
export function CanvasSettings({ live }: { readonly live: boolean }) {
  const { client, tell } = useApp();
  const [chosen, setChosen] = useState<EditPolicy | null>(null);
  useEffect(() => {
    if (!live) return undefined;
    let stale = false;
    void client.call("canvas.default-policy", {}).then((result) => {
      if (!stale && result.ok) setChosen(result.value.policy);
    });
    return () => {
      stale = true;
    };
  }, [client, live]);
  const choose = (policy: EditPolicy): void => {
    const before = chosen;
    setChosen(policy);
    void client.call("canvas.set-default-policy", { policy }).then((result) => {
      if (result.ok) return;
      setChosen(before);
      tell(result.error);
    });
  };
  return (
    <fieldset className="setting" disabled={!live || chosen === null}>
      <legend id="policy-heading">Start new canvases as</legend>
      <div className="choices">
        {policyChoices.map(({ value, label, title }) => (
          <label key={value} title={title}>
            <input type="radio" name="default-policy" checked={chosen === value} onChange={() => choose(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <p className="quiet">
        {chosen === null ? "" : `${policyChoices.find(({ value }) => value === chosen)?.title ?? ""}. `}Applies to
        everyone here. You can change each canvas above its text.
      </p>
    </fieldset>
  );
}
