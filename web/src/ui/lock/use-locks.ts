import { useEffect, useState } from "react";
import type { LockableSetting } from "../../../../src/core/rights/setting-lock.ts";
import { signedInMember } from "../../browser/session.ts";
import { useApp } from "../app-context.ts";

/** Returns who locked each setting that the person may not change; empty for owners, and where nobody signs in. */
export function useLocks(): ReadonlyMap<LockableSetting, string> {
  const { client } = useApp();
  const [locks, setLocks] = useState<ReadonlyMap<LockableSetting, string>>(new Map());
  useEffect(() => {
    if (signedInMember() === null) return;
    let isShown = true;
    const read = (): void =>
      void client.call("lock.list", {}).then((listed) => {
        if (!isShown || !listed.ok || listed.value.mayManage) return;
        setLocks(new Map(listed.value.locks.flatMap(({ setting, by }) => (by === null ? [] : [[setting, by]]))));
      });
    read();
    // An owner may have locked something while the person was elsewhere.
    window.addEventListener("focus", read);
    return () => {
      isShown = false;
      window.removeEventListener("focus", read);
    };
  }, [client]);
  return locks;
}
