import { decodeDocument } from "../core/text/document.ts";
import { trustedLimits } from "../core/text/trusted-limits.ts";
import type { TextDocument } from "../core/text/types.ts";
import { Replica } from "./replica/replica.ts";

type ReplicaPorts = ConstructorParameters<typeof Replica>[0];

/** What opens and reads texts: the largest part of the client, which a page may load after it has shown itself. */
export interface TextEngine {
  openReplica(ports: Omit<ReplicaPorts, "decode">): Replica;
  /** Returns undefined for bytes that are no document. */
  decode(bytes: Uint8Array): TextDocument | undefined;
}

export const textEngine: TextEngine = {
  openReplica: (ports) => new Replica({ ...ports, decode }),
  decode,
};

function decode(bytes: Uint8Array): TextDocument | undefined {
  const decoded = decodeDocument(bytes, trustedLimits);
  return decoded.ok ? decoded.value : undefined;
}
