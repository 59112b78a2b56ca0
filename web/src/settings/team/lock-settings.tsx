import { useCallback, useEffect, useState } from "react";
import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import type { LockableSetting } from "../../../../src/core/rights/setting-lock.ts";
import { useApp } from "../../ui/app-context.ts";
import { settingWords as words } from "./setting-words.ts";

/** The settings that owners alone change: an owner locks them, everybody else sees who did. */
export function LockSettings() {
  const { client, announce, tell } = useApp();
  const [shown, setShown] = useState<CommandAnswer<"lock.list"> | null>(null);
  const read = useCallback(async () => {
    const listed = await client.call("lock.list", {});
    if (listed.ok) setShown(listed.value);
  }, [client]);
  useEffect(() => void read(), [read]);
  const lock = async (setting: LockableSetting, locked: boolean): Promise<void> => {
    const sent = await client.call("lock.set", { setting, locked });
    if (sent.ok) announce(`${words[setting]}: ${locked ? "locked" : "not locked any more"}.`);
    else tell(sent.error);
    await read();
  };
  if (shown === null || (!shown.mayManage && shown.locks.every(({ by }) => by === null))) return null;
  return (
    <section className="setting" aria-labelledby="locks-heading">
      <h3 id="locks-heading">Locked settings</h3>
      <p className="quiet">
        Only owners of the workspace change what is locked. What is set stays, and links open again once they are
        unlocked.
      </p>
      <ul className="presets" aria-label="Locked settings">
        {shown.locks
          .filter(({ by }) => shown.mayManage || by !== null)
          .map(({ setting, by }) => (
            <li key={setting} className="preset">
              <span>{words[setting]}</span>
              <span className="quiet">{by === null ? "" : `locked by ${by}`}</span>
              {shown.mayManage && (
                <span className="preset-actions">
                  <button
                    type="button"
                    className="button small"
                    aria-label={`${by === null ? "Lock" : "Unlock"}: ${words[setting]}`}
                    onClick={() => void lock(setting, by === null)}
                  >
                    {by === null ? "Lock" : "Unlock"}
                  </button>
                </span>
              )}
            </li>
          ))}
      </ul>
    </section>
  );
}
