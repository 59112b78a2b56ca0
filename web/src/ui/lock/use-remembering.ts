import { useEffect, useState } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";
import type { RememberedFor } from "../../../../src/core/turn/state/approval.ts";
import { signedInMember } from "../../browser/session.ts";
import { useApp } from "../app-context.ts";

const onlyOnce: ReadonlySet<RememberedFor> = new Set(["once"]);
const all: ReadonlySet<RememberedFor> = new Set(["once", "conversation", "always"]);

/** For how long the person may allow calls in a conversation: its owners for all of it, the workspace's for every one. */
export function useRemembering(rootId: RootId): ReadonlySet<RememberedFor> {
  const { client } = useApp();
  const [mayRemember, setMayRemember] = useState(() => (signedInMember() === null ? all : onlyOnce));
  useEffect(() => {
    if (signedInMember() === null) return;
    let isShown = true;
    void Promise.all([
      client.call("share.list", { on: { type: "conversation", id: rootId } }),
      client.call("lock.list", {}),
    ]).then(([shares, locks]) => {
      if (!isShown) return;
      const ofWorkspace = locks.ok && locks.value.mayManage;
      const ofConversation = shares.ok && shares.value.mayShare;
      setMayRemember(ofWorkspace ? all : ofConversation ? new Set(["once", "conversation"]) : onlyOnce);
    });
    return () => {
      isShown = false;
    };
  }, [client, rootId]);
  return mayRemember;
}
