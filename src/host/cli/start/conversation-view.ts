import type { ConversationView, HeddleClient } from "../../../client/base/types.ts";
import type { RootId } from "../../../core/base/ids.ts";

/** Resolves with the conversation; null when the connection ends before it arrives. */
export function viewOf(client: HeddleClient, rootId: RootId): Promise<ConversationView | null> {
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const look = (): void => {
      const view = client.conversation(rootId).get();
      if (view === null && client.state.get().type !== "refused") return;
      for (const stop of stops) stop();
      resolve(view);
    };
    stops.push(client.conversation(rootId).subscribe(look), client.state.subscribe(look));
    look();
  });
}
