import fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestId } from "../../core/base/ids.ts";
import { pushUnitsMax, type PendingPush } from "./pending-edits.ts";
import { events, ours, push, someCopy, states } from "./replica-state.test-support.ts";
import { pendingPushes, type ReplicaEffect, type ReplicaEvent, type ReplicaState } from "./replica-state.ts";
import { sendsAtOnce, transition } from "./replica-transition.ts";

/** What happens next: an event of the table, an edit, an answer to the push at a place, or a change of it. */
type Happening =
  | { readonly type: "event"; readonly name: Exclude<keyof typeof events, "edited" | "copy adopted"> }
  | { readonly type: "edit"; readonly long: boolean; readonly more: boolean }
  | { readonly type: "confirm" | "refuse" | "gap" | "own-change"; readonly at: number }
  /** The next copy contains these of the pending pushes; the others are kept, or made again. */
  | { readonly type: "copy"; readonly contained: readonly boolean[]; readonly remade: boolean };

const eventNames = Object.keys(events).filter((name) => name !== "edited" && name !== "copy adopted");

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("edit"), long: fc.boolean(), more: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("event"), name: fc.constantFrom(...eventNames) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("confirm", "refuse", "gap", "own-change"), at: fc.nat(5) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("copy"),
      contained: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      remade: fc.boolean(),
    }),
  },
) as fc.Arbitrary<Happening>;

/** Any state, with any pending pushes and any undo under way. */
const anyState: fc.Arbitrary<ReplicaState> = fc
  .record({
    named: fc.constantFrom(...(Object.values(states) as readonly ReplicaState[])),
    stages: fc.array(fc.constantFrom("ready" as const, "in-flight" as const), { maxLength: 4 }),
    endsOpen: fc.boolean(),
    undone: fc.constantFrom("none" as const, "undoing" as const, "undone" as const),
    version: fc.nat(6),
  })
  .map(({ named, stages, endsOpen, undone, version }): ReplicaState => {
    if (named.type === "closed") return named;
    const all = [...stages, ...(endsOpen ? (["open"] as const) : [])];
    const pushes = all.map((stage, at) => push(`first-${at}` as RequestId, stage));
    const before = pushes.slice(0, version).map(({ requestId }) => requestId);
    const hold =
      undone === "none"
        ? ({ type: "none" } as const)
        : undone === "undoing"
          ? ({ type: "undoing", before } as const)
          : ({ type: "undone", before, version } as const);
    return named.type === "following" || named.type === "resyncing"
      ? { ...named, pushes, hold, confirmed: [] }
      : { ...named, hold };
  });

const anyOpenState = anyState.filter(({ type }) => type !== "closed");

/** A replica whose effects are performed at once, with an account of every word typed in it. */
class World {
  state: ReplicaState;
  /** Words that the server has, that a report shows as lost, or that closing gave up. */
  readonly settled = new Set<string>();
  readonly typed = new Set<string>();
  readonly encodings = new Map<RequestId, number>();
  closedByEvent = false;
  #edits = 0;
  #copy: Extract<Happening, { type: "copy" }> = { type: "copy", contained: [], remade: false };

  constructor(state: ReplicaState) {
    this.state = state;
    for (const { requestId, stage, inserted } of pendingPushes(state)) {
      this.typed.add(inserted);
      if (stage !== "open") this.encodings.set(requestId, 1);
    }
  }

  happens(what: Happening): void {
    const pushes = pendingPushes(this.state);
    switch (what.type) {
      case "event": {
        const isUndoing = "hold" in this.state && this.state.hold.type === "undoing";
        if (what.name === "undo requested" && isUndoing) return;
        this.dispatch(events[what.name]);
        return;
      }
      case "edit":
        this.edit(what.long, what.more);
        return;
      case "copy":
        this.#copy = what;
        this.dispatch({ type: "copy-received", copy: someCopy });
        return;
      case "confirm":
      case "refuse":
      case "gap":
      case "own-change":
        this.answer(what.type, pushes[what.at]);
        return;
    }
  }

  edit(long: boolean, more: boolean): void {
    if (!("replicaId" in this.state) || this.state.type === "opening") return;
    this.#edits += 1;
    const word = `<${this.#edits}>`;
    const inserted = long ? word.padEnd(pushUnitsMax, "-") : word;
    const requestId = `edit-${this.#edits}` as RequestId;
    const encoded = !more && sendsAtOnce(this.state);
    if (encoded) this.encodings.set(requestId, 1);
    this.typed.add(word);
    const edit = { requestId, base: [], seq: 0, endSeq: inserted.length, inserted, edits: 1 };
    this.dispatch({ type: "edited", edit, delta: [], encoded, more });
  }

  answer(type: "confirm" | "refuse" | "gap" | "own-change", pending: PendingPush | undefined): void {
    if (pending === undefined || pending.stage === "open") return;
    const { requestId } = pending;
    if (type === "own-change") {
      if (this.state.type !== "following") return;
      const { change } = events["next change"];
      this.dispatch({ type: "change-received", change: { ...change, requestId, version: this.state.version + 1 } });
      this.settle(pending.inserted);
    } else if (type === "confirm") {
      this.dispatch({ type: "push-confirmed", requestId });
      this.settle(pending.inserted);
    } else {
      const { reason } = type === "gap" ? events["push refused as a gap"] : events["push refused"];
      this.dispatch({ type: "push-refused", requestId, reason });
    }
  }

  dispatch(event: ReplicaEvent): void {
    if (event.type === "closed") this.closedByEvent = true;
    const before = pendingPushes(this.state);
    const { state, effects } = transition(this.state, event);
    this.state = state;
    if (event.type === "push-confirmed") {
      for (const { requestId, inserted } of before) if (requestId === event.requestId) this.settle(inserted);
    }
    if (event.type === "change-received" && event.change.requestId !== undefined) {
      const isGone = !pendingPushes(state).some(({ requestId }) => requestId === event.change.requestId);
      const own = before.find(({ requestId }) => requestId === event.change.requestId);
      if (own !== undefined && isGone) this.settle(own.inserted);
    }
    if (event.type === "closed") for (const { inserted } of before) this.settle(inserted);
    const order = effects.map(({ type }) => type);
    const changesText = order.findIndex((type) => type === "notify" || type === "merge" || type === "adopt-copy");
    // A listener that is notified may edit at once, which would get into the update.
    if (changesText !== -1) expect(order.lastIndexOf("encode")).toBeLessThan(changesText);
    for (const effect of effects) this.perform(effect);
    this.check();
  }

  perform(effect: ReplicaEffect): void {
    if (effect.type === "encode") {
      this.encodings.set(effect.requestId, (this.encodings.get(effect.requestId) ?? 0) + 1);
    } else if (effect.type === "push") {
      expect(this.encodings.get(effect.requestId), "a push is encoded before it is sent, once").toBe(1);
    } else if (effect.type === "report") {
      this.settle(effect.lost ?? "");
    } else if (effect.type === "adopt-copy") {
      this.adopt(effect.pushes);
    }
  }

  adopt(pushes: readonly PendingPush[]): void {
    for (const { requestId, stage } of pushes) {
      expect(stage).not.toBe("open");
      expect(this.encodings.get(requestId)).toBe(1);
    }
    const { contained, remade } = this.#copy;
    const missing = pushes.filter((_push, at) => !(contained[at] ?? false));
    for (const [at, { inserted }] of pushes.entries()) if (contained[at] ?? false) this.settle(inserted);
    const kept = missing.map((pending) =>
      remade ? { ...pending, requestId: `${pending.requestId}-again` as RequestId } : pending,
    );
    for (const { requestId } of kept) this.encodings.set(requestId, 1);
    this.dispatch({ type: "copy-adopted", version: 3, pushes: kept, delta: [], lost: null });
  }

  settle(text: string): void {
    for (const word of this.typed) if (text.includes(word)) this.settled.add(word);
  }

  check(): void {
    const pushes = pendingPushes(this.state);
    const waiting = pushes.map(({ inserted }) => inserted).join("");
    for (const word of this.typed) {
      expect(this.settled.has(word) || waiting.includes(word), `${word} is pending, confirmed or reported`).toBe(true);
    }
    expect(pushes.slice(0, -1).every(({ stage }) => stage !== "open")).toBe(true);
    expect(new Set(pushes.map(({ requestId }) => requestId)).size).toBe(pushes.length);
    if (this.state.type === "closed") expect(this.closedByEvent).toBe(true);
  }
}

test("B-28 B-31 a replica loses no edit from any state through any events, and is closed only by close", () => {
  fc.assert(
    fc.property(anyOpenState, fc.array(happening, { maxLength: 30 }), (state, happenings) => {
      const world = new World(state);
      for (const what of happenings) world.happens(what);
    }),
    { numRuns: (fc.readConfigureGlobal().numRuns ?? 100) * 10 },
  );
});

test("B-31 a replica sends every pending edit once it is connected, has its copy and awaits no undo", () => {
  fc.assert(
    fc.property(anyOpenState, fc.array(happening, { maxLength: 20 }), (state, happenings) => {
      const world = new World(state);
      for (const what of happenings) world.happens(what);
      if (world.state.type === "closed") return;
      if ("hold" in world.state && world.state.hold.type === "undoing") world.dispatch(events["undo answered"]);
      world.dispatch({ type: "connected", replicaId: ours, restarted: true });
      world.happens({ type: "copy", contained: [], remade: false });
      for (let answers = 0; answers < 100 && pendingPushes(world.state).length > 0; answers += 1) {
        const sent = pendingPushes(world.state).find(({ stage }) => stage === "in-flight");
        expect(sent, "an edit waits though nothing holds it back").toBeDefined();
        if (sent !== undefined) world.dispatch({ type: "push-confirmed", requestId: sent.requestId });
      }
      expect(pendingPushes(world.state)).toEqual([]);
      expect(world.state.type).toBe("following");
    }),
  );
});
