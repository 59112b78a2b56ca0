import type { RootId } from "../../../src/core/base/ids.ts";
import { type ArchivedConversation, type ArchivedMessage, inOrder } from "./archived.ts";

/** What an archive's conversations are added through. */
export interface ArchivePorts {
  /** Creates a conversation; null where it was refused. */
  readonly create: (title: string) => Promise<RootId | null>;
  /** Adds messages one below the other; returns the id of the last, or null where they were refused. */
  readonly append: (
    parentId: string,
    messages: readonly { readonly role: ArchivedMessage["role"]; readonly text: string }[],
  ) => Promise<string | null>;
}

/** What became of a conversation. */
export interface AddedConversation {
  readonly title: string;
  readonly rootId: RootId | null;
  readonly messages: number;
  /** Messages that the server refused, with those below them. */
  readonly refused: number;
}

/** Characters of the messages of one request, well below its limit in bytes. */
const unitsMax = 200_000;
const titleMax = 200;

/** Adds a conversation with all its branches: each stretch without a fork in as few requests as its length allows. */
export async function addConversation(
  { title, messages }: ArchivedConversation,
  ports: ArchivePorts,
): Promise<AddedConversation> {
  const ordered = inOrder(messages);
  const name = title.trim().slice(0, titleMax).toWellFormed() || "Imported conversation";
  const rootId = ordered.length === 0 ? null : await ports.create(name);
  if (rootId === null) return { title: name, rootId, messages: 0, refused: ordered.length };
  const children = Map.groupBy(ordered, ({ parentId }) => parentId ?? "");
  const ids = new Map<string, string>([["", rootId]]);
  let added = 0;
  const open = [...(children.get("") ?? [])];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const stretch = stretchFrom(next, children);
    const parent = ids.get(next.parentId ?? "");
    const last = stretch.at(-1) ?? next;
    const id = parent === undefined ? null : await ports.append(parent, stretch);
    if (id === null) continue;
    added += stretch.length;
    ids.set(last.id, id);
    open.push(...(children.get(last.id) ?? []));
  }
  return { title: name, rootId, messages: added, refused: ordered.length - added };
}

/** A message and those below it until a fork, as many as one request takes. */
function stretchFrom(
  first: ArchivedMessage,
  children: ReadonlyMap<string, readonly ArchivedMessage[]>,
): readonly ArchivedMessage[] {
  const stretch = [first];
  let units = first.text.length;
  for (let below = children.get(first.id); below?.length === 1; below = children.get(stretch.at(-1)?.id ?? "")) {
    const [only] = below;
    if (only === undefined || units + only.text.length > unitsMax) break;
    stretch.push(only);
    units += only.text.length;
  }
  return stretch;
}
