import { useCallback, useEffect, useState } from "react";
import type { HeddleClient, Observable } from "../../../../src/client/base/types.ts";
import type { CommandParams } from "../../../../src/core/protocol/commands.ts";
import { signedInMember } from "../../browser/session.ts";
import type { OwnRole } from "../../view/words/own-role.ts";
import { useApp } from "../app-context.ts";

/** What somebody has a role on. */
type Thing = CommandParams<"share.list">["on"] | { readonly type: "workspace" };

/** The page's person's role on a thing. It is read again when somebody may have changed it: after a time away, or a refusal. */
export function useOwnRole(thing: Thing | null, refused: Observable<unknown> | null = null): OwnRole {
  const { client } = useApp();
  const [known, setKnown] = useState<{ readonly key: string; readonly role: OwnRole } | null>(null);
  const key = thing === null || signedInMember() === null ? null : JSON.stringify(thing);
  const read = useCallback(() => {
    // While the server is away the question would wait with the person's own words.
    if (key === null || client.state.get().type !== "live") return;
    void ownRole(client, JSON.parse(key) as Thing).then((role) => {
      if (role !== "unknown") setKnown({ key, role });
    });
  }, [client, key]);
  useEffect(() => {
    read();
    const end = client.state.subscribe(read);
    window.addEventListener("focus", read);
    return () => {
      end();
      window.removeEventListener("focus", read);
    };
  }, [client, read]);
  useEffect(() => refused?.subscribe(read), [refused, read]);
  return known !== null && known.key === key ? known.role : "unknown";
}

async function ownRole(client: HeddleClient, thing: Thing): Promise<OwnRole> {
  const listed =
    thing.type === "workspace" ? await client.call("person.list", {}) : await client.call("share.list", { on: thing });
  if (!listed.ok) return "unknown";
  const self: string | undefined = client.actor.get()?.id;
  const own = listed.value.people.find(({ personId }) => personId === self);
  return own === undefined ? "unknown" : (own.role ?? "none");
}
