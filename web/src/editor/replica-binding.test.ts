import { EditorState, type Transaction, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TextOrigin, TextReplica } from "../../../src/client/base/types.ts";
import type { TextChange } from "../../../src/core/text/types.ts";
import { ReplicaBinding, wholeCharacters } from "./replica-binding.ts";

const remote: TextOrigin = { type: "remote", actor: { type: "person", id: "person_2" as never, name: "Ben" } };

/** Binds a string replica and an editor state, without page or network. */
function bound(text: string) {
  let replicaText = text;
  const listeners = new Set<Parameters<TextReplica["onChange"]>[0]>();
  const apply = (changes: readonly TextChange[], origin: TextOrigin): void => {
    let next = replicaText;
    for (const { from, to, insert } of [...changes].reverse()) next = next.slice(0, from) + insert + next.slice(to);
    replicaText = next;
    for (const listener of listeners) listener(changes, origin);
  };
  const replica = {
    edit: (changes: readonly TextChange[]) => apply(changes, { type: "local" }),
    onChange: (listener: Parameters<TextReplica["onChange"]>[0]) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as Partial<TextReplica> as TextReplica;
  const ports = { received: vi.fn(), typed: vi.fn(), along: vi.fn(() => []) };
  const binding = new ReplicaBinding(replica, ports);
  const view = {
    state: EditorState.create({ doc: text, extensions: wholeCharacters }),
    update(transactions: readonly Transaction[]) {
      for (const { state } of transactions) view.state = state;
    },
    dispatch(spec: TransactionSpec) {
      binding.dispatch([view.state.update(spec)], view as unknown as EditorView);
    },
  };
  binding.attach(view as unknown as EditorView);
  return {
    binding,
    ports,
    shown: () => view.state.doc.toString(),
    kept: () => replicaText,
    type: (from: number, to: number, insert: string) => view.dispatch({ changes: { from, to, insert } }),
    comes: (from: number, to: number, insert: string) => apply([{ from, to, insert }], remote),
    listenerCount: () => listeners.size,
  };
}

beforeEach(() => {
  // The clock starts long after the last drawing.
  vi.useFakeTimers({ now: 1_000_000, toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.advanceTimersByTime(1_000);
});

afterEach(() => {
  vi.useRealTimers();
});

test("typed text reaches the replica at once and does not come back", () => {
  const { type, shown, kept, ports } = bound("Hello");
  type(5, 5, " world");
  expect(kept()).toBe("Hello world");
  expect(shown()).toBe("Hello world");
  expect(ports.typed).toHaveBeenCalledTimes(1);
  expect(ports.received).not.toHaveBeenCalled();
});

test("the first remote edit is drawn at once, the next ones together after the interval", () => {
  const { comes, shown, binding, ports } = bound("");
  comes(0, 0, "a");
  expect(shown()).toBe("a");
  comes(1, 1, "b");
  comes(2, 2, "c");
  expect(shown()).toBe("a");
  expect(binding.current).toBe(false);
  expect(ports.received).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(33);
  expect(shown()).toBe("abc");
  expect(binding.current).toBe(true);
  expect(ports.along).toHaveBeenCalledTimes(2);
});

test("where drawing is slow, remote edits are drawn less often, at least ten times a second", () => {
  const { comes, shown, ports } = bound("");
  const took = (ms: number) => () => {
    vi.advanceTimersByTime(ms);
    return [];
  };
  ports.along.mockImplementation(took(4));
  comes(0, 0, "a");
  comes(1, 1, "b");
  vi.advanceTimersByTime(59);
  expect(shown()).toBe("a");
  ports.along.mockImplementation(took(30));
  vi.advanceTimersByTime(1);
  expect(shown()).toBe("ab");
  comes(2, 2, "c");
  vi.advanceTimersByTime(69);
  expect(shown()).toBe("ab");
  vi.advanceTimersByTime(1);
  expect(shown()).toBe("abc");
});

test("text typed before a remote edit is drawn lands where the person saw it", () => {
  const { comes, type, shown, kept, binding } = bound("one two");
  comes(0, 0, "x");
  comes(0, 0, "zero ");
  // The editor shows "xone two" and the replica has "zero xone two".
  type(8, 8, "!");
  expect(kept()).toBe("zero xone two!");
  binding.flush();
  expect(shown()).toBe(kept());
});

test("toReplica converts an editor offset while a remote edit is not drawn", () => {
  const { comes, binding } = bound("one");
  comes(0, 0, "a");
  comes(0, 0, "bc");
  expect(binding.toReplica(2)).toBe(4);
  binding.flush();
  expect(binding.toReplica(2)).toBe(2);
});

test("a detached binding stops drawing and listening", () => {
  const { comes, binding, shown, listenerCount } = bound("a");
  comes(1, 1, "b");
  comes(2, 2, "c");
  binding.detach();
  vi.advanceTimersByTime(100);
  expect(shown()).toBe("ab");
  expect(listenerCount()).toBe(0);
});

test("a typed half character is completed before it reaches the replica", () => {
  const { type, kept, shown } = bound("😀");
  // A browser that replaces one emoji by another may report the second half only.
  type(1, 2, "😁".slice(1));
  expect(kept()).toBe("😁");
  expect(shown()).toBe("😁");
});

test("editor and replica converge, however typing, remote edits and drawing interleave", () => {
  const step = fc.record({
    what: fc.constantFrom("type", "come", "wait"),
    at: fc.nat({ max: 40 }),
    deleted: fc.nat({ max: 3 }),
    text: fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { type, comes, binding, shown, kept } = bound("begin\nend");
      for (const { what, at, deleted, text } of steps) {
        const length = what === "type" ? shown().length : kept().length;
        const from = Math.min(at, length);
        const to = Math.min(from + deleted, length);
        if (what === "type") type(from, to, text);
        else if (what === "come") comes(from, to, text);
        else vi.advanceTimersByTime(20);
      }
      binding.flush();
      expect(shown()).toBe(kept());
      binding.detach();
    }),
  );
});
