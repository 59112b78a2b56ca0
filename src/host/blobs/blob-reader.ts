import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import type { ObjectKey } from "../../core/rights/object-key.ts";
import type { ChainPorts } from "../access/chains.ts";
import type { Asking } from "../access/member.ts";
import { whyNotAllowed } from "../access/why-not-allowed.ts";
import type { BlobReader } from "./blob-uses.ts";

/** Returns somebody as one who wants the bytes of a blob: they read it through what they may read. */
export function blobReader(asking: Asking, ports: ChainPorts): BlobReader {
  return {
    person: asking.member?.id ?? null,
    mayRead: async (object) => {
      const access = reading(object);
      return access !== null && (await whyNotAllowed(asking, access, ports)) === null;
    },
  };
}

function reading(object: ObjectKey): Access | null {
  const [kind, id = ""] = object.split(/:(.*)/su);
  if (kind === "conversation") return ["conversation.read", { type: "conversation", id: id as RootId }];
  return kind === "document" ? ["document.read", { type: "block", id: id as BlockId }] : null;
}
