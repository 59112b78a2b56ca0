// Two people edit one text at the same time, without a server between them; then one of them undoes an edit.
import { createDocument, decodeDocument, type ReplicaId, type TextLimits } from "heddle/text";

// Each editor gets its own number, which is never used again.
const ann = 1 as ReplicaId;
const ben = 2 as ReplicaId;
// A decoder's limits for bytes from somebody else.
const limits: TextLimits = { updateBytesMax: 1_000_000, operationsMax: 100_000, textUnitsMax: 1_000_000 };

const atAnn = createDocument();
const atBen = createDocument();
const list = done(atAnn.edit(ann, [{ from: 0, to: 0, insert: "Bread\nTea\n" }]));
done(atBen.merge(list.update, limits));

// Both type before either has received the other's edit, so the updates cross.
const milk = done(atAnn.edit(ann, [{ from: 0, to: 0, insert: "Milk\n" }]));
const apples = done(atBen.edit(ben, [{ from: atBen.length, to: atBen.length, insert: "Apples\n" }]));
done(atAnn.merge(apples.update, limits));
done(atBen.merge(milk.update, limits));
console.log(atAnn.text());

// Undo reverts exactly Ann's last edit, and keeps Ben's text.
const undone = done(atAnn.cancel(ann, milk.spans));
done(atBen.merge(undone.update, limits));
console.log(atBen.text());

const stored = atBen.encode();
const opened = done(decodeDocument(stored, limits));
console.log(opened.text() === atAnn.text() ? "The stored copy is the same." : "The copies differ!");

/** Refusals are values in Heddle; this program throws them. */
function done<Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: { code: string } },
): Value {
  if (result.ok) return result.value;
  throw new Error(result.error.code);
}
