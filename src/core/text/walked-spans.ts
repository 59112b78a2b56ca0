/** Units removed by deletions, indexed by the deleting unit. */
export class DeletionSpan {
  readonly type = "deletion";
  readonly lv: number;
  length: number;
  /** First deleted unit, in text order; the first unit of a backward deletion deletes the last of them. */
  target: number;
  readonly back: boolean;
  /** Number of cancellations at the current version and at the newest. */
  now: number;
  end: number;

  constructor(fields: Omit<DeletionSpan, "type">) {
    this.lv = fields.lv;
    this.length = fields.length;
    this.target = fields.target;
    this.back = fields.back;
    this.now = fields.now;
    this.end = fields.end;
  }
}

/** Units that cancelled the deletion units from `ref` on. */
export class CancellationSpan {
  readonly type = "cancellation";
  readonly lv: number;
  length: number;
  readonly ref: number;

  constructor(lv: number, length: number, ref: number) {
    this.lv = lv;
    this.length = length;
    this.ref = ref;
  }
}
