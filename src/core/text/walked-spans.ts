/** Units that deletions removed, by the unit that removed them. */
export class DeletionSpan {
  readonly type = "deletion";
  readonly lv: number;
  length: number;
  /** First unit that it concerns, in text order; a backward deletion's first unit concerns the last of them. */
  target: number;
  readonly back: boolean;
  /** Cancellations at the looked-at version and with everything. */
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
