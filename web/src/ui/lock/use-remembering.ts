import type { RootId } from "../../../../src/core/base/ids.ts";
import type { RememberedFor } from "../../../../src/core/turn/state/approval.ts";
import { signedInMember } from "../../browser/session.ts";
import { useOwnRole } from "./use-own-role.ts";

const onlyOnce: ReadonlySet<RememberedFor> = new Set(["once"]);
const here: ReadonlySet<RememberedFor> = new Set(["once", "conversation"]);
const all: ReadonlySet<RememberedFor> = new Set(["once", "conversation", "always"]);

/** For how long the person may allow calls in a conversation: its owners for all of it, the workspace's for every one. */
export function useRemembering(rootId: RootId): ReadonlySet<RememberedFor> {
  const ofConversation = useOwnRole({ type: "conversation", id: rootId });
  const ofWorkspace = useOwnRole({ type: "workspace" });
  if (signedInMember() === null || ofWorkspace === "owner") return all;
  return ofConversation === "owner" ? here : onlyOnce;
}
