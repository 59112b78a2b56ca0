import type { GrantScope } from "../../core/protocol/base/grant.ts";
import type { Chain } from "../../core/rights/object-key.ts";
import {
  chainOfConversation,
  chainOfDocument,
  keysIn,
  type ChainPorts,
  type PlacedConversation,
  type PlacedDocument,
} from "./chains.ts";

/** Which documents and conversations a caller may know of. */
export interface Reach {
  document(header: PlacedDocument): boolean;
  conversation(root: PlacedConversation): boolean;
}

/** Returns what a scope reaches now: its conversations' canvases count too. */
export async function reachOf(
  scope: GrantScope,
  { store, folders }: { readonly store: Pick<ChainPorts["store"], "root">; readonly folders: ChainPorts["folders"] },
): Promise<Reach> {
  const within = await keysIn(scope, store);
  const reaches = (chain: Chain): boolean => chain.some((key) => within.has(key));
  return {
    document: (header) => reaches(chainOfDocument(header, folders)),
    conversation: (root) => reaches(chainOfConversation(root)),
  };
}
