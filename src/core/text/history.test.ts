import { expect, test } from "vitest";
import { History, insertion } from "./history.ts";
import type { ReplicaId } from "./types.ts";

const ann = 1 as ReplicaId;
const bob = 2 as ReplicaId;

test("what one replica adds at the end of its own text is one run, whoever else has edited", () => {
  const history = new History();
  const typed = (replica: ReplicaId, pos: number): void => {
    const op = { kind: insertion, length: 1, back: false, text: "x", ref: 0, pos } as const;
    history.append(replica, history.nextSeq(replica), op, history.end === 0 ? [] : [history.end - 1], false);
  };
  for (let pos = 0; pos < 100; pos += 1) typed(ann, pos);
  typed(bob, 0);
  for (let pos = 101; pos < 200; pos += 1) typed(ann, pos);
  const starts = new Set(Array.from({ length: history.end }, (_, lv) => history.runAt(lv).lv));
  expect([...starts]).toEqual([0, 100, 101]);
});

test("a stored history loads after more later edits by others than a call accepts arguments", () => {
  const stored = new History();
  const inserted = { kind: insertion, length: 1, back: false, text: "x", ref: 0 } as const;
  stored.append(ann, 0, { ...inserted, pos: 0 }, [], false);
  const history = new History();
  const heads = [{ lv: 0, replica: ann, seq: 0 }];
  history.open({ bytes: new Uint8Array(), begin: 0, end: 1, heads, nextSeqs: [[ann, 1]], read: () => stored });
  const turns = 300_000;
  for (let lv = 1; lv <= turns; lv += 1) {
    const replica = lv % 2 === 0 ? ann : bob;
    history.append(replica, history.nextSeq(replica), { ...inserted, pos: 0 }, [lv - 1], false);
  }
  expect(history.runAt(0).replica).toBe(ann);
  expect(history.idOf(turns)).toEqual({ replica: ann, seq: turns / 2 });
  expect(history.lvOf(bob, turns / 2 - 1)).toBe(turns - 1);
});
