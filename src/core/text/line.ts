import { UnitList } from "./unit-list.ts";

/**
 * One line of insertions and deletions, each made on top of the one before, on a text that is the base of another line too.
 * Units below `baseLength` are those of the base, others those that the line inserted, in the order of their insertion.
 *
 * Between two units of the base, whether deleted or not, all units of a line are below the first that it inserted there: that
 * one alone has both of them as neighbours. So the units of two lines at one place do not mix, and the ids of the first two
 * decide (decision 0095). A line needs to know neither the neighbours of other units nor the place of deleted ones.
 */
export class Line {
  readonly baseLength: number;
  /** The units that are not deleted, in text order. */
  readonly units: UnitList;
  /** Number of units inserted so far. */
  private inserted = 0;
  /** Of each inserted unit, how many units of the base precede it, deleted ones counted. */
  private readonly places: Int32Array;
  /** The lv of the first unit inserted at each place, plus 1; 0 where there is none. */
  private readonly firsts: Int32Array;

  constructor(baseLength: number, insertedMax: number) {
    this.baseLength = baseLength;
    this.units = new UnitList(baseLength);
    this.places = new Int32Array(insertedMax);
    this.firsts = new Int32Array(baseLength + 1);
  }

  insert(pos: number, length: number, lv: number): void {
    const { baseLength, places, firsts, inserted } = this;
    const before = this.units.insert(pos, baseLength + inserted, length);
    const place = before < baseLength ? before + 1 : (places[before - baseLength] as number);
    if (firsts[place] === 0) firsts[place] = lv + 1;
    for (let i = 0; i < length; i += 1) places[inserted + i] = place;
    this.inserted += length;
  }

  /** Calls `taken` with each unit that is deleted, in text order. */
  remove(pos: number, length: number, taken: (unit: number) => void): void {
    this.units.remove(pos, length, taken);
  }

  /** A number that grows along the text, the same for the same place in each line: even for inserted units, odd for others. */
  placeOf(unit: number): number {
    const { baseLength } = this;
    return unit < baseLength ? unit * 2 + 1 : (this.places[unit - baseLength] as number) * 2;
  }

  /** Returns the lv of the first unit that was inserted at the place of an inserted unit. */
  firstAt(unit: number): number {
    return (this.firsts[this.places[unit - this.baseLength] as number] as number) - 1;
  }
}
