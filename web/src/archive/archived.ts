/** A message of another program. */
export interface ArchivedMessage {
  readonly id: string;
  /** null, or an id that the conversation does not have: a first message. */
  readonly parentId: string | null;
  readonly role: "user" | "assistant";
  /** Empty where nothing of the message is kept: what answers it then answers the nearest above that has words. */
  readonly text: string;
}

/** A conversation of another program; messages in any order. */
export interface ArchivedConversation {
  readonly title: string;
  readonly messages: readonly ArchivedMessage[];
  /** What was left out, and how often. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Counts what is left out, by its name. */
export class LeftOut {
  readonly counts = new Map<string, number>();

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Returns the messages that have words, parents first; each below the nearest above it that has words, or a first message.
 * A circle of parents, which damaged archives have, is cut where it closes.
 */
export function inOrder(messages: readonly ArchivedMessage[]): readonly ArchivedMessage[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  /** Of each message that was seen: itself where it has words, otherwise the nearest above with words. */
  const nearestById = new Map<string, string | null>();
  const ordered: ArchivedMessage[] = [];
  for (const start of byId.values()) {
    const path: ArchivedMessage[] = [];
    const open = new Set<string>();
    let at: ArchivedMessage | undefined = start;
    while (at !== undefined && !nearestById.has(at.id) && !open.has(at.id)) {
      open.add(at.id);
      path.push(at);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
    for (const message of path.toReversed()) {
      const parentId = message.parentId === null ? null : (nearestById.get(message.parentId) ?? null);
      nearestById.set(message.id, message.text === "" ? parentId : message.id);
      if (message.text !== "") ordered.push({ ...message, parentId });
    }
  }
  return ordered;
}
